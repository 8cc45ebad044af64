import ErrorBus

/// Scenes in which things come close upon each other: see ``Scene/close``.
extension Plan {
    mutating func stageClose(_ scene: Scene, using random: inout SeededGenerator) {
        isCrowded = true
        switch scene {
        case .crowd: stageCrowd(using: &random)
        case .pastParent: stagePastParent(using: &random)
        case .reopened: stageReopened(using: &random)
        case .ownOption: stageOwnOption(using: &random)
        case .breath: stageBreath(using: &random)
        case .claims: stageClaims(using: &random)
        case .restless: stageRestless(using: &random)
        case .tooLate: stageTooLate(using: &random)
        case .longGone: stageLongGone(using: &random)
        case .busyReturn: stageBusyReturn(using: &random)
        case .silenced: stageSilenced(using: &random)
        case .ruled: stageRuled(using: &random)
        default: stageIDsApart(using: &random)
        }
    }

    private mutating func stageCrowd(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        isCalm = true
        feature = .coalescing(at: "relay1")
        troubleCount = random.pick([1, 2])
        chaosLasts = 60_000
        thinkingMax = random.pick([8_000, 40_000])
        ask(40, in: 0...60_000, attempts: [0, 3_000], using: &random) { call, random in
            call.worker = "worker1"
            if random.happens(0.6) { call.cancelledAfter = random.number(500...12_000) }
            guard random.happens(0.2) else { return }
            call.deadline = random.number(1_000...10_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }

    private mutating func stagePastParent(using random: inout SeededGenerator) {
        makePair()
        thinkingMax = 120_000
        let lasts = random.number(80_000...140_000)
        let above = link("relay1", Plan.presenter)
        faults = [
            // Welcomed by a relay that has its way up by then.
            (3_000, .kill("worker1", downFor: 500)),
            (10_000, .silence(above, [.up, .down], lasts: lasts)),
        ]
        chaosLasts = 10_000 + lasts
        ask(16, in: 5_000...60_000, using: &random)
    }

    /// The way back is put off ten times for what is carried out, which a policy has chosen.
    private mutating func stageBusyReturn(using random: inout SeededGenerator) {
        makePair()
        processes.removeLast()
        isTight = true
        isPatient = true
        thinkingMax = 480_000
        feature = .policy(.init(trouble: 0, option: "retry", count: 9, window: 1_000, delay: 0))
        faults = [(8_000, .silence(link("worker1", "relay1"), [.up, .down], lasts: 15_000))]
        chaosLasts = 25_000
        ask(12, in: 0...25_000, using: &random) { call, _ in call.worker = "worker1" }
        for index in calls.indices where index % troubleCount == 0 {
            calls[index].attempt = 420_000
        }
    }

    /// An answer is given up as undelivered, then by who asked, and in between its presenter
    /// restarts.
    private mutating func stageLongGone(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        thinkingMax = 15_000
        faults = [
            (12_000, .silence(link("worker1", Plan.presenter), [.up, .down], lasts: 290_000)),
            (295_000, .kill(Plan.presenter, downFor: 500)),
        ]
        chaosLasts = 302_000
        ask(12, in: 0...11_000, using: &random) { call, random in
            call.worker = "worker1"
            call.cancelledAfter = random.number(15_000...280_000)
        }
    }

    private mutating func stageSilenced(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        chaosLasts = 60_000
        // So that many are silenced.
        troubleCount = 2
        let lasts = random.number(20_000...35_000)
        feature = .silence(
            .init(
                trouble: random.index(below: troubleCount),
                option: random.pick([nil, nil, "retry", "skip"]), from: 10_000, lasts: lasts,
                endedAt: random.happens(0.3) ? 20_000 : nil))
        ask(24, in: 0...60_000, using: &random) { call, random in
            guard random.happens(0.3) else { return }
            call.deadline = 60_000
            call.onExpiry = random.pick(["retry", "skip"])
        }
    }

    private mutating func stageRuled(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = random.happens(0.5)
        chaosLasts = 60_000
        troubleCount = 2
        let delay: UInt64 = 1_500
        feature = .policy(
            .init(
                trouble: 0, option: "retry", count: Int(random.number(2...4)), window: 30_000,
                delay: delay))
        if !isCalm { faults = [(0, .slowDisk(lasts: chaosLasts, latencyMax: 1_000))] }
        let isSlow = !isCalm
        ask(14, in: 0...50_000, using: &random) { call, random in
            if random.happens(0.5) {
                call.cancelledAfter = random.number(300...delay + (isSlow ? 4_000 : 0))
            } else if random.happens(0.5) {
                call.deadline = random.number(300...2 * delay)
            }
        }
    }

    /// On a slow link messages come in one go.
    private mutating func stageReopened(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        weather.delayMax = 1_500
        if random.happens(0.5) { feature = .asksOnce } else { processes[1].addsOption = true }
        // Lost within 4 s, given up a minute later, and said above two seconds after that; or there
        // again before it is missed.
        let lasts = random.happens(0.4) ? 300 : random.number(60_000...67_000)
        faults = [(20_000, .kill("worker1", downFor: lasts))]
        chaosLasts = 20_000 + lasts
        thinkingMax = 300_000
        isPatient = true
        ask(24, in: 0...18_000, using: &random)
    }

    private mutating func stageOwnOption(using random: inout SeededGenerator) {
        makePair()
        processes[1].addsOption = true
        copyAttempt = random.number(20_000...60_000)
        thinkingMax = 10_000
        let first = link("worker1", "relay1")
        let time: UInt64 = 20_000
        faults = [(time, .silence(first, [.up, .down], lasts: random.number(15_000...60_000)))]
        chaosLasts = 80_000
        ask(16, in: 0...15_000, using: &random) { call, random in
            // Before the link is found to be lost: its giving up is first said by the other.
            call.cancelledAfter = time + random.number(500...6_000) - call.time
        }
    }

    private mutating func stageBreath(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        weather.delayMax = 1_500
        // Also while a child is out of reach, and in the minute after that.
        thinkingMax = random.pick([30_000, 200_000])
        let children = processes.map(\.name).filter { $0 != Plan.presenter }
        for number in 0..<6 {
            let lasts = random.number(10_000...12_500)
            // An answer that is not sent afterwards is missed before the next.
            faults.append(
                (UInt64(number + 1) * 50_000, .freeze(random.pick(children), lasts: lasts)))
        }
        chaosLasts = 320_000
        ask(60, in: 0...310_000, using: &random)
    }

    private mutating func stageClaims(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        manner = .claiming
        escalatesAfter = random.pick([4_000, 8_000])
        thinkingMax = 60_000
        chaosLasts = 60_000
        ask(12, in: 0...60_000, using: &random)
    }

    private mutating func stageRestless(using random: inout SeededGenerator) {
        makeRow(1)
        manner = .restless
        chaosLasts = 33_000
        thinkingMax = 150_000
        faults = [(20_000, .kill("worker1", downFor: random.pick([300, 80_000])))]
        ask(8, in: 0...15_000, using: &random) { call, _ in call.worker = "worker1" }
        // The relay asks for the first time, and then says that it has lost who asked.
        for number in calls.indices {
            let above = link("relay1", Plan.presenter)
            ambushes.append(Ambush("PRESENT", calls.count + number + 1, on: above, .lost))
        }
    }

    private mutating func stageTooLate(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        manner = .late
        asksBoth = true
        chaosLasts = 30_000
        thinkingMax = 20_000
        ask(20, in: 0...30_000, using: &random) { call, random in
            if random.happens(0.5) { call.deadline = random.number(1_000...9_000) }
        }
    }

    private mutating func stageIDsApart(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        thinkingMax = random.pick([1_000, 20_000])
        chaosLasts = 30_000
        let first = Call(
            time: 5_000, worker: "worker1", isKept: false, attempt: 0, doesRecover: true)
        var second = first
        second.time = 12_000
        calls = [first, second]
        for name in processes.map(\.name) where name != "worker2" {
            faults.append((random.number(8_500...9_000), .kill(name, downFor: 500)))
        }
        feature = .collision(0, 1)
    }
}
