import ErrorBus
import Foundation
import Histogram
import Synchronization

/// The process whose errors are presented: a node without presenters of its own.
struct Worker: Sendable {
    /// After this without an answer something is wrong, and there are no figures.
    private static let patience = Duration.seconds(30)

    private let node: Node
    private let clock = ContinuousClock()

    static let name: NodeName = "worker"

    /// - Parameter keys: For a link with keys.
    init(name: NodeName = Self.name, parent: Endpoint, keys: LinkKeys? = nil) {
        var parts = NodeParts(logger: .quiet)
        parts.keys = keys.map(KeyRing.init)
        node = Node(NodeSettings(name: name), parents: [parent], parts: parts)
    }

    func run() async throws { try await node.run() }

    /// Runs the node around `body`, and gives both up when they take too long.
    func whileRunning(_ body: @escaping @Sendable () async throws -> Row) async throws -> Row {
        try await limited(to: Self.patience) {
            try await withThrowingTaskGroup(of: Row?.self) { group in
                group.addTask {
                    try await node.run()
                    return nil
                }
                group.addTask { try await body() }
                defer { group.cancelAll() }
                guard let row = try await group.next() ?? nil else {
                    throw BenchFailure("the worker's node ended")
                }
                return row
            }
        }
    }

    /// The time each takes from the throw to the end of its recovery, in nanoseconds.
    func oneAtATime(count: Int, limit: Duration) async throws -> Histogram<UInt64> {
        var times = Histogram<UInt64>(
            highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
        let end = clock.now + limit
        for _ in 0..<count {
            let start = clock.now
            try await present()
            let now = clock.now
            let (seconds, attoseconds) = start.duration(to: now).components
            times.record(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
            if now >= end { break }
        }
        return times
    }

    /// How many come to their end per second while `inFlight` are under way.
    func manyAtATime(
        inFlight: Int, count: Int, limit: Duration
    ) async throws -> (ended: Int, perSecond: Double) {
        let begun = Counter()
        let start = clock.now
        let end = start + limit
        let ended = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<min(inFlight, count) {
                group.addTask {
                    var ended = 0
                    while clock.now < end, begun.next() <= count {
                        try await present()
                        ended += 1
                    }
                    return ended
                }
            }
            return try await group.reduce(0, +)
        }
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        let passed = Double(seconds) + Double(attoseconds) / 1e18
        return (ended, Double(ended) / passed)
    }

    /// What a service does when something fails: an error with choices, offered to the parent.
    func present(
        _ error: BookingError = BookingError(),
        _ stateChanged: @escaping @Sendable (PresentationState) -> Void = { _ in }
    ) async throws {
        let error = error.recoverable {
            RecoveryOption("Retry", id: "retry", role: .default) { true }
            RecoveryOption("Skip this invoice", id: "skip", role: .destructive) { false }
            RecoveryOption.cancel
        }
        var options = PresentationOptions()
        options.stateChanged = stateChanged
        let outcome = await node.chain.presentError(error, options: options)
        guard outcome.didRecover, outcome.answer?.option == "retry" else {
            throw BenchFailure("not answered by the policy: \(outcome)")
        }
    }
}

/// Runs `body`, and gives it up after `limit`.
func limited<Value: Sendable>(
    to limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: limit)
            throw BenchFailure("no end after \(limit)")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw BenchFailure("no end") }
        return value
    }
}

/// Numbers given out to many tasks, from 1.
private final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// An error of the usual size: its report is about 600 bytes of JSON.
struct BookingError: LocalizedError, CustomNSError {
    static let errorDomain = "bench.billing"

    var invoice = "INV-2026-000042"

    var errorCode: Int { 42 }
    var errorDescription: String? { "The invoice \(invoice) could not be booked." }
    var failureReason: String? { "The ledger at ledger.internal:7000 refused the connection." }
    var recoverySuggestion: String? { "Check that the ledger is running, then book it again." }
    var errorUserInfo: [String: Any] {
        ["invoice": invoice, "customer": "C-10042", "attempts": 3]
    }
}
