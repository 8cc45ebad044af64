import Synchronization

/// Where rules can send errors instead of to `next`, by the name that they use. Empty until the
/// node that has these ways is made, which is after its rules.
public final class RouteTable: Sendable {
    private let responders = Mutex<[String: any Responder]>([:])

    public init() {}

    /// The way of that name; nil while it is not set.
    public subscript(name: String) -> (any Responder)? { responders.withLock { $0[name] } }

    package func set(_ ways: [String: any Responder]) {
        responders.withLock { $0 = ways }
    }
}
