import ErrorBus

/// Scenes of ``Plan/wide`` about what people and callers have.
extension Plan {
    // MARK: Inboxes

    /// An inbox keeps little of what has ended. All of a child ends and comes back, twice; others
    /// have more that ends, the first time and then while that of the child stands.
    mutating func stageSmallInbox(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        let most = Int(random.number(10...20))
        inboxEndedMax = most
        storeFails = random.happens(0.3)
        abandonAfter = 500
        thinkingMax = 300_000
        chaosLasts = 65_000
        for time in [8_000, 20_000] as [UInt64] {
            faults.append((time, .kill("worker1", downFor: random.number(7_800...8_400))))
        }
        ask(8, in: 0...7_000, using: &random) { call, _ in call.worker = "worker1" }
        for number in 0..<most {
            let times: ClosedRange<UInt64> =
                number < most / 2 + 3 ? 12_000...13_000 : 30_000...60_000
            ask(number < most / 2 + 3 ? 2 : 8, in: times, using: &random) { call, random in
                call.worker = "worker2"
                call.cancelledAfter = random.number(900...2_000)
            }
        }
    }

    /// An inbox keeps very little of what has ended, and much comes and goes in it.
    mutating func stageFollowed(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        inboxEndedMax = Int(random.number(4...8))
        troubleCount = random.pick([1, 3, 6])
        thinkingMax = 6_000
        chaosLasts = 30_000
        for part in 0..<10 as Range<UInt64> {
            ask(6, in: part * 3_000...part * 3_000 + 2_999, using: &random) { call, random in
                guard random.happens(0.6) else { return }
                call.cancelledAfter = random.number(300...3_000)
            }
        }
    }

    /// A presenter restarts whose inbox has what it had, while answers can still be taken back.
    mutating func stageKeptInbox(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        keepsInbox = true
        manner = random.pick([.hesitant, .hesitant, .any])
        thinkingMax = 4_000
        chaosLasts = 40_000
        for time in [8_000, 18_000, 28_000] as [UInt64] {
            let downFor = random.number(100...1_000)
            faults.append((time, .kill(Plan.presenter, downFor: downFor)))
        }
        ask(24, in: 0...30_000, using: &random)
    }

    /// Secrets are given at one of two inboxes; or an answer with secrets is written while what it
    /// answers is given up and asked again.
    mutating func stageTwoScreens(using random: inout SeededGenerator) {
        if random.happens(0.5) {
            makeRow(random.pick([0, 1]))
            isCalm = true
            asksBoth = true
            thinkingMax = 5_000
            chaosLasts = 30_000
            ask(12, in: 0...30_000, using: &random)
        } else {
            makeRow(random.pick([0, 1]))
            let parent = processes[processes.count - 2].parents[0]
            abandonAfter = random.number(2_000...4_000)
            thinkingMax = 40_000
            let lasts = random.number(16_000...19_000)
            faults = [
                (12_000, .silence(link("worker1", parent), [.up, .down], lasts: lasts)),
                (22_000, .slowDisk(lasts: 14_000, latencyMax: 6_000)),
            ]
            chaosLasts = 36_000
            ask(30, in: 0...10_000, using: &random) { call, _ in call.worker = "worker1" }
        }
        asksForValues = true
    }

    /// What was passed on is answered in that moment.
    mutating func stageSecondThoughts(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        isCrowded = true
        hasSecondThoughts = true
        chaosLasts = 20_000
        ask(24, in: 0...20_000, using: &random)
    }

    /// The disk has lost what was put to people.
    mutating func stageDamaged(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = 5_000
        chaosLasts = 30_000
        damage = 5_000...random.number(10_000...20_000)
        ask(16, in: 0...30_000, using: &random)
    }

    /// Clients without a link wait, and their keys are revoked.
    mutating func stageRevoked(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        let parent = processes[processes.count - 2].parents[0]
        isCalm = true
        thinkingMax = 20_000
        chaosLasts = 30_000
        revocation = (random.number(9_000...15_000), parent)
        ask(14, in: 0...8_000, using: &random) { call, random in
            guard random.happens(0.7) else { return }
            call.worker = "bare"
            call.bareParent = parent
            call.isKept = false
        }
    }

    // MARK: Silences and rules

    /// What a silence answers fails again and again, until a person ends the silence.
    mutating func stageQuietRepeats(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        troubleCount = 1
        thinkingMax = 3_000
        chaosLasts = 80_000
        let end = random.number(15_000...75_000)
        feature = .silence(
            .init(trouble: 0, option: "retry", from: 500, lasts: 600_000, endedAt: end))
        ask(6, in: 1_000...8_000, using: &random) { call, random in
            call.isKept = false
            call.doesRecover = true
            call.repeats = Int(random.number(6...12))
        }
    }

    mutating func stageKeptSilences(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        keepsSilences = true
        chaosLasts = 20_000
        faults = [(10_000, .kill(Plan.presenter, downFor: random.number(100...2_000)))]
        ask(6, in: 0...20_000, using: &random)
    }

