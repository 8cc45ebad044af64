import ErrorBus

/// What is looked at in the worlds of ``Plan/wide``, and some of it in all.
extension World {
    /// An option has been carried out: its process may stop in that moment.
    func attempted(in life: Life) {
        guard let number = plan.stopsAtAttempt, life.process.name == "worker1" else { return }
        let own = ledger.attempts.count { $0.life == life.number && $0.result != nil }
        guard own == number, ledger.stops.isEmpty else { return }
        // Once what follows from its end is done, and before a socket has sent anything.
        scheduler.after(0) { [self] in strike(.stop("worker1", downFor: 3_000)) }
    }

    /// A child says HELLO: once links are up, and where each side bears what goes wrong, no more.
    func greeted(on link: Network.LinkID) {
        let isBorne = plan.isCalm || plan.bearsFaults
        let isQuiet = scheduler.now > ledger.lastFault + recoveryMax + 5_000
        // A link ends where a PING or its PONG is lost, or finds no room.
        let isFair =
            (plan.weather.loss == 0 || scheduler.now > start + plan.chaosLasts + 10_000)
            && network.fullAt[link].map { scheduler.now > $0 + 10_000 } ?? true
        guard isFair, isBorne && scheduler.now > start + 6_000 || isQuiet else { return }
        ledger.greetings.append((scheduler.now, link))
    }

    /// A prompt comes: no more of a child than its parent takes for the origins that it has stood
    /// for at a time.
    func lookAtRoom(of prompt: Ledger.Shown) {
        guard plan.hasTopLimit, let most = plan.openMax, let child = prompt.path.last else {
            return
        }
        let now = scheduler.now
        let beside = ledger.shown.filter { shown in
            shown.path.last == child && (shown.hidden ?? now) + 500 >= now
        }
        // At the presenter an origin counts from its PRESENT on, before people see anything of it.
        let coming = ledger.asks.filter { ask in
            ask.isOpen && ledger.askers[ask.id] == child && ledger.decision(of: ask.id) == nil
                && !ledger.refusedForRoom.contains(ask.id)
        }
        let origins = Set(
            beside.compactMap(\.origin) + coming.map { plan.nodeName(of: $0.worker) }
        ).count
        ledger.mostOrigins[child] = max(ledger.mostOrigins[child] ?? 1, origins)
        let open = Set(beside.filter { $0.hidden == nil }.map(\.id)).count
        if open > most * (ledger.mostOrigins[child] ?? 1) { ledger.overRoom.append(prompt.id) }
    }

    /// A prompt comes that was asked long after the last fault: by the first parent of its process,
    /// where that has a way up.
    func lookAtWay(of prompt: Ledger.Shown) {
        let since = ledger.lastFault + 100_000
        guard prompt.path.count > 1, let ask = ledger.asks.last(where: { $0.id == prompt.id }),
            min(ask.time, prompt.time) > since, let life = lives[ask.worker],
            let first = life.process.parents.first, life.process.parents.count > 1,
            !ledger.attempts.contains(where: { $0.life == life.number && $0.result == nil }),
            network.isClear(plan.link(ask.worker, first)), hasWayUp(first),
            prompt.path[1] != first
        else { return }
        ledger.astray.append(prompt.id)
    }
}
