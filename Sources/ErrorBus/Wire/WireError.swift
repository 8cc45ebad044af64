/// Why a message is refused: the code, and what was found where.
public struct WireError: Error, Hashable, Sendable {
    public let code: RejectCode
    public let reason: String
    /// The presentation the message was about, where that could be read.
    public var id: PresentationID?

    init(_ code: RejectCode, _ reason: String, id: PresentationID? = nil) {
        self.code = code
        self.reason = reason
        self.id = id
    }
}

extension WireError: CustomStringConvertible {
    public var description: String { "\(code.rawValue) \(reason)" }
}
