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

    static func main() async {
        StandardDescriptors.reserve()
        // A closed reader is an error of the write, not the end of this process.
        signal(SIGPIPE, SIG_IGN)
        await main(RawArguments.toParse(CommandLine.arguments))
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
            let failure = Failure(error)
            Terminal.say("bus-node: " + failure.text.escapedForTerminal(keepingLines: 200))
            throw failure.status.exitCode
        }
    }
}

extension ExitStatus {
    var exitCode: ExitCode { ExitCode(rawValue) }
}
