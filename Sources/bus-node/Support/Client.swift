import ErrorBus
import ServiceLifecycle
import UnixSignals

/// Runs a leaf node around one piece of work: up before it, down after it.
enum Client {
    /// - Parameter signals: Those that end the work: it is cancelled, which withdraws what it has
    ///   presented, and ``Interrupted`` is thrown. The node is closed after that, so that the
    ///   withdrawal leaves.
    static func run<Value: Sendable>(
        _ node: Node, endingOn signals: [UnixSignal] = [],
        work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let trapped = await UnixSignalsSequence(trapping: signals)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask { try await interruptible(by: trapped, work) }
            while let value = try await group.next() {
                guard let value else { continue }
                group.cancelAll()
                while (try? await group.next()) != nil {}
                return value
            }
            throw Failure(.software, "the node ended before its work")
        }
    }

    private static func interruptible<Value: Sendable>(
        by signals: UnixSignalsSequence, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await signal in signals { throw Interrupted(signal: signal.rawValue) }
                return nil
            }
            while let value = try await group.next() {
                guard let value else { continue }
                group.cancelAll()
                return value
            }
            throw CancellationError()
        }
    }
}
