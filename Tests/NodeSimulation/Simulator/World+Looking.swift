import ErrorBus

/// Each second: is everything where it has to be, as seen from outside?
extension World {
    func look() {
        if disk.isFull || disk.isUnreadable { faulted() }
        if waysSeen != network.wayCount { (waysUp, waysSeen) = ([:], network.wayCount) }
        openAsks.removeAll { index in
            guard !ledger.asks[index].isOpen else { return false }
            (unheardSince[index], gapSince[index], undeliveredSince[index]) = (nil, nil, nil)
            return true
        }
        for index in openAsks {
            let ask = ledger.asks[index]
            lookWhetherHeard(ask, index)
            lookForGap(ask, index)
            lookWhetherDelivered(ask, index)
        }
        lookAtPrompts()
        lookAtFeature()
        if plan.undeliveredMax != nil { lookAtShares() }
        lookAtInboxes()
        lookWhetherSteady()
        scheduler.after(1_000) { [self] in look() }
    }

    /// Does what is asked reach a parent?
    private func lookWhetherHeard(_ ask: Ledger.Ask, _ index: Int) {
        // From its deadline on it is carried out below.
        guard !ask.isHeard, !ledger.isAtDesk(ask.id), hasWayUp(ask.worker),
            // Where it arises it may wait for an equal one.
            ask.worker != plan.coalescer,
            scheduler.now < ask.deadline ?? .max
        else {
            unheardSince[index] = nil
            return
        }
        let since = max(
            unheardSince[index] ?? scheduler.now, ask.time, lastFault(noticedFor: ask),
            lastCrowded(ask) ?? 0)
        unheardSince[index] = since
        ledger.unheard[ask.id] = max(ledger.unheard[ask.id] ?? 0, elapsed(since: since))
    }

    /// The time by which the asker has noticed the last fault. A program without a link learns that
    /// its request is lost, or that its parent was restarted, once it has waited for its reply as
    /// long as it does, and then asks again.
    private func lastFault(noticedFor ask: Ledger.Ask) -> UInt64 {
        ledger.lastFault + (ask.worker == Plan.requester ? Requester.patience : 0)
    }

    /// The time since then; 0 if that is still to come.
    private func elapsed(since time: UInt64) -> UInt64 {
        scheduler.now - min(scheduler.now, time)
    }

    /// Is what has a way to people in front of them?
    private func lookForGap(_ ask: Ledger.Ask, _ index: Int) {
        guard isDue(ask), !isInFront(ask) else {
            gapSince[index] = nil
            return
        }
        let since = max(
            gapSince[index] ?? scheduler.now, ask.time, lastFault(noticedFor: ask))
        gapSince[index] = since
        let lasted = elapsed(since: since)
        if lasted > ledger.gaps[ask.id]?.lasted ?? 0 { ledger.gaps[ask.id] = (since, lasted) }
    }

    /// Does an answer that is on record reach a caller that waits?
    private func lookWhetherDelivered(_ ask: Ledger.Ask, _ index: Int) {
        guard hasWayUp(ask.worker), let decision = ledger.decision(of: ask.id), !ask.isSecond,
            !ledger.isAtDesk(ask.id),
            !ledger.attempts.contains(where: { $0.id == ask.id && !$0.isLifeOver })
        else {
            undeliveredSince[index] = nil
            return
        }
        let since = max(
            undeliveredSince[index] ?? scheduler.now, decision.time, ask.time,
            lastFault(noticedFor: ask), lastCrowded(ask) ?? 0)
        undeliveredSince[index] = since
        ledger.undelivered[ask.id] = max(
            ledger.undelivered[ask.id] ?? 0, elapsed(since: since))
    }

    /// Whether people should have it in front of them.
    func isDue(_ ask: Ledger.Ask) -> Bool {
        ask.isOpen && ask.deadline.map { scheduler.now < $0 } != false && hasWayUp(ask.worker)
            // What is refused further up is asked for some time all the same.
            && (!plan.isRelayUnknown || plan.onlyWay(from: ask.worker)?.contains("relay1") == false)
            && ledger.decision(of: ask.id) == nil && ledger.deskAnswer(to: ask.id) == nil
    }

