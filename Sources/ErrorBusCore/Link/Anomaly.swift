/// A message from a peer that changes nothing: late, doubled, unexpected or malformed.
package struct Anomaly: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case wrongDirection, unknownID, notTheAsker, supersededLink, lostLink, duplicate, late
        case malformed
        case whileClosed
        /// More messages came than the queue could hold.
        case overflow
        /// A connection was ended because its peer sent a message without an end.
        case flood
        /// A connection was refused for its key.
        case unknownKey
        /// A large message was not sent: its peer has been sent too many large messages.
        case oversupply
        /// A result or withdrawal of an unknown id was not passed on: its key has sent too many of
        /// these.
        case excess

        /// Whether the node's operator should know of the anomaly: no race explains it.
        package var isFault: Bool {
            switch self {
            case .wrongDirection, .notTheAsker, .malformed, .overflow, .flood, .unknownKey,
                .oversupply, .excess:
                true
            case .unknownID, .supersededLink, .lostLink, .duplicate, .late, .whileClosed: false
            }
        }

        /// Whether each peer needs a line of its own in the log: its operator may be another one.
        package var namesPeer: Bool { self == .unknownKey }
    }

    package let kind: Kind
    package let detail: String

    package init(kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

/// A line of the log about a child.
package struct ChildLine: Hashable, Sendable {
    package let child: NodeName
    package let message: String
    package var reason: String?

    package static func up(_ child: NodeName) -> ChildLine {
        ChildLine(child: child, message: "child is up")
    }

    package static func down(_ child: NodeName, reason: String) -> ChildLine {
        ChildLine(child: child, message: "child is down", reason: reason)
    }
}
