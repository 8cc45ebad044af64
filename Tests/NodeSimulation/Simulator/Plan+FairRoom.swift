import ErrorBus

/// Worlds in which many share what a node has little of.
extension Plan {
    /// One origin asks for more than the presenter takes of its relay, and others for little.
    mutating func stageNoisyOrigin(using random: inout SeededGenerator) {
        makeRow(1)
        feature = .topLimit(2)
        isCalm = true
        thinkingMax = 3_000
        chaosLasts = 30_000
        for name in ["worker3", "worker4"] {
            processes.append(Process(name: name, parents: ["relay1"]))
        }
        for _ in 0..<30 {
            calls.append(
                Call(
                    time: random.number(2_000...3_000), worker: "worker1", isKept: true,
                    attempt: 0, doesRecover: random.happens(0.7)))
        }
        for name in ["worker3", "worker4"] {
            ask(3, in: 3_500...9_000, attempts: [0], using: &random) { call, _ in
                call.worker = name
            }
        }
    }

    /// One child has many answers under way, another one few, and the presenter waits for few
    /// results.
    mutating func stageCrowdedOut(using random: inout SeededGenerator) {
        makeRow(0)
        isTight = true
        undeliveredMax = 4
        thinkingMax = 3_000
        chaosLasts = 10_000
        for number in 0..<random.number(12...20) {
            calls.append(
                Call(
                    time: 1_000 + random.number(0...8_000),
                    worker: number < 2 ? "worker2" : "worker1", isKept: true, attempt: 40_000,
                    doesRecover: random.happens(0.7)))
        }
        calls.sort { $0.time < $1.time }
    }
}

extension World {
    /// Of the answers that are carried out, how many does the presenter wait for, and does it give
    /// up one of a child that has few?
    func lookAtShares() {
        let waiting = ledger.decisions.count { decision in
            decision.result == nil && decision.time + 2_000 < scheduler.now
        }
        ledger.mostUndelivered = max(ledger.mostUndelivered, waiting)
        for decision in ledger.decisions where decision.result == .unknown {
            // It asks for no more than half of them.
            let ask = ledger.asks.first { $0.id == decision.id && $0.worker == "worker2" }
            if let ask, ledger.isBeingAttempted(ask) { ledger.pushedOut.insert(decision.id) }
        }
    }
}

extension Checker {
    static let fairTurns = Checker(
        name: "fair-turns",
        rule: "what waits until a parent has room goes up in turn, one of each origin"
    ) { ledger, plan in
        let above = plan.link("relay1", Plan.presenter)
        guard plan.hasTopLimit, plan.isCalm, let sent = ledger.firstHeard[above] else { return [] }
        let below = plan.processes.filter { $0.parents == ["relay1"] }.map(\.name)
        let byOrigin = Dictionary(grouping: ledger.asks, by: \.worker)
        return ledger.asks.filter { below.contains($0.worker) }.compactMap { ask in
            let own = ledger.firstHeard[plan.link(ask.worker, "relay1")]
            guard let came = own?[ask.id], let went = sent[ask.id] else { return nil }
            let before = (byOrigin[ask.worker] ?? []).count { other in
                guard let otherCame = own?[other.id], let otherWent = sent[other.id] else {
                    return false
                }
                return other.id != ask.id && otherCame <= came && otherWent > came
            }
            for name in below where name != ask.worker {
                // Some were sent before it came, and were under way.
                let turns = (byOrigin[name] ?? []).count { other in
                    sent[other.id].map { $0 > came + 100 && $0 < went } ?? false
                }
                if turns > before + 3 {
                    return "\(ask.id) of \(ask.worker): after \(turns) of \(name), and \(before) "
                        + "of its own"
                }
            }
            return nil
        }
    }

    static let fairShares = Checker(
        name: "fair-shares",
        rule: "above its limit a node gives up answers of the child that has the most of them (C8)"
    ) { ledger, plan in
        guard let most = plan.undeliveredMax else { return [] }
        return ledger.pushedOut.map { "\($0): given up, and its child has few" }.sorted()
            + (ledger.mostUndelivered > most
                ? ["waits for \(ledger.mostUndelivered) results, at most \(most)"] : [])
    }
}

extension Forgery {
    static let fairTurns = Forgery(checker: "fair-turns") { ledger, plan in
        let above = plan.link("relay1", Plan.presenter)
        let below = plan.processes.filter { $0.parents == ["relay1"] }.map(\.name)
        guard plan.hasTopLimit, plan.isCalm,
            let ask = ledger.asks.first(where: { below.contains($0.worker) }),
            let came = ledger.firstHeard[plan.link(ask.worker, "relay1")]?[ask.id],
            ledger.firstHeard[above]?[ask.id] != nil,
            let noisy = below.first(where: { $0 != ask.worker })
        else { return false }
        for _ in 0...ledger.asks.count + 3 {
            let other = Ledger.Ask(
                id: .make(), worker: noisy, life: 0, time: came, deadline: nil, onExpiry: nil,
                trouble: 0, isSecond: false)
            ledger.asks.append(other)
            ledger.firstHeard[above]?[other.id] = came + 200
        }
        ledger.firstHeard[above]?[ask.id] = came + 300
        return true
    }

    static let fairShares = Forgery(checker: "fair-shares") { ledger, plan in
        guard plan.undeliveredMax != nil, let ask = ledger.asks.first else { return false }
        ledger.pushedOut.insert(ask.id)
        return true
    }
}
