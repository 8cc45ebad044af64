import ErrorBus
import ErrorBusTesting
import Foundation
import Logging
import Testing

@testable import BusLab

/// A worker and a presenter, each a node with real sockets, with a fault proxy between them.
struct ProxiedPair: Sendable {
    private struct Failed: Error {}

    let proxy: FaultProxy
    let presenter: ScriptedPresenter
    let attempts = Recorder<String>()
    /// Where the presentation stood, in order; nil once it is over.
    let stations = Recorder<PresentationState.Station?>()
    private let central: Node
    private let worker: Node
    private let folder: String

    /// - Parameter steps: What the presenter does with each prompt it is given.
    init(_ name: String, seed: UInt64 = 1, _ step: ScriptedPresenter.Step) async throws {
        folder =
            FileManager.default.temporaryDirectory
            .appending(path: "eb-\(name)-\(UInt32.random(in: 0...UInt32.max))").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let endpoint = try Endpoint("ipc://\(folder)/central")
        proxy = try FaultProxy(
            "link", listen: try Endpoint("ipc://\(folder)/link"), connect: endpoint, seed: seed)
        presenter = ScriptedPresenter("person", step, step, step, step)
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var above = NodeSettings(name: "central")
        above.listen = [endpoint]
        var parts = NodeParts(logger: silent)
        parts.presenters = [presenter]
        central = Node(above, parents: [], parts: parts)
        worker = Node(
            NodeSettings(name: "worker"), parents: [await proxy.listen],
            parts: NodeParts(logger: silent))
    }

    /// Runs both nodes around `body`; the proxy is up when it begins.
    func run(_ body: @Sendable () async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await proxy.setEnabled(true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in [central, worker] { group.addTask { try await node.run() } }
            try await body()
            group.cancelAll()
            while (try? await group.next()) != nil {}
        }
        try await proxy.setEnabled(false)
    }

    /// Presents an error whose one option recovers it.
    func present(_ stations: Recorder<PresentationState.Station?>? = nil) async -> Outcome {
        let stations = stations ?? self.stations
        let error = Failed().recoverable { [attempts] in
            RecoveryOption("Retry", id: "retry", role: .default) {
                attempts.record("retry")
                return true
            }
        }
        var options = PresentationOptions()
        options.stateChanged = { stations.record($0.station) }
        let outcome = await worker.chain.presentError(error, options: options)
        stations.record(nil)
        return outcome
    }

    /// Waits until the presentation stands there, or is over: a fault takes a moment to reach a
    /// connection that there is.
    func reaches(_ station: PresentationState.Station) async throws {
        while let next = try await stations.next() { if next == station { return } }
    }

    /// It recovered, by one attempt, and no second prompt.
    func expectOne(_ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(outcome.didRecover, "\(outcome)", sourceLocation: sourceLocation)
        #expect(attempts.elements == ["retry"], sourceLocation: sourceLocation)
        #expect(presenter.prompts.count == 1, sourceLocation: sourceLocation)
    }
}
