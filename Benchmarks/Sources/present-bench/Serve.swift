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
        if next == nil { parts.chain = Self.policy }
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

    /// Looks at the domain and the code and answers, as a policy of one rule does.
    private static func policy(before next: any Responder) -> any Responder {
        ClosureResponder(
            "policy", next: next,
            present: { error, _ in
                let report = ErrorReport(describing: error)
                guard report.domain.hasPrefix("bench"), report.code == 42,
                    let attempter = error.recoveryAttempter
                else { return nil }
                let answer = Answer(option: "retry", by: "policy", via: .policy)
                return Outcome(
                    answer: answer, result: await attempter.attemptRecovery(answer),
                    decidedBy: "policy")
            })
    }

    private func endWithStandardInput() {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            Glibc.exit(0)
        }
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
