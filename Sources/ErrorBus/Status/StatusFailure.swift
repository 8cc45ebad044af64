/// Why a node did not tell how it is.
public enum StatusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// No node answered in time; what is known of why.
    case unreachable(String)
    /// It is there, and refused: 429 is asked too often, 505 an earlier version of the node.
    case refused(code: Int, reason: String)
    /// What came is no status.
    case malformed(String)

    public var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .refused(505, _):
            "it is there, but its version does not tell how it is (505)"
        case .refused(let code, let reason): "refused: \(code) \(reason)"
        case .malformed(let problem): "its answer cannot be read: \(problem)"
        }
    }

    /// A node is there.
    public var isAnswer: Bool {
        if case .unreachable = self { false } else { true }
    }
}
