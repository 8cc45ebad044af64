import ErrorBus

extension Forgery {
    static let ofCallers = [
        Forgery(checker: "reason-fits") { ledger, _ in
            change(&ledger.asks, where: { !$0.completions.isEmpty }) {
                let lie = Outcome(didRecover: false, reason: .busy, decidedBy: "worker1")
                $0.completions[0].outcome = lie
            }
        },
        Forgery(checker: "expiry-applied") { ledger, _ in
            change(&ledger.asks, where: { $0.onExpiry != nil && !$0.completions.isEmpty }) {
                let lie = Outcome(didRecover: false, reason: .expired, decidedBy: "worker1")
                $0.completions[0].outcome = lie
            }
        },
        Forgery(checker: "told") { ledger, plan in
            guard plan.isCalm, plan.coalescer == nil else { return false }
            let shown = ledger.shown.filter { ($0.hidden ?? .max) > $0.time + 1_000 }.map(\.id)
            return change(
                &ledger.asks,
                where: { shown.contains($0.id) && !$0.isLifeOver && !$0.isSecond }
            ) { $0.told = [] }
        },
        Forgery(checker: "told-of-claims") { ledger, plan in
            guard plan.isCalm, plan.coalescer == nil, !plan.asksBoth,
                let shown = ledger.shown.first(where: { shown in
                    (shown.hidden ?? .max) > shown.time + 2_000
                        && ledger.asks.contains {
                            $0.id == shown.id && $0.worker != Plan.requester && !$0.isLifeOver
                        }
                })
            else { return false }
            ledger.claims.append((shown.id, shown.time + 1, .queued, "anna"))
            return true
        },
        Forgery(checker: "result-prompt") { ledger, plan in
            guard plan.isCalm else { return false }
            return change(&ledger.decisions, where: { $0.result == .recovered }) {
                $0.result = .failed
            }
        },
        Forgery(checker: "lost-callers") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.orphaned[ask.id] = 999_999
            return true
        },
        Forgery(checker: "steady") { ledger, _ in
            ledger.unsteady.insert("forged").inserted
        },
    ]
}
