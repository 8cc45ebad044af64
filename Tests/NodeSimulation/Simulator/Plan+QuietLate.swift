import ErrorBus

extension Plan {
    /// Operations fail again and again, and some have done so often when a silence begins that
    /// withholds what they report.
    mutating func stageQuietLate(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        troubleCount = 1
        // They do not answer groups, whose members would all end alike.
        manner = .hesitant
        thinkingMax = 1_000
        chaosLasts = 50_000
        feature = .silence(
            .init(trouble: 0, option: nil, from: 40_000, lasts: 600_000, endedAt: nil))
        for number in 0..<100 as Range<UInt64> {
            calls.append(
                Call(
                    time: 1_000 + number * 350, worker: "worker1", isKept: false, attempt: 0,
                    doesRecover: true, repeats: 12))
        }
    }

    /// Whether a silence is to withhold what has failed often.
    fileprivate func isToBeWithheld(_ ask: Ledger.Ask) -> Bool {
        guard scene == .quietLate, let silencing else { return false }
        return ask.retryCount > 2 && ask.time > start + silencing.from + 500
    }
}

extension Checker {
    static let withheldAtOnce = Checker(
        name: "withheld-at-once",
        rule: "what a silence withholds it withholds at once, however often it has failed"
    ) { ledger, plan in
        ledger.asks.filter(plan.isToBeWithheld).compactMap { ask in
            guard let end = ask.completions.first else { return "\(ask.id): not withheld" }
            return end.outcome.reason == .withheld && end.time <= ask.time + 700
                ? nil
                : "\(ask.id): \(end.outcome) \(end.time - ask.time) ms after failure "
                    + "\(ask.retryCount)"
        }
    }
}

extension Forgery {
    static let withheldAtOnce = Forgery(checker: "withheld-at-once") { ledger, plan in
        change(
            &ledger.asks, where: { plan.isToBeWithheld($0) && !$0.completions.isEmpty }
        ) { $0.completions[0].time = $0.time + 5_000 }
    }
}
