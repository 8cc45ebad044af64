import ErrorBus
import ServiceLifecycle

/// Runs a leaf node around one piece of work: up before it, down after it.
enum Client {
    /// SIGINT and SIGTERM cancel the work, which withdraws what it has presented; the node is
    /// closed after that, so that the withdrawal leaves.
    static func run<Value: Sendable>(
        _ node: Node, work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask { try await work() }
            while let value = try await group.next() {
                guard let value else { continue }
                group.cancelAll()
                while (try? await group.next()) != nil {}
                return value
            }
            throw Failure(.software, "the node ended before its work")
        }
    }
}
