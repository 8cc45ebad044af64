/// How a command ended and what it said.
public struct CommandResult: Hashable, Sendable {
    /// How a process can end.
    public enum Status: Hashable, Sendable {
        case exited(Int32)
        case signaled(Int32)
    }

    public let status: Status
    /// The beginning of its output, as much as its runner keeps.
    public let standardOutput: [UInt8]
    /// The end of what it said on standard error.
    public let standardErrorTail: String

    public init(status: Status, standardOutput: [UInt8], standardErrorTail: String) {
        self.status = status
        self.standardOutput = standardOutput
        self.standardErrorTail = standardErrorTail
    }
}
