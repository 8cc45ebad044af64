import ErrorBus

/// Once nothing has gone wrong for longer than recovery takes, everything is where it belongs.
extension World {
    /// Each second.
    func lookWhetherSteady() {
        defer { (suspectsBefore, suspects) = (suspects, []) }
        // Who asked without a link, or what a chain reports of itself, has no caller here.
        let open = ledger.standing.filter { place in
            let origin = ledger.shown[place].origin
            return origin != "bare" && origin != Players.origin
                && (plan.stumblingTrouble == nil || origin != "relay1")
        }
        for place in open { lookAtContact(of: ledger.shown[place].id) }
        guard scheduler.now > ledger.lastFault + recoveryMax + 5_000, !plan.isDeskIdle else {
            return
        }
        for ask in openAsks.map({ ledger.asks[$0] })
        where isDue(ask) && scheduler.now > ask.time + 5_000 {
            // What was answered may be on its way to a slow disk.
            note(ask.id, "not in front of people", isInFront(ask) || disk.isSlow)
            guard plan.coalescer == nil, plan.openMax == nil, ask.worker != Plan.requester,
                let place = open.first(where: { ledger.shown[$0].id == ask.id }),
                scheduler.now > ledger.shown[place].time + 5_000
            else { continue }
            let station = ask.told.last?.state.station
            note(
                ask.id, "its caller is told: \(station?.rawValue ?? "nothing")",
                station == .presented || station == .claimed || station == .queued
                    || mayBeUntold(ledger.shown[place]))
            note(
                ask.id, "people read that its origin cannot be reached",
                lives[Plan.presenter]?.isReachable(ask.id) != false)
        }
    }

    /// A PENDING for a caller may be lost, at random or where a queue on its way has no room: it
    /// comes again at the next AWAIT.
    private func mayBeUntold(_ shown: Ledger.Shown) -> Bool {
        var lostAt = network.fullAt.filter { shown.path.contains($0.key.child) }.map(\.value)
        if plan.weather.loss > 0 { lostAt.append(start + plan.chaosLasts) }
        return lostAt.contains {
            shown.time <= $0 && scheduler.now < $0 + LinkTimes().awaitEvery + 5_000
        }
    }

    /// Do people see that the caller is gone, and is the prompt withdrawn in the end?
    private func lookAtContact(of id: PresentationID) {
        var last: UInt64 = 0
        for index in ledger.asks.indices where ledger.asks[index].id == id {
            guard
                ledger.asks[index].isLifeOver
                    || ledger.asks[index].isOpen && !hasWayUp(ledger.asks[index].worker)
            else { return }
            last = max(last, ledger.asks[index].time)
        }
        let quiet = scheduler.now - max(ledger.lastFault, last)
        if quiet > 30_000 {
            note(
                id, "people read that its origin can be reached",
                lives[Plan.presenter]?.isReachable(id) != true)
        }
        if quiet > 30_000 + (plan.abandonAfter ?? LinkTimes().abandonAfter) {
            note(id, "no caller is left", false)
        }
    }

    /// Each request of a peer without a link gets one reply within its wait.
    func noteUnreplied(_ verb: String, of id: PresentationID, since begunAt: UInt64) {
        let isQuiet =
            plan.isCalm || begunAt > ledger.lastFault + recoveryMax + 5_000
        guard isQuiet, !disk.isSlow else { return }
        ledger.unsteady.insert("\(id): no reply to \(verb) of \(begunAt)")
    }

    /// What is wrong twice in a row is no matter of a moment.
    private func note(_ id: PresentationID, _ what: @autoclosure () -> String, _ isGood: Bool) {
        guard !isGood else { return }
        let text = "\(id): \(what())"
        suspects.insert(text)
        if suspectsBefore.contains(text) { ledger.unsteady.insert(text) }
    }
}
