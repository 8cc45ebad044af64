import ErrorBus

/// Worlds of an option of the presenter, recoveries above their limit, groups where errors arise,
/// late policies, proposals, and answers that are written too late.
extension Plan {
    /// By the seed modulo 128.
    static let last: [UInt64: [Scene]] = [
        3: [.topOption], 11: [.overrun], 19: [.ownGroup], 27: [.latePolicy], 35: [.proposals],
    ]

    mutating func stageLast(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .topOption: stageTopOption(using: &random)
        case .overrun: stageOverrun(using: &random)
        case .ownGroup: stageOwnGroup(using: &random)
        case .latePolicy: stageLatePolicy(using: &random)
        default: stageProposals(using: &random)
        }
    }

    /// The presenter has an option of its own, and is still at it when its child, which was given
    /// up a minute after it was lost, is back.
    private mutating func stageTopOption(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        isTight = true
        processes[0].addsOption = true
        copyAttempt = random.number(70_000...100_000)
        thinkingMax = 4_000
        let child = processes[processes.count - 2]
        let lasts = random.number(73_000...95_000)
        faults = [
            (8_000, .silence(link(child.name, child.parents[0]), [.up, .down], lasts: lasts))
        ]
        chaosLasts = 8_000 + lasts
        ask(10, in: 0...4_000, using: &random)
    }

    /// Recoveries take longer than they may, after others that did not.
    private mutating func stageOverrun(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        isPatient = true
        chaosLasts = 20_000
        thinkingMax = 2_000
        ask(5, in: 0...1_000, attempts: [0, 300], using: &random)
        ask(5, in: 10_000...20_000, attempts: [300, Plan.attemptMax + 40_000], using: &random)
    }

    /// Equal errors wait for one another where they arise.
    private mutating func stageOwnGroup(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        feature = .coalescing(at: "worker1")
        troubleCount = random.pick([1, 2])
        needsTwoPeople = random.happens(0.3)
        chaosLasts = 40_000
        thinkingMax = random.pick([8_000, 30_000])
        ask(24, in: 0...40_000, attempts: [0, 3_000], using: &random) { call, random in
            call.worker = "worker1"
            if random.happens(0.2) { call.cancelledAfter = random.number(500...12_000) }
            guard random.happens(0.5) else { return }
            call.deadline = random.number(1_000...10_000)
            call.onExpiry = random.pick([nil, "skip", "retry"])
        }
    }

    /// A policy waits for longer than some callers do.
    private mutating func stageLatePolicy(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 30_000
        thinkingMax = 1_500
        feature = .policy(
            .init(trouble: 0, option: "retry", count: 99, window: 1_000, delay: 12_000))
        ask(16, in: 0...30_000, attempts: [0, 300], using: &random) { call, random in
            guard random.happens(0.7) else { return }
            call.deadline = random.number(3_000...24_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    /// What needs two people is passed on to others, unless one has chosen it.
    private mutating func stageProposals(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        needsTwoPeople = true
        escalatesAfter = 6_000
        thinkingMax = random.pick([3_000, 20_000])
        chaosLasts = 30_000
        ask(12, in: 0...30_000, attempts: [0, 300], using: &random)
        if thinkingMax > 10_000 { proposalMax = random.pick([nil, 9_000, 9_000]) }
    }

    mutating func stageLateWrite(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        chaosLasts = 110_000
        thinkingMax = 90_000
        faults = [
            (
                20_000,
                .silence(
                    link("worker1", parent), [.up, .down], lasts: random.number(66_000...74_000))
            ),
            (84_000, .slowDisk(lasts: 12_000, latencyMax: 8_000)),
        ]
        ask(14, in: 0...10_000, using: &random)
    }

    /// How long a recovery may take.
    static let attemptMax: UInt64 = 600_000
}

extension Checker {
    static let ofLast = [attemptEnds, policyLeaves, redacted]

    static let attemptEnds = Checker(
        name: "attempt-ends", rule: "a recovery that takes longer than it may is over then (C6)"
    ) { ledger, _ in
        ledger.attempts.filter(\.isTooLong).compactMap { attempt in
            // A call that another one has replaced has given up.
            let asked = ledger.asks.last { $0.id == attempt.id && $0.life == attempt.life }
            guard let ask = asked, !ask.isLifeOver, ask.cancelled == nil else { return nil }
            if attempt.isEnded == false { return "\(attempt.id): goes on beyond its time" }
            guard let end = ask.completions.first else { return "\(attempt.id): no outcome" }
            return end.outcome.reason == .recoveryTimedOut
                && end.time <= attempt.time + attempt.limit + 1_000
                ? nil : "\(attempt.id): \(end.outcome) after \(end.time - attempt.time) ms"
        }
    }

    static let policyLeaves = Checker(
        name: "policy-leaves",
        rule: "what a policy could answer only after its deadline is put to people at once"
    ) { ledger, plan in
        guard plan.scene == .latePolicy, let policy = plan.policy else { return [] }
        return ledger.asks.filter { ask in
            guard ask.trouble == policy.trouble, let deadline = ask.deadline,
                deadline + 500 < ask.time + policy.delay
            else { return false }
            return !ledger.shown.contains { $0.id == ask.id && $0.time < ask.time + 1_000 }
        }.map { "\($0.id): not shown" }
    }
}

extension Forgery {
    static let ofLast = [
        Forgery(checker: "attempt-ends") { ledger, _ in
            guard let ask = ledger.asks.first(where: { !$0.isLifeOver && $0.cancelled == nil })
            else { return false }
            var attempt = Ledger.Attempt(
                id: ask.id, process: ask.worker, life: ask.life, option: "retry", time: ask.time)
            attempt.isTooLong = true
            ledger.attempts.append(attempt)
            return ask.completions.first?.outcome.reason != .recoveryTimedOut
        },
        Forgery(checker: "policy-leaves") { ledger, plan in
            guard plan.scene == .latePolicy else { return false }
            let early = ledger.asks.first { ask in
                ask.trouble == 0 && ask.deadline.map { $0 < ask.time + 10_000 } == true
            }
            guard let early else { return false }
            ledger.shown.removeAll { $0.id == early.id }
            return true
        },
        redacted,
    ]
}
