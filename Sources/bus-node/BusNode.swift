import ArgumentParser
import BusNodeKit
import ErrorBus
import Glibc

@main
struct BusNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus-node",
        abstract: "Errors that climb from process to process until one can decide.",
        discussion: """
            An error goes up a configured topology, a person or a policy chooses one of its \
            recovery options, and the option runs where its owner lives.

            Example: bus-node up --topology topology.yaml
            """,
        version: NodeAssembly.version,
        subcommands: [
            Run.self, Up.self, Present.self, Exec.self, InboxCommand.self, Status.self,
            Log.self, History.self, JournalCommand.self, Check.self,
            Explain.self,
            Graph.self, Keygen.self, Users.self, Policy.self, Proxy.self, Chaos.self,
            ChaosNode.self,
            Ledger.self, Soak.self,
        ])

    /// What the parser's refusals begin with: the same as all others.
    static let _errorPrefix = "bus-node: "

    static func main() async {
        StandardDescriptors.reserve()
        // A closed reader is an error of the write, not the end of this process.
        signal(SIGPIPE, SIG_IGN)
        let arguments = RawArguments.toParse(CommandLine.arguments)
        if let failure = unknownCommand(in: arguments) { exit(withError: failure.printed()) }
        await main(arguments)
    }

    /// The refusal of a word in the place of a command that its group does not have; nil for any
    /// other command line. The parser would take the word for an argument of the default command.
    static func unknownCommand(in arguments: [String]) -> Failure? {
        var group: any ParsableCommand.Type = self
        // `help` takes the names of commands.
        for word in arguments.drop(while: { $0 == "help" }) {
            let commands = group.configuration.subcommands
            // An option, or an argument of a command that is found.
            guard !commands.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                let names = commands.filter { $0.configuration.shouldDisplay }
                    .compactMap { $0.configuration.commandName }
                let hint = Suggestion.hint(for: word, among: names).map { "; \($0)" } ?? ""
                return Failure(
                    .usage,
                    "found no command \"\(word.shown())\"; commands: "
                        + names.joined(separator: ", ") + hint)
            }
            group = next
        }
        return nil
    }
}

extension AsyncParsableCommand {
    /// Runs a command's work, and ends the programs that this process runs; a failure is printed
    /// and becomes the exit status.
    func orFail<Value>(_ work: () async throws -> Value) async throws -> Value {
        let ended: Result<Value, any Error>
        do {
            ended = .success(try await work())
        } catch {
            ended = .failure(error)
        }
        await ProcessGroups.ofThisProcess.end()
        do {
            return try ended.get()
        } catch let code as ExitCode {
            throw code
        } catch let interrupted as Interrupted {
            throw ExitCode(interrupted.exitCode)
        } catch {
            throw Failure(error).printed()
        }
    }
}

extension Failure {
    /// Prints the message, and returns the exit status.
    fileprivate func printed() -> ExitCode {
        Terminal.say("bus-node: " + text.escapedForTerminal(keepingLines: 200))
        return status.exitCode
    }
}

extension ExitStatus {
    var exitCode: ExitCode { ExitCode(rawValue) }
}
