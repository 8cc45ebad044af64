import ErrorBus

extension Plan {
    /// A policy answers only so many in so long, and what it is about comes more often than that,
    /// all the time.
    mutating func stageKeepComing(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        troubleCount = 1
        thinkingMax = 3_000
        chaosLasts = 80_000
        feature = .policy(
            .init(
                trouble: 0, option: random.pick(["retry", "skip"]),
                count: Int(random.number(1...3)), window: 10_000, delay: 0))
        for number in 0..<30 as Range<UInt64> {
            calls.append(
                Call(
                    time: 3_000 + number * 2_500 + random.number(0...1_000),
                    worker: random.happens(0.9) ? "worker1" : "worker2", isKept: true,
                    attempt: random.pick([0, 300]), doesRecover: random.happens(0.7)))
        }
    }
}

extension Ledger {
    /// Whether a policy has given fewer answers than it may at the time of an asking, besides the
    /// one to that: what people were not asked about it has answered.
    fileprivate func isBelowLimit(_ ask: Ask, of policy: Feature.Policy) -> Bool {
        let used = asks.count { other in
            other.id != ask.id && other.worker == ask.worker
                && other.time < ask.time + 500
                && other.time + policy.window + 500 > ask.time
                && !shown.contains { $0.id == other.id }
        }
        return used < policy.count
    }
}

extension Checker {
    static let limitOpens = Checker(
        name: "limit-opens",
        rule: "a policy answers again once its answers are old enough, whatever else came meanwhile"
    ) { ledger, plan in
        guard plan.scene == .keepComing, let policy = plan.policy else { return [] }
        return ledger.asks.filter { ask in
            ledger.shown.contains { $0.id == ask.id } && ledger.isBelowLimit(ask, of: policy)
        }.map { "\($0.id): shown, and the policy may answer it" }
    }
}

extension Forgery {
    static let limitOpens = Forgery(checker: "limit-opens") { ledger, plan in
        guard plan.scene == .keepComing, let policy = plan.policy,
            let shown = ledger.shown.first,
            let ask = ledger.asks.first(where: { ask in
                !ledger.shown.contains { $0.id == ask.id } && ledger.isBelowLimit(ask, of: policy)
            })
        else { return false }
        ledger.shown.append(
            Ledger.Shown(
                id: ask.id, presenter: "duty", time: ask.time, origin: shown.origin,
                path: shown.path, options: shown.options, onExpiry: nil, deadline: nil))
        return true
    }
}
