/// How one run of a command ended.
struct CommandEnding: Hashable, Sendable {
    enum Status: Hashable, Sendable {
        case exited(Int32)
        case signaled(Int32)
        /// Why, and the exit code of a shell for that: 127 not found, 126 found and not run.
        case notStarted(String, exitCode: Int32 = 127)
    }

    let status: Status
    /// The last it said on standard error.
    let errorTail: String
    let duration: Duration

    var isSuccess: Bool { status == .exited(0) }

    /// As a shell tells it.
    var exitCode: Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let number): 128 + number
        case .notStarted(_, let code): code
        }
    }
}

extension CommandEnding.Status: CustomStringConvertible {
    var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signaled(let number): "signal \(number)"
        case .notStarted(let reason, _): "could not be started: \(reason)"
        }
    }
}
