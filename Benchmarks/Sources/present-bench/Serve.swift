import ArgumentParser
import ErrorBus
import Foundation
import Glibc
import Logging
import Synchronization

/// The other processes: a node that answers by a policy, or, with a parent, a relay. Says where it
/// listens on standard output and ends with its standard input, so that it never outlives its
/// parent.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be the presenter's process or a relay's.", shouldDisplay: false)

    @Option var name: String
    @Option var next: String?
    @Option var listen = "tcp://127.0.0.1:*"
    @Flag var holds = false
    /// The presentations that it has open at once, if they are more than a node has by itself.
    @Option var maxOpen = 0
    /// The public key of the worker: with it the links have keys.
    @Option var worker: String?

    func run() async throws {
        guard let name = NodeName(name) else { throw ValidationError("not a name: \(name)") }
        var settings = NodeSettings(name: name)
        settings.listen = [try Endpoint(listen)]
        settings.maxOpen = max(settings.maxOpen, maxOpen)
        var parts = NodeParts(logger: .quiet)
        let (readiness, isReady) = AsyncStream<Void>.makeStream()
        parts.ready = { isReady.finish() }
        let gate = Gate()
        if holds { parts.presenters = [HoldingPresenter(gate: gate)] }
        if next == nil, !holds { parts.chain = Self.policy }
        let keys = try worker.map { try Self.keys(knowing: $0) }
        parts.keys = keys.map(KeyRing.init)
        let node = Node(settings, parents: try next.map { [try Endpoint($0)] } ?? [], parts: parts)
        endWithStandardInput(gate)
        async let run: Void = {
            defer { isReady.finish() }
            try await node.run()
        }()
        for await _ in readiness {}
        for endpoint in await node.boundEndpoints {
            let words = [endpoint.description] + (keys.map { ["\($0.own.publicKey)"] } ?? [])
            let line = words.joined(separator: " ") + "\n"
            FileHandle.standardOutput.write(Data(line.utf8))
        }
        try await run
    }

    /// A pair of its own, made here: only public keys go from process to process.
    private static func keys(knowing worker: String) throws -> LinkKeys {
        guard let known = PublicKey(worker), let own = KeyPair.make() else {
            throw ValidationError("not a key: \(worker)")
        }
        return LinkKeys(own: own, known: [Worker.name: known])
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

    private func endWithStandardInput(_ gate: Gate) {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty { gate.open() }
            Glibc.exit(0)
        }
    }
}

/// A presenter as a person is one: its prompts wait, and are answered all at once.
private struct HoldingPresenter: Presenter {
    let presenterName = "holding"
    let gate: Gate

    func present(_ prompt: Prompt) async throws -> Answer? {
        prompt.moved(to: .presented, by: presenterName)
        await gate.opened()
        guard prompt.isOpen else { return nil }
        return try prompt.answer("retry", by: "bench", via: .person)
    }
}

/// Closed until it is opened, once.
final class Gate: Sendable {
    private let waiting = Mutex<[UUID: CheckedContinuation<Void, Never>]?>([:])

    func open() {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? [:]
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns once it is open, or the task is cancelled.
    func opened() async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = waiting.withLock { waiting in
                    guard waiting != nil, !Task.isCancelled else { return false }
                    waiting?[id] = continuation
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            waiting.withLock { $0?.removeValue(forKey: id) }?.resume()
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
