import ErrorBus

/// Once nothing has gone wrong for longer than recovery takes, everything is where it belongs.
extension World {
    /// Each second.
    func lookWhetherSteady() {
        defer { (suspectsBefore, suspects) = (suspects, []) }
        let open = ledger.standing.map { ledger.shown[$0] }.filter { $0.origin != "bare" }
        for id in Set(open.map(\.id)) { lookAtContact(of: id) }
        guard scheduler.now > ledger.lastFault + plan.recoveryMax + 5_000 else { return }
        for ask in openAsks.map({ ledger.asks[$0] })
        where isDue(ask) && scheduler.now > ask.time + 5_000 {
            // What was answered may be on its way to a slow disk.
            note(ask.id, "not in front of people", isInFront(ask) || disk.isSlow)
            guard plan.coalescer == nil, plan.openMax == nil, ask.worker != Plan.requester,
                let shown = open.first(where: { $0.id == ask.id }),
                scheduler.now > shown.time + 5_000
            else { continue }
            let station = ask.told.last?.station
            note(
                ask.id, "its caller is told: \(station?.rawValue ?? "nothing")",
                station == .presented || station == .claimed || station == .queued)
            note(
                ask.id, "people read that its origin cannot be reached",
                lives[Plan.presenter]?.isReachable(ask.id) != false)
        }
    }

    /// Do people see that the caller is gone, and is the prompt withdrawn in the end?
    private func lookAtContact(of id: PresentationID) {
        let asks = ledger.asks.filter { $0.id == id }
        guard asks.allSatisfy({ $0.isLifeOver || $0.isOpen && !hasWayUp($0.worker) }) else {
            return
        }
        let quiet = scheduler.now - max(ledger.lastFault, asks.map(\.time).max() ?? 0)
        if quiet > 30_000 {
            note(
                id, "people read that its origin can be reached",
                lives[Plan.presenter]?.isReachable(id) != true)
        }
        if quiet > 90_000 { note(id, "no caller is left", false) }
    }

    /// What is wrong twice in a row is no matter of a moment.
    private func note(_ id: PresentationID, _ what: String, _ isGood: Bool) {
        guard !isGood else { return }
        let text = "\(id): \(what)"
        suspects.insert(text)
        if suspectsBefore.contains(text) { ledger.unsteady.insert(text) }
    }
}
