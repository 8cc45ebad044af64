import ErrorBus

/// Worlds for what needs several things at a time to go wrong.
extension Plan {
    /// Of every sixteen seeds two, where no other scene has their place.
    static func isRare(_ seed: UInt64) -> Bool { [0, 7].contains(seed % 16) }

    static let rare: [Scene] = [
        .nearMiss, .nearMiss, .nearMiss, .nearMiss, .stalePath, .stalePath, .lostResult,
        .lostResult, .givenUp, .givenUp, .equals, .lastMoment,
    ]

    mutating func stageRare(_ scene: Scene, using random: inout SeededGenerator) {
        switch scene {
        case .nearMiss: stageNearMiss(using: &random)
        case .stalePath: stageStalePath(using: &random)
        case .lostResult: stageLostResult(using: &random)
        case .equals: stageEquals(using: &random)
        case .givenUp: stageGivenUp(using: &random)
        default: stageLastMoment(using: &random)
        }
    }

    /// On a slow link a child is away for as long as its parent bears that, and the parent hears of
    /// it again before the child has lost the parent.
    private mutating func stageNearMiss(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        weather.delayMax = 1_500
        thinkingMax = random.pick([10_000, 40_000])
        let children = processes.map(\.name).filter { $0 != Plan.presenter }
        for number in 0..<7 {
            // Each has last heard of the other some seconds before.
            let lasts = random.number(7_000...12_500)
            faults.append(
                (UInt64(number + 1) * 40_000, .freeze(random.pick(children), lasts: lasts)))
        }
        chaosLasts = 320_000
        ask(90, in: 0...chaosLasts, using: &random)
    }

    /// What is asked by two paths, of which one has lost the origin, and the other is away when the
    /// answer comes.
    private mutating func stageStalePath(using random: inout SeededGenerator) {
        makePair()
        isTight = true
        faults = [(5_000, .silence(link("worker1", "relay1"), [.down], lasts: nil))]
        if random.happens(0.5) {
            thinkingMax = 60_000
            chaosLasts = 60_000
            // It asks once more, and then is no longer there.
            let time = random.number(17_500...24_500)
            faults.append((time, .reset(link("relay1", Plan.presenter))))
            faults.append((time + random.number(2_000...12_000), .kill("relay1", downFor: forGood)))
        } else {
            weather.delayMax = 1_500
            thinkingMax = 90_000
            chaosLasts = 90_000
            for from in [UInt64(33_000), 62_000] {
                let time = random.number(from...from + 6_000)
                faults.append((time, .freeze("relay2", lasts: random.number(11_000...13_500))))
            }
        }
        ask(30, in: 0...5_000, using: &random)
    }

    /// Nodes above restart while options are carried out, and their results are lost on the way.
    private mutating func stageLostResult(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        isTight = true
        chaosLasts = 60_000
        thinkingMax = 3_000
        let above = processes.map(\.name).filter { !$0.hasPrefix("worker") }
        for name in above where random.happens(0.7) {
            let downFor = random.number(1_000...5_000)
            faults.append((random.number(18_000...22_000), .kill(name, downFor: downFor)))
        }
        for link in links where random.happens(0.8) {
            ambushes.append(Ambush("SETTLED", random.pick([1, 1, 2]), on: link, .lost))
            ambushes.append(Ambush(random.pick(["OK", "SETTLED"]), 3, on: link, .lost))
        }
        ask(8, in: 5_000...14_000, attempts: [0, 12_000, 20_000, 30_000], using: &random)
        guard random.happens(0.5) else { return }
        forgets = true
        chaosLasts = 90_000
        faults.append((random.number(75_000...80_000), .kill(Plan.presenter, downFor: 1_000)))
        faults.append((random.number(74_000...90_000), .kill("worker1", downFor: 3_000)))
    }

    private mutating func stageGivenUp(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 1, 2]))
        isTight = true
        let parent = processes[processes.count - 2].parents[0]
        // Lost after 12 s, given up a minute later, and said above two seconds after that.
        let lasts = random.number(74_000...90_000)
        faults = [(16_000, .silence(link("worker1", parent), [.up, .down], lasts: lasts))]
        chaosLasts = 16_000 + lasts
        thinkingMax = random.number(80_000...100_000)
        ask(24, in: 0...14_000, using: &random)
    }

    private mutating func stageLastMoment(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 2]))
        isCalm = true
        manner = .hesitant
        chaosLasts = 40_000
        thinkingMax = 4_000
        ask(16, in: 0...40_000, using: &random) { call, random in
            call.deadline = random.number(2_000...9_000)
            call.onExpiry = random.pick([nil, "skip", "retry"])
        }
    }

    /// Equal errors wait for one another, and so do some that differ in a title alone.
    private mutating func stageEquals(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        isCalm = true
        feature = .coalescing(at: "relay1")
        troubleCount = 2 * Trouble.allCases.count
        chaosLasts = 60_000
        thinkingMax = random.pick([3_000, 15_000])
        ask(30, in: 0...60_000, attempts: [0, 3_000, 8_000], using: &random) { call, random in
            call.worker = "worker1"
            if random.happens(0.3) { call.cancelledAfter = random.number(500...10_000) }
            guard random.happens(0.2) else { return }
            call.deadline = random.number(2_000...20_000)
            call.onExpiry = random.pick([nil, "skip"])
        }
    }
}
