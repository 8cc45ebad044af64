import ErrorBus

/// The results of answers, and the other events of a world.
extension Checker {
    static let ofResults = [
        attempted, resultFits, resultStands, answerCounts, notShownAgain, refused, promptEnds,
        timePasses, fewMessages, linkLeft, stopsInOrder,
    ]

    /// The options that every caller carries out itself.
    fileprivate static let own: Set = ["retry", "skip"]

    static let attempted = Checker(
        name: "attempted",
        rule: "a caller that hears of an answer of its own options has carried it out (C3)"
    ) { ledger, _ in
        ledger.asks.flatMap { ask in
            ask.completions.compactMap { _, outcome in
                guard let answer = outcome.answer, own.contains(answer.option) else { return nil }
                let isAttempted = ledger.attempts.contains {
                    $0.id == ask.id && $0.option == answer.option && $0.result != nil
                }
                return isAttempted ? nil : "\(ask.id): \(outcome), and nothing was attempted"
            }
        }
    }

    static let resultFits = Checker(
        name: "result-fits",
        rule: "a result says why nothing was carried out, where it does (C6)"
    ) { ledger, _ in
        ledger.decisions.compactMap { decision in
            let asks = ledger.asks.filter { $0.id == decision.id }
            let fits: Bool =
                switch decision.result {
                case .withdrawn: asks.contains { $0.cancelled != nil || $0.hasEnded(but: decision) }
                case .late: asks.contains { $0.hasEnded(but: decision) }
                case .invalid: !own.contains(decision.answer.option)
                case .failed:
                    !own.contains(decision.answer.option)
                        || ledger.attempts.contains {
                            $0.id == decision.id && $0.option == decision.answer.option
                        }
                case .recovered, .unknown, nil: true
                }
            let found = decision.result?.rawValue ?? ""
            return fits || asks.isEmpty
                ? nil : "\(decision.id): \(decision.answer.option) is said to be \(found)"
        }
    }

    static let resultStands = Checker(
        name: "result-stands",
        rule: "what is settled is answered with its result, never with its option again (C2)"
    ) { ledger, _ in
        ledger.attempts.compactMap { attempt in
            guard let decision = ledger.decision(of: attempt.id), let settled = decision.settled,
                decision.result == .recovered || decision.result == .failed,
                // What was under way on a silent link may still arrive.
                attempt.time > settled + 20_000
            else { return nil }
            return "\(attempt.id): attempted at \(attempt.time), settled at \(settled)"
        }
    }

    static let answerCounts = Checker(
        name: "answer-counts",
        rule: "where nothing goes wrong an answer given in time counts, the last moment's too (C7)"
    ) { ledger, plan in
        guard plan.isCalm, plan.coalescer == nil else { return [] }
        return ledger.asks.compactMap { ask in
            guard let deadline = ask.deadline, ask.cancelled == nil, !ask.isSecond,
                let outcome = ask.completions.first?.outcome
            else { return nil }
            // What may be taken back counts when the time is over.
            let isGiven = ledger.given.contains {
                $0.id == ask.id && !$0.isUndone && $0.time + 200 <= deadline
            }
            guard let decision = ledger.decision(of: ask.id), decision.time <= deadline + 150 else {
                return isGiven && plan.hasQuickDisk
                    ? "\(ask.id): \(outcome), and an answer was given" : nil
            }
            return outcome.answer?.id == decision.answer.id
                ? nil : "\(ask.id): \(outcome), decided at \(decision.time) for \(deadline)"
        }
    }

    static let notShownAgain = Checker(
        name: "not-shown-again", rule: "what is decided and on record is put to no person (C5)"
    ) { ledger, _ in ledger.shownDecided.map { "\($0): shown after its answer was on record" } }

    static let timePasses = Checker(
        name: "time-passes", rule: "no node goes on for ever without time passing"
    ) { ledger, _ in
        ledger.stuckAt.map { ["nothing but work at \($0)"] } ?? []
    }

    static let fewMessages = Checker(
        name: "few-messages", rule: "what is lost is sent again at a pace, and what is known is not"
    ) { ledger, _ in
        let most = 40 + 12 * (ledger.asks.count + ledger.bareReplies.count)
        return ledger.busiest > most
            ? ["\(ledger.busiest) messages in one second on a link, at most \(most)"] : []
    }

    static let stopsInOrder = Checker(
        name: "stops-in-order",
        rule: "callers have their outcome before their process, which stops in order, is gone (C1)"
    ) { ledger, _ in ledger.leftWaiting.map { "\($0): no outcome" } }

    static let linkLeft = Checker(
        name: "link-left", rule: "a link on which nothing comes back is given up within 15 s"
    ) { ledger, _ in ledger.clung.map { "\($0): kept for more than 15 s" } }
}

extension Ledger.Ask {
    /// Its process is gone, or it has another end than this decision's.
    fileprivate func hasEnded(but decision: Ledger.Decision) -> Bool {
        isLifeOver || completions.contains { $0.outcome.answer?.id != decision.answer.id }
    }
}

extension Forgery {
    static let ofResults = [
        Forgery(checker: "attempted") { ledger, _ in
            let ask = ledger.asks.first { ask in
                ask.completions.contains { Checker.own.contains($0.outcome.answer?.option ?? "") }
            }
            guard let ask else { return false }
            ledger.attempts.removeAll { $0.id == ask.id }
            return true
        },
        Forgery(checker: "result-fits") { ledger, _ in
            let ids = ledger.asks.filter { $0.cancelled == nil && !$0.isLifeOver }.map(\.id)
            return change(
                &ledger.decisions,
                where: { Checker.own.contains($0.answer.option) && ids.contains($0.id) }
            ) { $0.result = .invalid }
        },
        Forgery(checker: "result-stands") { ledger, _ in
            guard let decision = ledger.decisions.first(where: { $0.result == .recovered }) else {
                return false
            }
            ledger.attempts.append(
                Ledger.Attempt(
                    id: decision.id, process: "worker1", life: 99, option: decision.answer.option,
                    time: .max))
            return true
        },
        Forgery(checker: "answer-counts") { ledger, plan in
            guard plan.isCalm, plan.coalescer == nil else { return false }
            let decided = Dictionary(ledger.decisions.map { ($0.id, $0.time) }) { first, _ in first
            }
            return change(
                &ledger.asks,
                where: { ask in
                    ask.cancelled == nil && !ask.isSecond
                        && decided[ask.id] ?? .max <= ask.deadline ?? 0
                        && ask.completions.first?.outcome.reason == .answered
                        && ask.completions.first?.outcome.answer?.via == .person
                }
            ) {
                let lie = Outcome(didRecover: false, reason: .expired, decidedBy: "worker1")
                $0.completions[0].outcome = lie
            }
        },
        Forgery(checker: "not-shown-again") { ledger, _ in
            guard let decision = ledger.decisions.first else { return false }
            ledger.shownDecided.append(decision.id)
            return true
        },
        Forgery(checker: "stops-in-order") { ledger, _ in
            guard let ask = ledger.asks.first else { return false }
            ledger.leftWaiting.append(ask.id)
            return true
        },
        Forgery(checker: "link-left") { ledger, _ in
            ledger.clung.append("worker1 - relay1")
            return true
        },
        refused, promptEnds,
        Forgery(checker: "time-passes") { ledger, _ in
            ledger.stuckAt = 1_000
            return true
        },
        Forgery(checker: "few-messages") { ledger, _ in
            ledger.busiest = 1_000_000
            return true
        },
    ]
}
