import ErrorBus

/// A lie in the ledger of a good run, for each checker at least one that it has to find: a checker
/// that cannot fail proves nothing.
struct Forgery: Sendable {
    let checker: String
    /// Changes the ledger; false where it has nothing to lie about.
    let forge: @Sendable (inout Ledger, Plan) -> Bool

    static let all: [Forgery] =
        [
            Forgery(checker: "completed-once") { ledger, _ in
                change(&ledger.asks, where: { $0.completions.count == 1 }) {
                    $0.completions.append($0.completions[0])
                }
            },
            Forgery(checker: "bare-replied") { ledger, _ in
                guard let id = ledger.bareReplies.keys.min(by: { "\($0)" < "\($1)" }) else {
                    return false
                }
                ledger.bareReplies[id]?.append(
                    Ledger.BareReply(time: 0, outcome: "answered", option: "delete"))
                return true
            },
            Forgery(checker: "attempted-once") { ledger, _ in
                guard let attempt = ledger.attempts.first else { return false }
                ledger.attempts.append(attempt)
                return true
            },
            Forgery(checker: "decided-once") { ledger, _ in
                guard let decision = ledger.decisions.first else { return false }
                ledger.refusedDecisions.append((decision.id, decision.answer))
                return true
            },
            Forgery(checker: "one-prompt") { ledger, _ in
                guard let ask = ledger.asks.first else { return false }
                ledger.doublePrompts.append((ask.id, "duty"))
                return true
            },
            Forgery(checker: "agreed") { ledger, _ in
                change(&ledger.asks, where: { $0.completions.last?.outcome.answer?.via == .person })
                {
                    guard let (time, outcome) = $0.completions.popLast() else { return }
                    let lie = outcome.answer.map {
                        Answer(id: $0.id, option: "delete", by: $0.by, via: $0.via)
                    }
                    let forged = Outcome(
                        didRecover: outcome.didRecover, reason: outcome.reason,
                        decidedBy: outcome.decidedBy, answer: lie)
                    $0.completions.append((time, forged))
                }
            },
            Forgery(checker: "chosen") { ledger, _ in
                guard let attempt = ledger.attempts.first else { return false }
                let lie = Ledger.Attempt(
                    id: attempt.id, process: attempt.process, life: attempt.life, option: "delete",
                    time: attempt.time)
                ledger.attempts.append(lie)
                return true
            },
            Forgery(checker: "heard") { ledger, plan in
                guard let ask = ledger.asks.first else { return false }
                ledger.unheard[ask.id] = plan.recoveryMax + 999_999
                return true
            },
            Forgery(checker: "prompt-stays") { ledger, plan in
                guard let ask = ledger.asks.first else { return false }
                ledger.gaps[ask.id] = (ask.time, plan.recoveryMax + 999_999)
                return true
            },
            Forgery(checker: "prompt-goes") { ledger, plan in
                guard let ask = ledger.asks.first else { return false }
                ledger.leftOpen[ask.id] = plan.recoveryMax + 999_999
                return true
            },
            Forgery(checker: "answer-arrives") { ledger, plan in
                let (decided, last) = (Set(ledger.decisions.map(\.answer.id)), ledger.lastFault)
                let own = Set(ledger.decisions.map(\.id))
                return change(
                    &ledger.asks,
                    where: { ask in
                        own.contains(ask.id)
                            && ask.completions.first?.outcome.answer.map { decided.contains($0.id) }
                                == true
                    }
                ) {
                    $0.completions[0].time =
                        max($0.completions[0].time, last)
                        + plan.recoveryMax + 900_000
                }
            },
            Forgery(checker: "in-time") { ledger, _ in
                change(&ledger.asks, where: { $0.deadline != nil && !$0.completions.isEmpty }) {
                    $0.completions[0].time = ($0.deadline ?? 0) + 600_000
                }
            },
            Forgery(checker: "true-result") { ledger, plan in
                // Of a program without a link whose hop lives, and which carried the answer out.
                let asked = ledger.asks.filter { ask in
                    ask.worker == Plan.requester && !ask.isLifeOver && !ask.hasExpired
                        && !ledger.saidToADead(ask, plan)
                }.map(\.id)
                let said = ledger.decisions.filter { decision in
                    [.recovered, .failed].contains(decision.result)
                        && asked.contains(decision.id)
                        && ledger.attempts.contains {
                            $0.id == decision.id && $0.option == decision.answer.option
                                && $0.result != nil && !$0.isLifeOver
                        }
                }.map(\.id)
                if change(&ledger.decisions, where: { said.contains($0.id) }, { $0.result = nil }) {
                    return true
                }
                return change(&ledger.decisions, where: { $0.result == .recovered }) {
                    $0.result = .failed
                }
            },
            Forgery(checker: "expired-result") { ledger, _ in
                guard
                    let index = ledger.decisions.indices.first(where: { index in
                        ledger.asks.contains {
                            $0.id == ledger.decisions[index].id && !$0.isLifeOver && !$0.hasExpired
                                && !$0.isSecond && $0.worker != Plan.requester
                                && $0.isHeard && !$0.completions.isEmpty
                        }
                    })
                else { return false }
                ledger.decisions[index].result = .unknown
                let id = ledger.decisions[index].id
                return change(
                    &ledger.asks,
                    where: { $0.id == id && !$0.isLifeOver && !$0.isSecond && $0.isHeard }
                ) {
                    $0.completions.append(
                        (
                            $0.time,
                            Outcome(didRecover: false, reason: .expired, decidedBy: "worker1")
                        ))
                }
            },
            Forgery(checker: "prompts-gone") { ledger, _ in
                guard let ask = ledger.asks.first else { return false }
                ledger.prompts[ask.id] = 1
                return true
            },
            Forgery(checker: "tables-empty") { ledger, _ in
                ledger.leftovers.append(("relay1", "openAbove", 1))
                return true
            },
            Forgery(checker: "one-thread") { ledger, _ in
                ledger.threadCount = 2
                return true
            },
            leak, goesPast, oneOfTwo, otherValues, otherComment,
        ] + ofPeople + ofCallers + ofFeatures + ofResults + ofAcknowledgements + ofLast
        + ofMore + ofWide + ofReaders + ofAccounts + ofRules
        + [
            played, shared, statusTrue, refusedInTime, othersAsked, givenUpCallers, groupAtOnce,
            stopsClear, toldOfBoth, spoken,
        ] + onLinks

    static func change<Value>(
        _ values: inout [Value], where isMeant: (Value) -> Bool, _ body: (inout Value) -> Void
    ) -> Bool {
        guard let index = values.firstIndex(where: isMeant) else { return false }
        body(&values[index])
        return true
    }

    /// The checkers that found the lie, and those that did not; those of the same run that had
    /// nothing to lie about are in neither list.
    ///
    /// - Parameter found: What each checker says of the ledger as it is.
    static func tried(
        on ledger: Ledger, _ plan: Plan, besides found: [String: [String]]
    ) -> (caught: [String], missed: [String]) {
        var (caught, missed): ([String], [String]) = ([], [])
        for checker in Checker.all {
            let forgeries = all.filter { $0.checker == checker.name }
            if forgeries.isEmpty { missed.append(checker.name) }
            for forgery in forgeries {
                var forged = ledger
                guard forgery.forge(&forged, plan) else { continue }
                let isNew = checker.violations(forged, plan) != found[checker.name]
                if isNew { caught.append(checker.name) } else { missed.append(checker.name) }
            }
        }
        return (caught, missed)
    }
}
