import ErrorBus

/// What only some worlds have: see ``Feature``.
extension World {
    func prepareFeature() {
        if let play = plan.play {
            let players = Players(play, in: self)
            scheduler.at(start + 1_000) { players.begin() }
        }
        if plan.hasIntruder {
            let intruder = Intruder(in: self)
            scheduler.at(start + 5_000) { intruder.begin() }
        }
        switch plan.feature {
        case .silence(let silencing):
            scheduler.at(start + silencing.from) { [self] in
                scheduler.note("silence \(silencing.trouble)")
                _ = try? lives[Plan.presenter]?.silences.add(
                    silencing.request, for: .milliseconds(silencing.lasts))
                for days in [0, 31] {
                    tryOnSilences("a silence of \(days) days") {
                        try $0.add(silencing.request, for: .seconds(days * 86_400))
                    }
                }
            }
            guard let end = silencing.endedAt else {
                return scheduler.at(start + silencing.from + 1_000) { [self] in
                    _ = try? lives[Plan.presenter]?.silences.add(
                        silencing.later, for: .milliseconds(silencing.lasts - 2_000))
                }
            }
            scheduler.at(start + end) { [self] in
                _ = try? lives[Plan.presenter]?.silences.end(1, by: "bob")
                tryOnSilences("to end a silence twice") { try $0.end(1, by: "ann") }
            }
        case .fullDisk(let from, let lasts):
            scheduler.at(start + from) { [self] in setFull(true) }
            scheduler.at(start + from + lasts) { [self] in setFull(false) }
        case .unreadableDisk(let from, let lasts):
            scheduler.at(start + from) { [self] in setUnreadable(true) }
            scheduler.at(start + from + lasts) { [self] in setUnreadable(false) }
        case .policy, .coalescing, .limit, .topLimit, .grace, .asksOnce, .namesake, .collision, nil:
            break
        }
    }

    /// What they have to refuse.
    private func tryOnSilences(_ what: String, _ body: (Silences) throws -> Silence) {
        guard let silences = lives[Plan.presenter]?.silences else { return }
        if (try? body(silences)) != nil { ledger.trespasses.append(what) }
    }

    private func setFull(_ isFull: Bool) {
        scheduler.note("fault: disk full \(isFull)")
        faulted()
        disk.isFull = isFull
    }

    private func setUnreadable(_ isUnreadable: Bool) {
        scheduler.note("fault: disk unreadable \(isUnreadable)")
        faulted()
        disk.isUnreadable = isUnreadable
    }

    /// Whether people see it, or what stands for it; or it is being carried out.
    func isInFront(_ ask: Ledger.Ask) -> Bool {
        if ledger.prompts[ask.id, default: 0] > 0 { return true }
        // What a hop refused for want of room is sent again after 1 s and up to half as long.
        if let time = lastCrowded(ask), scheduler.now <= time + 2_600 { return true }
        // A silence answers what failed often after a delay.
        if let silencing = plan.silencing, silencing.trouble == ask.trouble, ask.retryCount > 2,
            scheduler.now < start + silencing.end + 2_000
        {
            return true
        }
        // A policy answers it after its delay.
        if let policy = plan.policy, policy.trouble == ask.trouble,
            // The delay begins again where it is asked again.
            scheduler.now < max(ask.time, ledger.lastFault) + policy.delayMax + 2_000
        {
            return true
        }
        guard plan.coalescer != nil else { return false }
        // It waits for an equal one, also while the answer to that one is on its way: how long that
        // takes `answerArrives` checks.
        return ledger.attempts.contains { $0.id == ask.id && $0.life == ask.life }
            || ledger.asks.contains {
                $0.trouble == ask.trouble
                    && (ledger.prompts[$0.id, default: 0] > 0
                        || $0.isOpen && ledger.decision(of: $0.id) != nil)
            }
    }

    /// When a hop on its way had no room for it.
    func lastCrowded(_ ask: Ledger.Ask) -> UInt64? {
        if let most = plan.openMax, isCrowded(ask, most) {
            ledger.crowdedAt[ask.id] = scheduler.now
        }
        return ledger.crowdedAt[ask.id]
    }

