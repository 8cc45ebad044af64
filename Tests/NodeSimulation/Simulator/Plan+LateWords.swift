import ErrorBus

/// Worlds in which what was said before comes after what was said later.
extension Plan {
    /// A child is not welcomed, and connects anew. What it said by its former connection arrives
    /// after it has been welcomed by the new one.
    mutating func stageLateHello(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 0, 1]))
        isTight = true
        thinkingMax = 90_000
        chaosLasts = 40_000
        // The first below the presenter, or the last of the row.
        let child = processes[random.pick([1, processes.count - 2])]
        let late = link(child.name, child.parents[0])
        ambushes = [Ambush("WELCOME", 1, on: late, .lost)]
        // One each second, for five seconds.
        let arrival = random.number(7_000...9_000)
        for number in 2...5 as ClosedRange<UInt64> {
            let time = arrival - (number - 1) * 1_000
            ambushes.append(Ambush("HELLO", Int(number), on: late, .late(after: time)))
        }
        ask(12, in: 0...5_500, using: &random) { call, _ in call.worker = "worker1" }
        ask(6, in: 12_000...40_000, using: &random)
    }

    /// A caller asks for the same once more, that is lost, and then comes the acknowledgement of
    /// what it asked first.
    mutating func stageLateAccepted(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = 120_000
        chaosLasts = 60_000
        let parent = processes[processes.count - 2].parents[0]
        let below = link("worker1", parent)
        // Before the second is sent again, which is a second after it was sent.
        let pause: UInt64 = 2_000
        let later = pause + random.number(0...700)
        ambushes = [
            Ambush("ACCEPTED", 1, on: below, .doubled(after: later)),
            Ambush("PRESENT", 2, on: below, .lost),
        ]
        var call = Call(
            time: 6_000, worker: "worker1", isKept: false, attempt: 0, doesRecover: true)
        call.asksAgainAfter = pause
        calls = [call]
        ask(6, in: 12_000...60_000, using: &random)
    }
}
