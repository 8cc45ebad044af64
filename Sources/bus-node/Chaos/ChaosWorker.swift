import ErrorBus
import Foundation

/// Presents a worker's share of errors, evenly over the run. Started again after its death it goes
/// on where its log ends.
struct ChaosWorker: Sendable {
    /// Presentations that wait for their answers at a time.
    private static let openMax = 256

    let name: NodeName
    let node: Node
    let log: ChaosLog
    /// How many to present in all lives together.
    let share: Int
    /// How many were presented by earlier lives.
    let done: Int
    /// When the run began, on the clock of ``uptime``.
    let start: Duration
    /// How long the presenting goes on.
    let window: Duration
    let seed: UInt64

    /// The time since this machine's start: the same clock in every process of a run.
    static var uptime: Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var openCount = 0
            for number in min(done, share)..<share {
                let due = start + window * number / share
                let rest = due - Self.uptime
                if rest > .zero { try await Task.sleep(for: rest) }
                try Task.checkCancellation()
                if openCount >= Self.openMax {
                    try await group.next()
                    openCount -= 1
                }
                openCount += 1
                group.addTask { await present(number) }
            }
            try await group.waitForAll()
        }
    }

    private func present(_ number: Int) async {
        let id = PresentationID.make()
        var random = SeededGenerator(
            seed: seed, part: "\(name) \(number)")
        let pause = random.duration(in: .zero...(.milliseconds(20)))
        let recovers = random.happens(0.5)
        let error = ChaosError(worker: name.description, number: number).recoverable {
            RecoveryOption("Retry", id: "retry") { try await attempt(id, "retry", pause, recovers) }
            RecoveryOption("Skip", id: "skip") { try await attempt(id, "skip", pause, true) }
            RecoveryOption("Cancel", id: "cancel", role: .cancel) {
                try await attempt(id, "cancel", .zero, false)
            }
        }
        var options = PresentationOptions()
        options.id = id
        _ = await node.chain.presentError(error, options: options)
    }

    private func attempt(
        _ id: PresentationID, _ option: String, _ pause: Duration, _ recovers: Bool
    ) async throws -> Bool {
        log.record(.attempt, id, ["option": option])
        try await Task.sleep(for: pause)
        return recovers
    }
}
