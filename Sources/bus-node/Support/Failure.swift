import ArgumentParser
import ErrorBus

/// A command that cannot go on: what it says to a person, and the exit status for scripts.
struct Failure: Error {
    let text: String
    let status: ExitStatus

    init(_ status: ExitStatus, _ text: String) {
        self.text = text
        self.status = status
    }

    init(_ failure: ConfigurationFailure) {
        self.init(failure.exitStatus, failure.description)
    }

    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let failure as ConfigurationFailure: self.init(failure)
        case let error as NodeError:
            let status: ExitStatus =
                switch error {
                case .unknownNode, .reservedName: .badConfiguration
                case .transport: .cannotCreate
                case .ranBefore: .software
                }
            self.init(status, error.description)
        default: self.init(.software, ErrorReport(describing: error).description)
        }
    }
}

extension AsyncParsableCommand {
    /// Runs a command's work; what it fails with is said and becomes the exit status.
    func orFail<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let code as ExitCode {
            throw code
        } catch let interrupted as Interrupted {
            throw ExitCode(interrupted.exitCode)
        } catch {
            let failure = Failure(error)
            Terminal.say("bus-node: " + failure.text.escapedForTerminal(keepingLines: 200))
            throw failure.status.exitCode
        }
    }
}