    /// A policy waits by chance, or adds the option that it chooses.
    mutating func stageOwnRules(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 30_000
        let isItsOwn = random.happens(0.5)
        feature = .policy(
            .init(
                trouble: 0, option: isItsOwn ? "fix" : "retry", count: 99, window: 1_000,
                delay: 500, jitter: isItsOwn ? 0 : 20_000, isItsOwn: isItsOwn))
        // People leave to itself what the policy does not decide.
        thinkingMax = isItsOwn ? 3_000 : 60_000
        ask(16, in: 0...30_000, attempts: [0, 300], using: &random) { call, random in
            guard !isItsOwn else { return }
            call.deadline = random.number(3_000...15_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    // MARK: Equal errors

    /// The node above is through with what climbs for a group, after some time.
    mutating func stageImpatient(using random: inout SeededGenerator) {
        makeRow(1)
        isCalm = true
        feature = .coalescing(at: "relay1")
        troubleCount = random.pick([1, 2])
        impatience = random.number(4_000...9_000)
        thinkingMax = 90_000
        chaosLasts = 40_000
        ask(24, in: 0...40_000, attempts: [0], using: &random) { call, _ in
            call.worker = "worker1"
        }
    }

    /// Equal errors come close upon each other where they arise; callers give up, and the time of
    /// some is over while others wait.
    mutating func stageFamily(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        isCrowded = random.happens(0.5)
        feature = .coalescing(at: "worker1")
        troubleCount = 1
        chaosLasts = 30_000
        thinkingMax = 60_000
        ask(24, in: 0...30_000, attempts: [0, 3_000], using: &random) { call, random in
            call.worker = "worker1"
            if random.happens(0.4) { call.cancelledAfter = random.number(500...6_000) }
            guard random.happens(0.7) else { return }
            call.deadline = random.number(6_000...12_000)
            call.onExpiry = random.pick([nil, "skip", "retry"])
        }
    }

    /// Errors that differ in what an option asks for are not equal.
    mutating func stageFields(using random: inout SeededGenerator) {
        makeRow(1)
        isCalm = true
        feature = .coalescing(at: "relay1")
        asksForValues = true
        hasOtherFields = true
        troubleCount = Trouble.allCases.count + 1
        thinkingMax = random.pick([4_000, 12_000])
        chaosLasts = 40_000
        ask(24, in: 0...40_000, attempts: [0, 300], using: &random) { call, _ in
            call.worker = "worker1"
        }
    }

    // MARK: Callers

    /// A recovery that may take long goes on when one begins that may not, and does.
    mutating func stageShortLimits(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 20_000
        thinkingMax = 2_000
        ask(4, in: 0...2_000, attempts: [40_000, 60_000], using: &random)
        ask(6, in: 5_000...20_000, attempts: [300, 60_000], using: &random) { call, random in
            call.limit = random.number(6_000...12_000)
        }
    }

    /// Callers with an option for expiry try once more, when no parent was there in time.
    mutating func stageSecondTry(using random: inout SeededGenerator) {
        makeRow(0)
        feature = .grace(1_500)
        triesTwice = true
        thinkingMax = 90_000
        chaosLasts = 12_000
        faults = [(5_000, .kill(Plan.presenter, downFor: random.number(3_000...5_000)))]
        ask(14, in: 4_500...8_000, using: &random) { call, random in
            call.isKept = false
            call.doesRecover = true
            call.repeats = 0
            call.deadline = random.number(12_000...25_000)
            call.onExpiry = random.pick([nil, "skip", "skip"])
        }
    }

    /// A process stands still when its time is over.
    mutating func stageLateDeadlines(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = 60_000
        chaosLasts = 40_000
        for time in [4_000, 20_000] as [UInt64] {
            faults.append((time, .freeze("worker1", lasts: random.number(4_000...7_000))))
        }
        ask(24, in: 0...22_000, using: &random) { call, random in
            call.worker = "worker1"
            call.deadline = random.number(1_000...6_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    // MARK: Refusals

    /// The presenter refuses all that comes by a relay, which acknowledges it before it knows.
    mutating func stageUnknownRelay(using random: inout SeededGenerator) {
        makeRow(2)
        isCalm = true
        isRelayUnknown = true
        chaosLasts = 20_000
        thinkingMax = 3_000
        ask(6, in: 1_000...20_000, using: &random)
    }

    /// One id for two reports, in two lives of a process and its relay. While the relay has the
    /// second before people of its own, it gets the answer to the first.
    mutating func stageIDsRelay(using random: inout SeededGenerator) {
        makeRow(1)
        isTight = true
        processes[1].presentsAfter = 1_000
        isDeskIdle = true
        thinkingMax = 8_000
        let first = Call(
            time: 5_000, worker: "worker1", isKept: false, attempt: 0, doesRecover: true)
        var second = first
        second.time = random.number(8_500...10_000)
        second.cancelledAfter = random.number(60_000...100_000)
        calls = [first, second]
        let lasts = random.number(12_000...30_000)
        faults = [
            (6_000, .silence(link("relay1", Plan.presenter), [.down], lasts: lasts)),
            (7_500, .kill("relay1", downFor: 300)), (7_500, .kill("worker1", downFor: 300)),
        ]
        chaosLasts = 37_000
        feature = .collision(0, 1)
    }
}
