import ErrorBus

extension Plan {
    /// What a child asks waits behind the equal errors of another one, and meanwhile the child is
    /// lost. Then the callers of the other one give up, and what waited goes up: as of an origin
    /// that cannot be reached, which people read until it is back.
    mutating func stageLostBehind(using random: inout SeededGenerator) {
        makeRow(1)
        processes[processes.count - 1] = Process(name: "worker2", parents: ["relay1"])
        feature = .coalescing(at: "relay1")
        troubleCount = 2 * Trouble.allCases.count
        thinkingMax = 250_000
        // Lost 12 s later, and back before a minute after that it is given up.
        let lasts = random.number(50_000...58_000)
        faults = [(10_000, .silence(link("worker1", "relay1"), [.up, .down], lasts: lasts))]
        chaosLasts = 10_000 + lasts
        for number in 0..<UInt64(troubleCount) {
            calls.append(
                Call(
                    time: 2_000 + number * 500, worker: "worker2",
                    cancelledAfter: random.number(24_000...34_000), isKept: false, attempt: 0,
                    doesRecover: true))
        }
        for number in 0..<UInt64(troubleCount) {
            calls.append(
                Call(
                    time: 6_000 + number * 500, worker: "worker1", isKept: true,
                    attempt: random.pick([0, 300]), doesRecover: random.happens(0.7)))
        }
    }
}
