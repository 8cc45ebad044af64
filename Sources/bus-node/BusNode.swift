import ArgumentParser
import BusNodeKit
import ErrorBus
import Glibc

@main
struct BusNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus-node",
        abstract: "Errors that climb from process to process until a person or a policy decides.",
        discussion: """
            An error goes up a configured tree of nodes. A person or a policy chooses one of its \
            recovery options, and the option runs in the process that offered it.

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
        ReceivedSignal.ignore(SIGPIPE)
        let arguments = RawArguments.toParse(CommandLine.arguments)
        if let failure = unknownCommand(in: arguments) { exit(withError: failure.printed()) }
        await main(arguments)
    }

    /// The refusal of a word in the place of a command that its group does not have; nil for any
    /// other command line. The parser would take the word for an argument of the default command.
    static func unknownCommand(in arguments: [String]) -> Failure? {
        var group: any ParsableCommand.Type = self
        // `help` takes the names of commands.
        let words = arguments.drop(while: { $0 == "help" })
        for (index, word) in zip(words.indices, words) {
            // An argument of a command that is found.
            guard !group.configuration.subcommands.isEmpty else { return nil }
            guard !word.hasPrefix("-") else { return lateCommand(in: words[index...], of: group) }
            guard let next = group.subcommand(word) else { return unknown(word, in: group) }
            group = next
        }
        return nil
    }

    /// The refusal of a word after the options of a default command, which has no arguments but
    /// options. A word that may be the value of an option is left to the parser.
    private static func lateCommand(
        in words: ArraySlice<String>, of group: any ParsableCommand.Type
    ) -> Failure? {
        guard let standard = group.configuration.defaultSubcommand else { return nil }
        var option: String?
        for word in words {
            if word == "--" { return nil }
            if !word.hasPrefix("-"), option.map({ isFlag($0, of: standard) }) ?? true {
                guard group.subcommand(word) != nil else { return unknown(word, in: group) }
                return Failure(
                    .usage,
                    "found the command \"\(word.shown())\" after an option; give the command "
                        + "first, then its options")
            }
            option = word.hasPrefix("-") && !word.contains("=") ? word : nil
        }
        return nil
    }

    /// Whether an option takes no value: the parser accepts it alone.
    private static func isFlag(_ option: String, of command: any ParsableCommand.Type) -> Bool {
        (try? command.parse([option])) != nil
    }

    private static func unknown(
        _ word: String, in group: any ParsableCommand.Type
    ) -> Failure {
        let names = group.configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName }
        let hint = Suggestion.hint(for: word, among: names).map { "; \($0)" } ?? ""
        return Failure(
            .usage,
            "found no command \"\(word.shown())\"; commands: " + names.joined(separator: ", ")
                + hint)
    }
}

extension ParsableCommand {
    fileprivate static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
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
