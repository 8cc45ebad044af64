/// Tells responders apart: reference types by identity, values, which have none, by type.
struct ResponderIdentity: Hashable, Sendable {
    /// The object itself; nil for a value type.
    let object: ObjectIdentifier?
    private let type: ObjectIdentifier

    init(_ responder: any Responder) {
        let type = Swift.type(of: responder)
        self.type = ObjectIdentifier(type)
        object = type is AnyClass ? ObjectIdentifier(responder as AnyObject) : nil
    }
}
