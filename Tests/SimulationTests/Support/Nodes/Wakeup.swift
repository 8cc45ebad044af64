@testable import ErrorBus

/// Wakes a machine when it is due, and notices one that is due again and again at once.
final class Wakeup {
    private unowned let node: SimulatedNode
    private var planned: UInt64?
    /// Counts the plans, so that one that was replaced does nothing.
    private var number = 0
    private var spins = 0
    private let tick: () -> Void

    init(_ node: SimulatedNode, tick: @escaping () -> Void) {
        self.node = node
        self.tick = tick
    }

    func plan(_ due: MonotonicTime?) {
        guard let due else { return }
        let delay = due.since(node.world.time)
        let time = node.world.now + delay
        if let planned, planned <= time { return }
        wake(after: delay)
    }

    private func wake(after delay: UInt64) {
        planned = node.world.now + delay
        number += 1
        let mine = number
        node.after(delay) { [self] in
            guard number == mine else { return }
            planned = nil
            tick()
        }
    }

    /// After each tick.
    func ticked(nextDue: MonotonicTime?) {
        guard let nextDue, nextDue <= node.world.time else { return spins = 0 }
        spins += 1
        guard spins > 5 else { return }
        node.world.ledger.note(.spinning(node.name))
        // Virtual time must go on.
        wake(after: 1_000)
    }
}
