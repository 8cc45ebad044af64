import ErrorBus

/// Worlds in which one thing crosses another: an answer what gives it up, a call another one for
/// the same.
extension Plan {
    /// A relay has people of its own and finds no parent. When it is back, and gives up above what
    /// its people have, people there answer in that moment. Then the callers give up.
    mutating func stageCrossing(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 1, 2]))
        isTight = true
        isPatient = true
        processes[1].presentsAfter = 1_000
        isDeskIdle = true
        thinkingMax = 600_000
        let above = link("relay1", Plan.presenter)
        let lasts = random.number(14_000...40_000)
        let directions = random.pick([[Network.Direction.down], [.up, .down]])
        faults = [(6_000, .silence(above, directions, lasts: lasts))]
        if random.happens(0.4) { faults.append((7_500, .kill("relay1", downFor: 300))) }
        ambushes = [Ambush("WITHDRAW", on: above, then: .answers)]
        chaosLasts = 48_000
        ask(12, in: 0...5_500, using: &random) { call, random in
            call.worker = "worker1"
            call.cancelledAfter = random.number(70_000...100_000)
        }
    }

    /// Callers ask for the same once more while they wait.
    mutating func stageAskedTwice(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isTight = true
        thinkingMax = 20_000
        chaosLasts = 30_000
        weather.loss = random.pick([0, 0, 0.05])
        ask(14, in: 0...30_000, attempts: [0, 300], using: &random) { call, random in
            call.isKept = false
            if random.happens(0.7) { call.asksAgainAfter = random.number(0...8_000) }
        }
    }

    /// Answers do not come down to a relay until the time is over there too. Its refusal crosses
    /// the withdrawal of the caller, whose time is over a moment sooner.
    mutating func stageRefusedAcross(using random: inout SeededGenerator) {
        makeRow(1)
        isTight = true
        thinkingMax = 9_000
        chaosLasts = 14_000
        weather.delayMax = random.pick([5, 30, 100])
        // For less long than either side bears it.
        faults = [(6_000, .silence(link("relay1", Plan.presenter), [.down], lasts: 7_000))]
        ask(16, in: 0...5_000, using: &random) { call, random in
            call.worker = "worker1"
            call.deadline = random.number(9_000...11_500) - call.time
        }
    }
}

extension World {
    func askFirst(_ index: Int) {
        let number = ledger.asks.count
        ask(index)
        guard let pause = plan.calls[index].asksAgainAfter, ledger.asks.count > number else {
            return
        }
        scheduler.after(pause) { [self] in askAgain(number, index) }
    }

    /// A caller asks for what it waits for once more: the second call takes the place of the first,
    /// which ends as one that has given up.
    private func askAgain(_ number: Int, _ index: Int) {
        let ask = ledger.asks[number]
        guard lives[ask.worker]?.number == ask.life, ask.isOpen, !ledger.isBeingAttempted(ask)
        else { return }
        scheduler.note("replaced \(ask.id)")
        ledger.asks[number].cancelled = scheduler.now
        self.ask(index)
    }
}

extension Checker {
    static let refusedInTime = Checker(
        name: "refused-in-time",
        rule: "what a node further up refuses each time is refused for good within minutes"
    ) { ledger, plan in
        guard plan.isRelayUnknown else { return [] }
        return ledger.asks.compactMap { ask in
            let end = ask.completions.first?.time ?? .max
            return !ask.isLifeOver && ask.cancelled == nil && end - ask.time > 90_000
                ? "\(ask.id): no outcome for \(end - ask.time) ms" : nil
        }
    }
}

extension Forgery {
    static let refusedInTime = Forgery(checker: "refused-in-time") { ledger, plan in
        plan.isRelayUnknown
            && change(&ledger.asks, where: { !$0.completions.isEmpty && !$0.isLifeOver }) {
                $0.completions[0].time = .max
            }
    }
}