    /// Whether it may wait behind others, or be refused, since what a hop takes may be open.
    private func isCrowded(_ ask: Ledger.Ask, _ most: Int) -> Bool {
        guard plan.isCalm, let way = plan.onlyWay(from: ask.worker) else { return true }
        // What a client without a link asks takes a place of each node on its way.
        let bare = ledger.bareAsks.filter { id, _ in
            ledger.bareReplies[id]?.isEmpty == true && ledger.decision(of: id) == nil
        }
        let askers = openAsks.map { ledger.asks[$0].worker } + bare.values.map(\.parent)
        if let most = plan.openPerNodeMax, askers.count > most { return true }
        let ways = askers.map { plan.onlyWay(from: $0) ?? way }
        return way.contains { child in ways.count { $0.contains(child) } > most }
    }

    /// Each second.
    func lookAtFeature() {
        if plan.openMax != nil {
            // What moves from one child to another is no new one, and stays.
            let stay = ledger.standing.map { ledger.shown[$0] }.filter {
                !ledger.moved.contains($0.id)
            }
            let byChild = Dictionary(grouping: stay) {
                ledger.askers[$0.id] ?? $0.path.last ?? ""
            }
            for (child, prompts) in byChild {
                let count = Set(prompts.map(\.id)).count
                ledger.mostOpen[child] = max(ledger.mostOpen[child] ?? 0, count)
            }
        }
        // What needs two people, or asks for a secret as all fields here do, climbs alone.
        if plan.coalescer != nil, plan.isCalm, !plan.needsTwoPeople, !plan.asksForValues {
            let ids = Set(ledger.standing.map { ledger.shown[$0].id })
            for (trouble, equal) in Dictionary(grouping: ids, by: { ledger.trouble(of: $0) })
            where trouble != nil && equal.filter(passesCoalescer).count > 1 {
                ledger.uncoalesced.append(contentsOf: equal)
            }
        }
        if let grace = plan.grace ?? plan.deskGrace { lookAtGrace(grace) }
        // What a relay that restarted has forgotten stands above until its lease is over.
        if let worker = plan.deskWorker, hasWayUp(worker), !plan.isDeskIdle { lookAtDesk() }
    }

    /// Is what is at the desk in front of the presenter's people as well?
    private func lookAtDesk() {
        let standing = ledger.standing.map { ledger.shown[$0] }
        let others = Set(standing.filter { $0.presenter != Plan.desk }.map(\.id))
        for shown in standing where shown.presenter == Plan.desk && others.contains(shown.id) {
            let since = max(shown.time, ledger.lastFault)
            ledger.deskStood[shown.id] = max(
                ledger.deskStood[shown.id] ?? 0, scheduler.now - min(scheduler.now, since))
        }
    }

    private func passesCoalescer(_ id: PresentationID) -> Bool {
        ledger.shown.contains { shown in
            shown.id == id && plan.coalescer.map(shown.path.contains) == true
        }
    }

    /// Who has had no parent for longer than it bears?
    private func lookAtGrace(_ grace: UInt64) {
        for name in plan.deskWorker.map({ [$0] }) ?? plan.workers {
            // Elsewhere links fail one after another, and a caller's time begins anew.
            let hasParent: Bool? =
                plan.farCut != nil
                ? hasWayUp(name)
                : lives[name]?.process.parents.contains {
                    lives[$0] != nil && network.isClear(Network.LinkID(child: name, parent: $0))
                }
            if hasParent != false {
                ledger.aloneSince[name] = nil
            } else if ledger.aloneSince[name] == nil {
                ledger.aloneSince[name] = scheduler.now
            }
            guard let since = ledger.aloneSince[name] else { continue }
            // From its deadline on it is carried out below, and so is what has its answer.
            for ask in ledger.asks
            where ask.worker == name && ask.isOpen && scheduler.now < ask.deadline ?? .max
                && !ledger.isBeingAttempted(ask) && !ledger.isAtDesk(ask.id)
            {
                // What is silent is found to be lost within 12 s.
                if scheduler.now > max(since, ask.time) + grace + 14_000 {
                    ledger.heldTooLong.insert(ask.id)
                }
            }
        }
    }
}
