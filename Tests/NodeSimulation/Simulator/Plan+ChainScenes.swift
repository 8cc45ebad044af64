import ErrorBus

/// Worlds for what a chain does with its presenters, its callers, its equal errors and its end.
extension Plan {
    /// By the seed modulo 512.
    static let chained: [UInt64: Scene] = [
        21: .oneDeclines, 37: .callersGiveUp, 45: .relayGrace, 53: .slowFirst, 61: .stoppedChain,
        69: .lastInstant, 85: .oneDeclines, 93: .callersGiveUp, 101: .relayGrace, 109: .slowFirst,
        117: .stoppedChain, 125: .lastInstant, 184: .bothClaim, 440: .bothClaim,
    ]

    mutating func stageChain(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .oneDeclines: stageOneDeclines(using: &random)
        case .callersGiveUp: stageCallersGiveUp(using: &random)
        case .relayGrace: stageRelayGrace(using: &random)
        case .slowFirst: stageSlowFirst(using: &random)
        case .bothClaim: stageBothClaim(using: &random)
        case .stoppedChain: stageStoppedChain(using: &random)
        default: stageLastInstant(using: &random)
        }
    }

    /// Two presenters are asked at once, and one of them declines or fails.
    private mutating func stageOneDeclines(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        asksBoth = true
        let way = random.pick([Decliner.Way.declines, .declines, .neglects])
        let after = random.pick([0, random.number(1...3_000)])
        decliner =
            way == .neglects
            ? Decliner(name: "duty", way: way, after: 1_500 + after)
            : Decliner(name: random.pick(["duty", "boss"]), way: way, after: after)
        thinkingMax = 6_000
        chaosLasts = 30_000
        ask(20, in: 0...30_000, using: &random) { call, random in
            if random.happens(0.15) { call.cancelledAfter = random.number(1_000...10_000) }
            guard random.happens(0.2) else { return }
            call.deadline = random.number(3_000...12_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    /// Callers whose operations a recovery repeats give up: while they wait, while something is
    /// carried out, just as it has been, and while the operation runs again.
    private mutating func stageCallersGiveUp(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        thinkingMax = 3_000
        chaosLasts = 40_000
        let attempts: [UInt64] = [0, 300, 2_000, 5_000]
        ask(14, in: 0...40_000, attempts: attempts, using: &random) { call, random in
            call.isKept = false
            call.doesRecover = true
            call.repeats = Int(random.number(2...6))
            call.operationLasts = random.pick([nil, 500, 2_000])
            if random.happens(0.4) {
                call.cancelledAtAttempt = Int(random.number(1...2))
            } else if random.happens(0.5) {
                call.operationLasts = 500
                call.cancelledAtRepetition = 1
            } else {
                call.cancelledAfter = random.number(10...15_000)
            }
        }
    }

    /// A relay with a chain bears the loss of its parent for a moment only, and its children for as
    /// long as it lasts.
    private mutating func stageRelayGrace(using random: inout SeededGenerator) {
        makeRow(1)
        hasRelayChains = true
        relayGrace = random.number(500...3_000)
        thinkingMax = 40_000
        let lasts = random.number(24_000...40_000)
        let above = link("relay1", Plan.presenter)
        let silence = Fault.silence(above, [.up, .down], lasts: lasts)
        faults = [(8_000, random.pick([silence, .kill(Plan.presenter, downFor: lasts)]))]
        chaosLasts = 10_000 + lasts
        ask(14, in: 0...30_000, using: &random) { call, random in
            call.worker = random.happens(0.7) ? "worker1" : "relay1"
        }
    }

    /// Of equal errors the first one's recovery lasts, while the time of others goes by.
    private mutating func stageSlowFirst(using random: inout SeededGenerator) {
        let relayCount = random.pick([0, 1])
        makeRow(relayCount)
        isCalm = true
        feature = .coalescing(at: relayCount == 0 ? "worker1" : "relay1")
        troubleCount = random.pick([1, 2])
        thinkingMax = random.pick([4_000, 10_000])
        chaosLasts = 40_000
        let attempts: [UInt64] = [0, 9_000, 25_000]
        ask(26, in: 0...40_000, attempts: attempts, using: &random) { call, random in
            call.worker = "worker1"
            if random.happens(0.2) { call.cancelledAfter = random.number(500...12_000) }
            guard random.happens(0.5) else { return }
            call.deadline = random.number(3_000...15_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    /// A node stops in order while its people have much in front of them: the presenter, or a relay
    /// that has lost it.
    private mutating func stageStoppedChain(using random: inout SeededGenerator) {
        hasRelayChains = true
        if random.happens(0.6) {
            makeRow(random.pick([0, 1]))
            let stopped = random.pick([Plan.presenter, processes[1].name])
            faults = [
                (12_000, .stop(Plan.presenter, downFor: random.number(200...3_000))),
                (26_000, .stop(stopped, downFor: random.number(200...3_000))),
            ]
            thinkingMax = 40_000
            chaosLasts = 32_000
            ask(16, in: 0...28_000, attempts: [0, 300, 3_000], using: &random)
            return
        }
        makeRow(1)
        processes[1].presentsAfter = 1_000
        isDeskIdle = true
        thinkingMax = 40_000
        let lasts = random.number(30_000...40_000)
        let above = link("relay1", Plan.presenter)
        faults = [
            (6_000, .silence(above, [.up, .down], lasts: lasts)),
            (random.number(21_000...23_000), .stop("relay1", downFor: 300)),
        ]
        chaosLasts = 8_000 + lasts
        ask(12, in: 0...6_000, using: &random) { call, random in
            call.worker = "worker1"
            call.cancelledAfter = random.number(100_000...150_000)
        }
    }

    /// People take their answers back in the moment in which the time is over, and they count.
    private mutating func stageLastInstant(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        isCrowded = true
        asksBoth = random.happens(0.3)
        manner = .hesitant
        undoesAtDeadline = true
        thinkingMax = 1_500
        chaosLasts = 30_000
        ask(24, in: 0...30_000, using: &random) { call, random in
            call.deadline = random.number(2_000...6_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }
}

extension People {
    /// An answer is to be taken back as the time is over: before that, or when it counts already.
    func undoAtDeadline(of id: PresentationID) {
        guard let deadline = (try? inbox.item(id))?.deadline else { return }
        // Whole milliseconds, to the last.
        let left = (deadline - .now).components
        let pause = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
        guard pause >= 0 else { return }
        world.scheduler.after(UInt64(pause)) { [self] in undoSoon(id, delays: 4) }
    }

    /// Now, or after some of what else is due in this moment.
    private func undoSoon(_ id: PresentationID, delays: Int) {
        guard delays > 0, world.scheduler.random.happens(0.5) else { return undo(id) }
        world.scheduler.after(0) { [self] in undoSoon(id, delays: delays - 1) }
    }
}
