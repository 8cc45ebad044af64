import ErrorBus
import Glibc

/// The failure of a command: its message for people, and its exit status for scripts.
package struct Failure: Error {
    package let text: String
    package let status: ExitStatus

    package init(_ status: ExitStatus, _ text: String) {
        self.text = text
        self.status = status
    }

    package init(_ failure: ConfigurationFailure) {
        self.init(failure.exitStatus, failure.description)
    }

    package init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let failure as ConfigurationFailure: self.init(failure)
        case let error as NodeError:
            let status: ExitStatus =
                switch error {
                case .reservedName, .unauthenticated, .unauthenticatedParent:
                    .badConfiguration
                case .transport: .cannotCreate
                case .ranBefore: .software
                }
            self.init(status, error.description + Self.remedy(error))
        default: self.init(.software, ErrorReport(describing: error).description)
        }
    }

    /// The refusal of a file that is not there, in the words of the system.
    ///
    /// - Parameter name: The file, with what it is; escaped.
    package static func noFile(_ name: String) -> Failure {
        Failure(.noInput, "\(name): \(String(cString: strerror(ENOENT)))")
    }

    /// The lines of the text, for a log: the first ones, and then one with the number of the rest.
    func lines(upTo limit: Int) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        let rest = lines.count - limit
        guard rest > 0 else { return lines }
        return Array(lines.prefix(limit)) + ["and \(rest) more, which bus-node check reports"]
    }

    /// The remedy if another process listens at an endpoint or at a console's address.
    static let inUseRemedy = "; stop the process that listens there, or change listen"

    private static func remedy(_ error: NodeError) -> String {
        if case .transport(let problem) = error, problem.isInUse { inUseRemedy } else { "" }
    }
}

/// The exit statuses of commands, by the numbers of sysexits.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case ok = 0
    /// The expected "no": cancel was chosen, or no presenter got a prompt.
    case declined = 1
    /// The command line is wrong.
    case usage = 64
    /// The input is not a valid report, answer, ...
    case badData = 65
    /// A file is missing or unreadable.
    case noInput = 66
    /// No presenter: the node is unreachable, or the chain ends (503).
    case unavailable = 69
    /// An internal fault.
    case software = 70
    /// A file cannot be created.
    case cannotCreate = 73
    /// The output cannot be written.
    case outputFailed = 74
    /// The deadline has passed, or a node is at its limit: try again later.
    case temporaryFailure = 75
    case notPermitted = 77
    /// The topology or a file that it names is invalid.
    case badConfiguration = 78

    /// Whether a second start would fail in the same way.
    var isFinal: Bool {
        switch self {
        case .usage, .badData, .noInput, .cannotCreate, .notPermitted, .badConfiguration: true
        case .ok, .declined, .unavailable, .software, .outputFailed, .temporaryFailure: false
        }
    }
}

/// A signal ended the work.
package struct Interrupted: Error {
    let signal: Int32

    /// The exit code of a shell for this signal.
    package var exitCode: Int32 { 128 + signal }
}
