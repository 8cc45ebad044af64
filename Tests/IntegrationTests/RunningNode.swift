import ErrorBusTesting

@testable import ErrorBus
@testable import ErrorBusCore

/// A node that runs until it is stopped.
struct RunningNode: Sendable {
    let node: Node
    private let task: Task<Void, any Error>

    /// Returns once the node listens.
    init(_ node: Node) async throws {
        self.node = node
        let ended = Recorder<Void>()
        task = Task {
            defer { ended.record(()) }
            try await node.run()
        }
        // Polling an actor's state is no sleep: each turn asks the node's own thread.
        while await node.boundEndpoints.count < node.listenCount, ended.elements.isEmpty {
            await Task.yield()
        }
        if !ended.elements.isEmpty { try await task.value }
    }

    func stop() async throws {
        task.cancel()
        try await task.value
    }
}
