import ErrorBus

extension Plan {
    /// Nodes keep what a lost child asked for longer than a lease, and a child is away for longer
    /// than that as well.
    mutating func stageLongLost(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        abandonAfter = 260_000
        thinkingMax = 400_000
        let lasts = random.number(200_000...220_000)
        faults = [(10_000, .silence(link("worker1", parent), [.up, .down], lasts: lasts))]
        chaosLasts = 10_000 + lasts
        ask(6, in: 60_000...150_000, using: &random) { call, _ in call.worker = "worker2" }
        for number in 0..<12 as Range<UInt64> {
            calls.append(
                Call(
                    time: 2_000 + number * 500, worker: "worker1", isKept: true,
                    attempt: random.pick([0, 300]), doesRecover: random.happens(0.7)))
        }
        calls.sort { $0.time < $1.time }
    }

    /// From when to when a child is away whose presentations are kept.
    fileprivate var longLoss: (since: UInt64, until: UInt64)? {
        guard scene == .longLost, case (let time, .silence(_, _, let lasts?))? = faults.first
        else { return nil }
        return (start + time, start + time + lasts)
    }
}

extension Ledger {
    /// Whether people had it before its child was lost, and did not answer it by `time`.
    fileprivate func isKept(_ shown: Shown, since loss: UInt64, by time: UInt64) -> Bool {
        let ask = asks.first { $0.id == shown.id }
        return ask?.worker == "worker1" && shown.time < loss
            && !decisions.contains { $0.id == shown.id && $0.time <= time + 1_000 }
            && !given.contains { $0.id == shown.id && !$0.isUndone && $0.time <= time }
    }
}

extension Checker {
    static let lostKept = Checker(
        name: "lost-kept",
        rule: "what a lost child asked stays in front of people for as long as is stated"
    ) { ledger, plan in
        guard let loss = plan.longLoss else { return [] }
        return ledger.shown.compactMap { shown in
            guard let hidden = shown.hidden, loss.since + 1_000 < hidden, hidden < loss.until,
                ledger.isKept(shown, since: loss.since, by: hidden)
            else { return nil }
            return "\(shown.id): taken from \(shown.presenter) \(hidden - loss.since) ms after "
                + "its child was lost"
        }
    }
}

extension Forgery {
    static let lostKept = Forgery(checker: "lost-kept") { ledger, plan in
        guard let loss = plan.longLoss else { return false }
        let known = ledger
        return change(
            &ledger.shown,
            where: { shown in
                (shown.hidden ?? .max) >= loss.until
                    && known.isKept(shown, since: loss.since, by: loss.until)
            }
        ) { $0.hidden = loss.since + 190_000 }
    }
}