    /// Does what is in front of people still have a caller, as far as a way leads to it?
    private func lookAtPrompts() {
        for (id, count) in ledger.prompts where count > 0 {
            let asks = ledger.asks.indices.filter { ledger.asks[$0].id == id }
            let lifeEnds = asks.compactMap { ledger.asks[$0].lifeEnd }
            if !asks.isEmpty, lifeEnds.count == asks.count, let end = lifeEnds.max() {
                ledger.orphaned[id] = max(ledger.orphaned[id] ?? 0, quiet(since: end))
            }
            // What an earlier life asked is the later one's.
            let living = asks.filter { !ledger.asks[$0].isLifeOver && !ledger.asks[$0].isSecond }
            let ends = living.compactMap {
                ledger.asks[$0].completions.first?.time ?? ledger.asks[$0].cancelled
            }
            guard ends.count == living.count, let end = ends.max(),
                living.allSatisfy({ hasWayUp(ledger.asks[$0].worker) })
            else { continue }
            ledger.leftOpen[id] = max(ledger.leftOpen[id] ?? 0, quiet(since: end))
        }
    }

    /// For how long nothing has gone wrong since then.
    private func quiet(since time: UInt64) -> UInt64 {
        elapsed(since: max(time, ledger.lastFault))
    }

    /// Whether a chain of live processes and clear links leads from a process to the presenter.
    func hasWayUp(_ name: String) -> Bool {
        if let known = waysUp[name] { return known }
        let hasWay = isWayThere(from: name)
        waysUp[name] = hasWay
        return hasWay
    }

    private func isWayThere(from name: String) -> Bool {
        guard let life = lives[name] else { return false }
        return name == Plan.presenter
            || life.process.parents.contains {
                network.isClear(Network.LinkID(child: name, parent: $0)) && hasWayUp($0)
            }
    }
}

/// In the end: is nothing left?
extension World {
    /// Asks every living node what its tables hold, once more when leases are over.
    func count() {
        defer {
            for people in lives.values.flatMap(\.people) { compareReader(of: people) }
            ledger.items = lives.values.flatMap(\.items)
        }
        if plan.staysLong { return lastLong() }
        countOnce()
        guard !ledger.leftovers.isEmpty else { return }
        // A hop beside the way of an answer gets it with its next AWAIT, and keeps it as long.
        let times = LinkTimes()
        scheduler.run(
            until: scheduler.now + times.awaitEvery + times.lease + times.abandonAfter)
        countOnce()
    }

    /// What is kept for a time is kept no longer; what was never acknowledged twice as long.
    private func lastLong() {
        for _ in 0..<2 {
            scheduler.run(until: scheduler.now + LinkTimes().tombstone + 10_000)
            countOnce(kept: ["children"])
            if ledger.leftovers.isEmpty { return }
        }
    }

    private func countOnce(
        kept: Set<String> = ["children", "rememberedBelow", "rememberedAbove"]
    ) {
        ledger.leftovers = []
        ledger.overflows = []
        ledger.unrepliedCount = lives.values.filter { $0.node != nil }.count
        for (name, life) in lives.sorted(by: { $0.key < $1.key }) {
            guard let node = life.node else { continue }
            Task.detached { [self] in
                let sizes = await node.tableSizes
                ledger.unrepliedCount -= 1
                for (table, count) in life.leftovers where count > 0 {
                    ledger.leftovers.append((name, table, count))
                }
                if plan.queueMax != nil {
                    let counted = await node.status.dropped["overflow"] ?? 0
                    ledger.overflows.append((name, life.transport.droppedCount, counted))
                }
                for (table, count) in sizes.rows where count > 0 && !kept.contains(table) {
                    ledger.leftovers.append((name, table, count))
                }
            }
        }
        // What is frozen replies later.
        let thawed = lives.values.map(\.transport.frozenUntil).max() ?? 0
        scheduler.run(until: max(scheduler.now, thawed) + 1_000)
    }
}
