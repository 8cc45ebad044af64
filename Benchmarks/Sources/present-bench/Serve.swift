import ArgumentParser
import ErrorBus
import Foundation
import Glibc
import Logging

/// The other processes: a node that answers by a policy, or, with a parent, a relay. Says where it
/// listens on standard output and ends with its standard input, so that it never outlives its
/// parent.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be the presenter's process or a relay's.", shouldDisplay: false)

    @Option var name: String
    @Option var next: String?

    func run() async throws {
        guard let name = NodeName(name) else { throw ValidationError("not a name: \(name)") }
        var settings = NodeSettings(name: name)
        settings.listen = [try Endpoint("tcp://127.0.0.1:*")]
        var parts = NodeParts(logger: .quiet)
        let (readiness, isReady) = AsyncStream<Void>.makeStream()
        parts.ready = { isReady.finish() }
        if next == nil {
            let book = try Self.policy()
            parts.presenting = { end in
                RuleResponder(
                    name, book: book, next: end, commands: RuleCommands(runner: NoCommands()),
                    logger: .quiet)
            }
        }
        let node = Node(settings, parents: try next.map { [try Endpoint($0)] } ?? [], parts: parts)
        endWithStandardInput()
        async let run: Void = {
            defer { isReady.finish() }
            try await node.run()
        }()
        for await _ in readiness {}
        for endpoint in await node.boundEndpoints {
            FileHandle.standardOutput.write(Data(endpoint.description.utf8))
        }
        try await run
    }

    /// One rule that looks at the domain and the code and answers.
    private static func policy() throws -> RuleBook {
        let match = RuleMatch(
            domain: [try TextPattern("bench.*")], code: [try TextPattern("42")])
        let rule = Rule(
            match: match, actions: [.answer(RuleAnswer("retry"))], position: 1)
        return RuleBook([rule], mode: .firstMatch)
    }

    private func endWithStandardInput() {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            Glibc.exit(0)
        }
    }
}

/// The policy adds no options, so no command is ever run.
private struct NoCommands: CommandRunner {
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        throw ValidationError("the benchmark runs no commands")
    }
}

extension Logger {
    /// Warnings and above: what a benchmark that goes well never sees.
    static var quiet: Logger {
        var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }
}
