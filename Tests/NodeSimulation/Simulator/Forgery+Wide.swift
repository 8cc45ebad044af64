import ErrorBus

extension Forgery {
    static let ofWide = [
        Forgery(checker: "last-words") { ledger, plan in
            guard plan.stopsAtAttempt != nil else { return false }
            let done = ledger.attempts.first { attempt in
                ledger.stops[attempt.life].map { stop in
                    attempt.result.map { $0.time <= stop } ?? false
                } ?? false
            }
            guard let done, ledger.decision(of: done.id)?.answer.option == done.option else {
                return false
            }
            return change(&ledger.decisions, where: { $0.id == done.id }) { $0.result = .unknown }
        },
        Forgery(checker: "links-kept") { ledger, plan in
            guard let child = plan.processes.first(where: { $0.parents.count == 1 }) else {
                return false
            }
            ledger.greetings.append(
                (1, Network.LinkID(child: child.name, parent: child.parents[0])))
            return true
        },
        Forgery(checker: "drops-counted") { ledger, plan in
            guard plan.queueMax != nil else { return false }
            ledger.overflows.append((Plan.presenter, 3, 1))
            return true
        },
        Forgery(checker: "first-parent") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.astray.append(ask.id)
            return true
        },
        Forgery(checker: "secrets-gone") { ledger, _ in
            change(&ledger.items, where: { _ in true }) { $0.hasSecret = true }
        },
        Forgery(checker: "in-inbox") { ledger, _ in
            ledger.notInInbox.insert("forged").inserted
        },
        Forgery(checker: "silences-apart") { ledger, _ in
            ledger.silenceNumbers += [7, 7]
            return true
        },
        Forgery(checker: "silence-over") { ledger, plan in
            guard plan.scene == .quietRepeats, let end = plan.silencing?.end else { return false }
            guard let ask = ledger.asks.first(where: { $0.time < plan.start + end }) else {
                return false
            }
            ledger.shown.removeAll { $0.id == ask.id }
            ledger.decisions.removeAll { $0.id == ask.id }
            return change(&ledger.asks, where: { $0.id == ask.id }) {
                let late = Outcome(didRecover: false, reason: .withheld, decidedBy: "central")
                $0.completions = [(.max, late)]
            }
        },
        Forgery(checker: "policy-makes-way") { ledger, plan in
            guard plan.scene == .ownRules, let policy = plan.policy else { return false }
            if policy.isItsOwn {
                return change(&ledger.decisions, where: { $0.answer.option == policy.option }) {
                    $0.result = .failed
                }
            }
            let late = ledger.asks.first { $0.trouble == policy.trouble && $0.hasExpired }
            guard let late else { return false }
            ledger.shown.removeAll { $0.id == late.id }
            return true
        },
        Forgery(checker: "late-answers") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.acknowledged.append((ask.id, PresentationID.make().value))
            return true
        },
        Forgery(checker: "group-ends") { ledger, plan in
            guard plan.impatience != nil else { return false }
            return change(&ledger.asks, where: { !$0.completions.isEmpty }) {
                $0.completions[0].time = .max
            }
        },
    ]
}
