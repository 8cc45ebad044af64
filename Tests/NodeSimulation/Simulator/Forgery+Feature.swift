import ErrorBus

extension Forgery {
    static let ofFeatures = [
        Forgery(checker: "policy-holds") { ledger, plan in
            guard plan.policy == nil, plan.silencing == nil, plan.ruling == nil else {
                return false
            }
            return change(&ledger.decisions, where: { $0.answer.via == .person }) {
                let lie = Answer(
                    id: $0.answer.id, option: $0.answer.option, by: "policy", via: .policy)
                $0 = Ledger.Decision(id: $0.id, answer: lie, time: $0.time)
            }
        },
        Forgery(checker: "policy-holds") { ledger, plan in
            guard plan.policy != nil, let ask = ledger.asks.first else { return false }
            ledger.decidedUnasked.append(ask.id)
            return true
        },
        Forgery(checker: "policy-answers") { ledger, plan in
            guard let policy = plan.policy, plan.isCalm,
                let ask = ledger.asks.first(where: { $0.trouble == policy.trouble }),
                ask.deadline == nil, let shown = ledger.shown.first
            else { return false }
            ledger.shown.append(
                Ledger.Shown(
                    id: ask.id, presenter: "duty", time: ask.time, origin: shown.origin,
                    path: shown.path, options: shown.options, onExpiry: nil, deadline: nil))
            return true
        },
        Forgery(checker: "silence-holds") { ledger, plan in
            guard let silencing = plan.silencing else { return false }
            return change(
                &ledger.asks,
                where: {
                    $0.trouble != silencing.trouble && !$0.completions.isEmpty
                }
            ) {
                let lie = Outcome(didRecover: false, reason: .withheld, decidedBy: "central")
                $0.completions[0].outcome = lie
            }
        },
        Forgery(checker: "coalesced") { ledger, plan in
            guard plan.coalescer != nil, let ask = ledger.asks.first else { return false }
            ledger.uncoalesced.append(ask.id)
            return true
        },
        Forgery(checker: "limit-holds") { ledger, plan in
            guard plan.openMax != nil else { return false }
            ledger.mostOpen["relay1"] = plan.openMax(of: "relay1") + 1
            return true
        },
        Forgery(checker: "room-kept") { ledger, plan in
            guard plan.isCalm, plan.openPerNodeMax == nil,
                let ask = ledger.asks.first(where: { $0.worker != Plan.requester })
            else { return false }
            ledger.refusedForRoom.insert(ask.id)
            return true
        },
        Forgery(checker: "grace-kept") { ledger, plan in
            guard plan.grace != nil, let ask = ledger.asks.first else { return false }
            ledger.heldTooLong.insert(ask.id)
            return true
        },
        Forgery(checker: "bare-in-time") { ledger, _ in
            guard let (id, ask) = ledger.bareAsks.first(where: { $0.value.onExpiry != nil }) else {
                return false
            }
            ledger.bareReplies[id] = [
                Ledger.BareReply(time: ask.time, outcome: "expired", option: nil)
            ]
            return true
        },
        Forgery(checker: "asked-once") { ledger, plan in
            guard plan.asksOnce else { return false }
            var again = ledger.shown
            guard change(&again, where: { $0.hidden != nil }, { $0.isCutOff = true }),
                let shown = again.first(where: \.isCutOff)
            else { return false }
            ledger.shown =
                again + [
                    Ledger.Shown(
                        id: shown.id, presenter: shown.presenter, time: .max, origin: shown.origin,
                        path: shown.path, options: shown.options, onExpiry: shown.onExpiry,
                        deadline: shown.deadline)
                ]
            return true
        },
        Forgery(checker: "desk-asked") { ledger, plan in
            guard let worker = plan.deskWorker,
                let ask = ledger.asks.first(where: { $0.worker == worker })
            else { return false }
            ledger.deskStood[ask.id] = plan.recoveryMax + 1
            return true
        },
        Forgery(checker: "withheld-holds") { ledger, plan in
            change(
                &ledger.asks,
                where: { $0.trouble == plan.withheldTrouble && $0.worker == "worker1" }
            ) { $0.completions = [] }
        },
        Forgery(checker: "ids-apart") { ledger, _ in
            guard let ask = ledger.asks.first(where: \.isSecond) else { return false }
            ledger.attempts.append(
                Ledger.Attempt(
                    id: ask.id, process: ask.worker, life: ask.life, option: "retry",
                    time: ask.time))
            return true
        },
    ]
}
