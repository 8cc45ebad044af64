import ArgumentParser
import ErrorBus
import Foundation
import Synchronization

/// Many presentations that are open while their presenter is killed and started again: how long
/// until all are in front of it once more; and what so many take in its memory.
struct Restart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open many presentations, restart their presenter, and print how long it takes.")

    /// After so many equal shares of all presentations the presenter's memory is read.
    private static let steps = 5

    @Option(help: "Presentations in all.")
    var count = 10_000
    @Option(help: "Worker nodes that present them.")
    var workers = 10
    @Option(help: "Seconds after which it gives up.")
    var seconds = 60
    @Option(help: "Where the row goes as JSON.")
    var json: String?

    func validate() throws {
        try checkRanges(
            ("count", count, Self.steps...1_000_000), ("workers", workers, 1...1_000),
            ("seconds", seconds, 1...3_600))
    }

    func run() async throws {
        let row = try await limited(to: .seconds(seconds)) { try await measure() }
        let text = """
            \(row.count) open while their presenter is killed and started again
              \(row.againSeconds) s from its start until all are presented again

            """
        FileHandle.standardError.write(Data(text.utf8))
        if let json { try JSONEncoder().encode(row).write(to: URL(filePath: json)) }
    }

    private func measure() async throws -> RestartRow {
        let presenter = try ServerProcess.start("central", holds: true)
        let crowd = Crowd(workers, parent: presenter.endpoint)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await crowd.run() }
            defer { group.cancelAll() }
            return try await measure(presenter, crowd)
        }
    }

    private func measure(_ presenter: ServerProcess, _ crowd: Crowd) async throws -> RestartRow {
        let stage = Stage()
        return try await withThrowingTaskGroup(of: Void.self) { presenting in
            var memory = [MemoryAtOpen(open: 0, presenterBytes: try presenter.resources().bytes)]
            for step in 1...Self.steps {
                let share = (count * (step - 1) / Self.steps)..<(count * step / Self.steps)
                let arrivals = stage.expect(.presented, share)
                presenting.addTask {
                    try await crowd.present(share) { stage.reached($0, $1.station) }
                }
                await arrivals.all()
                let bytes = try presenter.resources().bytes
                memory.append(MemoryAtOpen(open: share.upperBound, presenterBytes: bytes))
            }
            let lost = stage.expect(.unreachable, 0..<count)
            presenter.kill()
            await lost.all()
            let again = stage.expect(.presented, 0..<count)
            let clock = ContinuousClock()
            let start = clock.now
            let next = try ServerProcess.start("central", listen: presenter.endpoint, holds: true)
            await again.all()
            let time = clock.now - start
            // All are answered: none was lost on the way.
            try next.answerAll()
            try await presenting.waitForAll()
            next.stop()
            return RestartRow(count: count, againSeconds: time.inSeconds, presenterMemory: memory)
        }
    }
}

/// What ``Restart`` found.
private struct RestartRow: Encodable, Sendable {
    let name = "restart"
    let count: Int
    /// From the start of the presenter's new process to the last presentation that it presents.
    let againSeconds: Double
    let presenterMemory: [MemoryAtOpen]
}

/// The presenter's resident memory with so many open.
private struct MemoryAtOpen: Encodable, Sendable {
    let open: Int
    let presenterBytes: Double
}

/// The station that presentations are expected to reach.
private final class Stage: Sendable {
    private let expected = Mutex<(PresentationState.Station, Arrivals)?>(nil)

    /// - Returns: Those of `numbers` that will have reached it.
    func expect(_ station: PresentationState.Station, _ numbers: Range<Int>) -> Arrivals {
        let arrivals = Arrivals(awaited: numbers)
        expected.withLock { $0 = (station, arrivals) }
        return arrivals
    }

    func reached(_ number: Int, _ station: PresentationState.Station) {
        guard let (expected, arrivals) = expected.withLock({ $0 }), station == expected else {
            return
        }
        arrivals.arrived(number)
    }
}
