/// How one run of a command ended.
struct CommandEnding: Hashable, Sendable {
    enum Status: Hashable, Sendable {
        case exited(Int32)
        case signaled(Int32)
        case notStarted(String)
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
        case .notStarted: 127
        }
    }
}

extension CommandEnding.Status: CustomStringConvertible {
    var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signaled(let number): "signal \(number)"
        case .notStarted(let reason): "could not be started: \(reason)"
        }
    }
}
