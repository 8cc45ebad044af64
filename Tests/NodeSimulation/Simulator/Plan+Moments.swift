import ErrorBus

/// Scenes of what goes wrong when a certain message comes, or while a process goes.
extension Plan {
    private static let verbs = [
        "HELLO", "PRESENT", "PRESENT", "AWAIT", "SETTLED", "SETTLED", "WITHDRAW", "WELCOME",
        "ACCEPTED", "PENDING", "ANSWER", "ANSWER", "WITHDRAWN", "REJECT", "OK", "BYE",
    ]

    mutating func stageAmbush(using random: inout SeededGenerator) {
        if random.happens(0.4) { makePair() } else { makeRow(random.pick([0, 1, 1, 2])) }
        if processes.count > 3, random.happens(0.3) { processes[1].addsOption = true }
        chaosLasts = 60_000
        thinkingMax = random.pick([1_000, 5_000, 30_000])
        if random.happens(0.3) { escalatesAfter = 4_000 }
        ask(10, in: 0...60_000, attempts: [0, 300, 5_000, 20_000], using: &random) { call, random in
            if random.happens(0.25) { call.cancelledAfter = random.number(10...15_000) }
            guard random.happens(0.25) else { return }
            call.deadline = random.number(2_000...40_000)
            call.onExpiry = random.pick([nil, "retry", "skip"])
        }
        for _ in 0..<random.number(1...4) { ambushes.append(ambush(using: &random)) }
    }

    private func ambush(using random: inout SeededGenerator) -> Ambush {
        let link = random.pick(links)
        let directions = random.pick([[Network.Direction.up, .down], [.up], [.down]])
        let lasts = random.number(10...random.pick([500, 5_000, 15_000]))
        let fault: Fault? =
            switch random.index(below: 9) {
            case 0: .kill(link.child, downFor: lasts)
            case 1, 2: .kill(link.parent, downFor: lasts)
            case 3: .reset(link)
            case 4: .silence(link, directions, lasts: lasts)
            case 5: .stop(random.pick([link.child, link.parent]), downFor: lasts)
            case 6: .freeze(link.parent, lasts: lasts)
            default: nil
            }
        let fate: Ambush.Fate = random.pick([
            .goes, .goes, .lost, .doubled(after: random.number(0...3_000)),
        ])
        return Ambush(
            random.pick(Self.verbs), random.pick([1, 1, 2, 3]), on: link, fate, then: fault,
            after: random.pick([0, 0, 5, 50, 1_000]))
    }

    mutating func stageStopping(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1, 2]))
        let parent = processes[processes.count - 2].parents[0]
        chaosLasts = 30_000
        weather.loss = random.pick([0, 0.2])
        faults = [(10_000, .stop(parent, downFor: random.number(100...5_000)))]
        ambushes = [Ambush("BYE", on: link("worker1", parent), .lost)]
        ask(6, in: 9_900...10_250, using: &random)
        ask(4, in: 5_000...10_000, using: &random)
    }
}
