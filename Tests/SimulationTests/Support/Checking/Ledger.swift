@testable import ErrorBus

/// The event log of one run.
final class Ledger {
    struct Line: Sendable {
        let time: UInt64
        let fact: Fact
    }

    private(set) var lines: [Line] = []
    private let now: () -> UInt64
    private let trace: (String) -> Void

    init(now: @escaping () -> UInt64, trace: @escaping (String) -> Void) {
        self.now = now
        self.trace = trace
    }

    func note(_ fact: Fact) {
        lines.append(Line(time: now(), fact: fact))
        trace("# \(fact)")
    }
}
