import ErrorBus
import Synchronization

/// Worker nodes that present many errors at once.
struct Crowd: Sendable {
    private let nodes: [Worker]

    /// - Parameter parent: Of each of them.
    /// - Parameter prefix: Of their names, which no other crowd at this bus has.
    init(_ count: Int, prefix: String = "worker", parent: Endpoint) {
        nodes = (1...count).compactMap { NodeName("\(prefix)\($0)") }
            .map { Worker(name: $0, parent: parent) }
    }

    /// Runs all nodes until it is cancelled.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes { group.addTask { try await node.run() } }
            try await group.waitForAll()
        }
    }

    /// Presents as many errors as there are numbers, each node its share, and returns once all have
    /// ended.
    ///
    /// - Parameter kinds: How many different errors there are; equal ones are a group at a console.
    /// - Parameter stateChanged: Called with the number and the new state of a presentation.
    func present(
        _ numbers: Range<Int>, kinds: Int = 1,
        _ stateChanged: @escaping @Sendable (Int, PresentationState) -> Void
    ) async throws {
        // A group for each node: to find a task that has ended, a group looks through all others.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, node) in nodes.enumerated() {
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in numbers where number % nodes.count == place {
                            let error = BookingError(
                                invoice: "INV-2026-\(100_042 + number % kinds)")
                            group.addTask {
                                try await node.present(error) { stateChanged(number, $0) }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The presentations that have reached a station, by number.
final class Arrivals: Sendable {
    private let missing: Mutex<Set<Int>>
    private let gate = Gate()

    init(awaited numbers: Range<Int>) {
        missing = Mutex(Set(numbers))
        if numbers.isEmpty { gate.open() }
    }

    func arrived(_ number: Int) {
        let isLast = missing.withLock { $0.remove(number) != nil && $0.isEmpty }
        if isLast { gate.open() }
    }

    func all() async { await gate.opened() }
}
