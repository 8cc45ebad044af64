/// What happens to an error at a responder whose `next` is nil: the sources disagree (dropped in
/// ios-presentError, sent to the application in AppKit and HRS), so it is said.
public enum CutChainPolicy: Sendable {
    /// The caller completes with `detached`; nothing is shown.
    case drop
    /// Straight to a configured root, skipping what lies between.
    case root(any Responder)
    /// To a presenter of this process.
    case presentLocally(any Responder)
}
