import ErrorBusTesting
import Foundation
import Logging
import Synchronization

@testable import ErrorBus

/// Nodes of one test, over real sockets in one process.
struct Bus: Sendable {
    static let logger = Logger(label: "test")
    let folder: String

    init() {
        folder = FileManager.default.temporaryDirectory
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
        var settings = NodeSettings(name: name)
        if listens { settings.listen = [try endpoint(name.description)] }
        change(&settings)
        var parts = NodeParts(logger: Self.logger)
        parts.presenters = presenters
        changeParts(&parts)
        return Node(settings, parents: try next.map(endpoint), parts: parts)
    }

    /// Runs the nodes around `body`.
    func run<Value: Sendable>(
        _ nodes: Node..., body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            for node in nodes { group.addTask { try await node.run(); return nil } }
            group.addTask { try await body() }
            while let value = try await group.next() {
                if let value {
                    group.cancelAll()
                    while (try? await group.next()) != nil {}
                    return value
                }
            }
            throw CancellationError()
        }
    }
}
