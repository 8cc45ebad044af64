import ErrorBusTesting
import Foundation
import Logging
import Synchronization

@testable import ErrorBus
@testable import ErrorBusCore

/// Nodes of one test, over real sockets in one process.
struct Bus: Sendable {
    let folder: String

    init() {
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("eb-\(UInt64.random(in: 0...UInt64.max))").path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    func endpoint(_ name: String) throws -> Endpoint { try Endpoint("ipc://\(folder)/\(name)") }

    /// A node that listens under its own name and whose parent is `next`.
    func node(
        _ name: NodeName, next: [String] = [], presenters: [any Presenter] = [],
        listens: Bool = true,
        settings change: (inout NodeSettings) -> Void = { _ in },
        parts changeParts: (inout NodeParts) -> Void = { _ in }
    ) throws -> Node {
        try node(
            name, parents: try next.map(endpoint), presenters: presenters, listens: listens,
            settings: change, parts: changeParts)
    }

    /// A node with its parents' endpoints given.
    func node(
        _ name: NodeName, parents: [Endpoint], presenters: [any Presenter] = [],
        listens: Bool = true,
        settings change: (inout NodeSettings) -> Void = { _ in },
        parts changeParts: (inout NodeParts) -> Void = { _ in }
    ) throws -> Node {
        var settings = NodeSettings(name: name)
        if listens { settings.listen = [try endpoint(name.description)] }
        change(&settings)
        var parts = NodeParts(logger: .silent)
        parts.presenters = presenters
        changeParts(&parts)
        return Node(settings, parents: parents, parts: parts)
    }

    /// A worker below a relay, with a chain of its own if need be, below a presenting node.
    func row(
        under presenter: any Presenter, relay chain: NodeParts.Chain? = nil
    ) throws -> (central: Node, relay: Node, worker: Node) {
        (
            try node("central", presenters: [presenter]),
            try node("relay", next: ["central"], parts: { $0.chain = chain }),
            try node("worker", next: ["relay"], listens: false)
        )
    }

    /// A node at the top that listens on a port the system chooses.
    func tcpRoot(_ name: NodeName, presenters: [any Presenter]) throws -> Node {
        let endpoint = try Endpoint("tcp://127.0.0.1:*")
        return try node(
            name, parents: [], presenters: presenters, settings: { $0.listen = [endpoint] })
    }

    /// Runs the nodes around `body`.
    func run<Value: Sendable>(
        _ nodes: Node..., body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var running: [RunningNode] = []
        for node in nodes { running.append(try await RunningNode(node)) }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for node in running.reversed() { try await node.stop() }
        return try result.get()
    }
}
