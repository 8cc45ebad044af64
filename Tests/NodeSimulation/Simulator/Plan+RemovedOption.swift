import ErrorBus

extension Plan {
    /// Of one trouble a program takes Retry out of what it reports, and a relay says that a person
    /// has chosen it all the same: the program still knows how to carry it out.
    mutating func stageRemovedOption(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        isCalm = true
        forgedTrouble = random.index(below: Trouble.allCases.count)
        thinkingMax = 3_000
        chaosLasts = 30_000
        for number in 0..<12 as Range<UInt64> {
            calls.append(
                Call(
                    time: number * 2_500 + random.number(0...2_000), worker: "worker1",
                    isKept: true, attempt: random.pick([0, 300]),
                    doesRecover: random.happens(0.7)))
        }
    }

    /// The trouble that is reported without Retry, which a relay says was chosen.
    var removedTrouble: Int? { scene == .removedOption ? forgedTrouble : nil }
}
