package import ErrorBus

/// A command that cannot go on: what it says to a person, and the exit status for scripts.
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
                case .unknownNode, .reservedName, .unauthenticated: .badConfiguration
                case .transport: .cannotCreate
                case .ranBefore: .software
                }
            self.init(status, error.description)
        default: self.init(.software, ErrorReport(describing: error).description)
        }
    }
}

/// How a command ends, by the numbers of sysexits: what scripts and supervisors go by.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case ok = 0
    /// The command's own "no": cancel was chosen, or no presenter was asked.
    case declined = 1
    /// The command line is wrong.
    case usage = 64
    /// The input is no report, no answer, ...
    case badData = 65
    /// A file that is named is missing or may not be read.
    case noInput = 66
    /// No presenter: unreachable, or the chain ends (503).
    case unavailable = 69
    /// A fault of ours.
    case software = 70
    /// A file cannot be created.
    case cannotCreate = 73
    /// What was to be printed cannot be written.
    case outputFailed = 74
    /// The deadline has passed, or a node is at its limit: try again later.
    case temporaryFailure = 75
    case notPermitted = 77
    /// The topology or a file that it names is wrong.
    case badConfiguration = 78

    /// Whether the same start would fail the same way again.
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

    /// As a shell tells it.
    package var exitCode: Int32 { 128 + signal }
}
