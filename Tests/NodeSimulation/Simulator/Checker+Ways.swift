import ErrorBus

/// How children go past a parent that has lost its own.
extension Checker {
    static let goesPast = Checker(
        name: "goes-past",
        rule: "a parent without a way up is left after 10 s for each name of its way, in order, "
            + "and for no one that has none"
    ) { ledger, plan in
        guard let cut = plan.cutWay else { return [] }
        let presents = ledger.presents.filter {
            cut.since < $0.time && $0.time < cut.until && $0.link.child == "worker1"
        }
        guard let left = presents.first(where: { $0.link.parent == "relay2" })?.time else {
            return []
        }
        // That parent knows of its loss 8 s after its last word at the earliest.
        let isEarly =
            cut.isFirst && left < cut.since + 8_000 + 2 * LinkTimes().wayMax - 500
        let isBack = presents.contains { $0.time > left && $0.link.parent == "relay1" }
        return (isEarly ? ["worker1 left relay1 after \(left - cut.since) ms"] : [])
            + (isBack ? ["worker1 went back to relay1, which has no way up"] : [])
    }
}

extension Plan {
    /// From when to when the first parent of a worker has no way up; whether that is left for it.
    var cutWay: (since: UInt64, until: UInt64, isFirst: Bool)? {
        if scene == .passage {
            // Killed without a way up, and started again without.
            let time = faults.map(\.time).max() ?? 0
            return (start + time, start + chaosLasts, false)
        }
        guard scene == .pastParent, case (let time, .silence(_, _, let lasts?))? = faults.last
        else { return nil }
        return (start + time, start + time + lasts, true)
    }
}

extension Forgery {
    static let goesPast = Forgery(checker: "goes-past") { ledger, plan in
        guard let cut = plan.cutWay else { return false }
        for (later, parent): (UInt64, String) in [(2, "relay1"), (1, "relay2")] {
            let link = Network.LinkID(child: "worker1", parent: parent)
            ledger.presents.insert((cut.since + later, link), at: 0)
        }
        return true
    }
}
