/// What an origin does with an open presentation once its parent has been out of reach for
/// longer than the grace.
public enum UnreachablePolicy: String, Hashable, Sendable, CaseIterable {
    /// Wait on; it is presented when the link comes back.
    case hold
    /// Ask the presenters of this process.
    case presentLocally
    /// Complete with reason `unreachable`.
    case fail
}
