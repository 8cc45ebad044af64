import ErrorBus

/// Worlds in which a parent is there, and has lost its own way up.
extension Plan {
    /// Callers bear for some time that no parent can be reached, and their parent is there; it is
    /// a way further up that is cut.
    mutating func stageFarGrace(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 1, 2]))
        isTight = true
        feature = .grace(random.number(1_000...6_000))
        thinkingMax = 120_000
        let relay = processes[random.index(below: processes.count - 3) + 1]
        let directions = random.pick([[Network.Direction.up, .down], [.up], [.down]])
        let cut = link(relay.name, relay.parents[0])
        faults = [(10_000, .silence(cut, directions, lasts: 45_000))]
        chaosLasts = 55_000
        // Where no answer comes from above, their time ends here.
        for onExpiry in [nil, "skip"] {
            for deadline in [0, random.number(500...10_000)] {
                calls.append(
                    Call(
                        time: random.number(11_000...30_000), worker: "bare", deadline: deadline,
                        onExpiry: onExpiry, isKept: false, attempt: 0, doesRecover: false,
                        bareParent: relay.name))
            }
        }
        ask(8, in: 2_000...9_000, using: &random)
        ask(8, in: 11_000...30_000, using: &random)
    }

    /// From when to when callers have no way up, though their parent is there.
    var farCut: (since: UInt64, until: UInt64)? {
        guard scene == .farGrace, case (let time, .silence(_, _, let lasts?))? = faults.first
        else { return nil }
        return (start + time, start + time + lasts)
    }

    /// The first of two parents loses its way up. It has it again before its child has waited as
    /// long as it does; or later, and is then gone back to.
    mutating func stageWayRegained(using random: inout SeededGenerator) {
        makePair()
        thinkingMax = 120_000
        let lasts = random.number(scene == .wayBack ? 24_000...40_000 : 13_000...20_000)
        let above = link("relay1", Plan.presenter)
        faults = [
            // Welcomed by a relay that has its way up by then.
            (3_000, .kill("worker1", downFor: 500)),
            (10_000, .silence(above, [.up, .down], lasts: lasts)),
        ]
        chaosLasts = 10_000 + lasts
        ask(12, in: 5_000...9_000, using: &random) { call, _ in call.worker = "worker1" }
        guard scene == .wayBack else { return }
        // 100 s after the last fault it is back.
        ask(6, in: 160_000...175_000, using: &random) { call, _ in call.worker = "worker1" }
    }

    /// The same for a parent that is not to be left.
    var regainedWay: (since: UInt64, until: UInt64)? {
        guard scene == .wayRegained, case (let time, .silence(_, _, let lasts?))? = faults.last
        else { return nil }
        return (start + time, start + time + lasts)
    }
}

extension Checker {
    static let wayKept = Checker(
        name: "way-kept",
        rule: "a parent that has its way up again within the time for that is not left"
    ) { ledger, plan in
        guard let way = plan.regainedWay else { return [] }
        return ledger.presents.filter { present in
            present.link == plan.link("worker1", "relay2") && present.time > way.since
                && present.time < way.until + 60_000
        }.prefix(1).map { "worker1 left relay1 \($0.time - way.since) ms after that lost its way" }
    }
}

extension Forgery {
    static let wayKept = Forgery(checker: "way-kept") { ledger, plan in
        guard let way = plan.regainedWay else { return false }
        ledger.presents.append((way.since + 1, plan.link("worker1", "relay2")))
        return true
    }
}
