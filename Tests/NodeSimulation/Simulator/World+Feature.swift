import ErrorBus

/// What only some worlds have: see ``Feature``.
extension World {
    func prepareFeature() {
        switch plan.feature {
        case .silence(let silencing):
            scheduler.at(start + silencing.from) { [self] in
                scheduler.note("silence \(silencing.trouble)")
                _ = try? lives[Plan.presenter]?.silences.add(
                    silencing.request, for: .milliseconds(silencing.lasts))
            }
            guard let end = silencing.endedAt else { return }
            scheduler.at(start + end) { [self] in
                _ = try? lives[Plan.presenter]?.silences.end(1, by: "bob")
            }
        case .fullDisk(let from, let lasts):
            scheduler.at(start + from) { [self] in setFull(true) }
            scheduler.at(start + from + lasts) { [self] in setFull(false) }
        case .policy, .coalescing, .limit, .grace, .asksOnce, .namesake, .collision, nil: break
        }
    }

    private func setFull(_ isFull: Bool) {
        scheduler.note("fault: disk full \(isFull)")
        faulted()
        disk.isFull = isFull
    }

    /// Whether people see it, or what stands for it; or it is being carried out.
    func isInFront(_ ask: Ledger.Ask) -> Bool {
        if ledger.prompts[ask.id, default: 0] > 0 { return true }
        if plan.openMax != nil { return true }
        guard plan.coalescer != nil else { return false }
        return ledger.attempts.contains { $0.id == ask.id && $0.life == ask.life }
            || ledger.asks.contains {
                $0.trouble == ask.trouble && ledger.prompts[$0.id, default: 0] > 0
            }
    }

    /// Each second.
    func lookAtFeature() {
        let shown = ledger.shown.filter { $0.hidden == nil }
        if plan.openMax != nil {
            for (child, prompts) in Dictionary(grouping: shown, by: { $0.path.last ?? "" }) {
                let count = Set(prompts.map(\.id)).count
                ledger.mostOpen[child] = max(ledger.mostOpen[child] ?? 0, count)
            }
        }
        if plan.coalescer != nil, plan.isCalm {
            let ids = Set(shown.map(\.id))
            for (trouble, equal) in Dictionary(grouping: ids, by: { ledger.trouble(of: $0) })
            where trouble != nil && equal.filter(passesCoalescer).count > 1 {
                ledger.uncoalesced.append(contentsOf: equal)
            }
        }
        if let grace = plan.grace { lookAtGrace(grace) }
    }

    private func passesCoalescer(_ id: PresentationID) -> Bool {
        ledger.shown.contains { shown in
            shown.id == id && plan.coalescer.map(shown.path.contains) == true
        }
    }

    /// Who has had no parent for longer than it bears?
    private func lookAtGrace(_ grace: UInt64) {
        for name in plan.workers {
            let hasParent = lives[name]?.process.parents.contains {
                lives[$0] != nil && network.isClear(Network.LinkID(child: name, parent: $0))
            }
            if hasParent != false {
                ledger.aloneSince[name] = nil
            } else if ledger.aloneSince[name] == nil {
                ledger.aloneSince[name] = scheduler.now
            }
            guard let since = ledger.aloneSince[name] else { continue }
            for ask in ledger.asks where ask.worker == name && ask.isOpen {
                // What is silent is found to be lost within 12 s.
                if scheduler.now > max(since, ask.time) + grace + 14_000 {
                    ledger.heldTooLong.insert(ask.id)
                }
            }
        }
    }
}
