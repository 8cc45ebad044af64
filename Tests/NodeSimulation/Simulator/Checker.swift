import ErrorBus

/// Something that must hold, judged by the ledger alone.
struct Checker: Sendable {
    let name: String
    /// What it says, and the code that it has among the project's invariants.
    let rule: String
    /// What was found wrong; empty when it holds.
    let violations: @Sendable (Ledger, Plan) -> [String]

    static let all: [Checker] =
        [
            completedOnce, bareReplied, attemptedOnce, decidedOnce, onePrompt, agreed, chosen,
            heard, promptStays, promptGoes,
            answerArrives, inTime, trueResult, expiredResult, promptsGone, tablesEmpty, oneThread,
            keptFromStrangers, goesPast, acknowledged,
        ] + ofPeople + ofCallers + ofFeatures + ofResults + ofLast + ofMore + ofWide + ofReaders
        + [
            played, shared, statusTrue, refusedInTime, signedIn, heldGiven, othersAsked,
            givenUpCallers, groupAtOnce, stopsClear, toldOfBoth, spoken,
        ] + ofRules + onLinks

    static let completedOnce = Checker(
        name: "completed-once", rule: "every caller gets exactly one outcome (C1)"
    ) { ledger, _ in
        ledger.asks.filter {
            $0.completions.count > 1 || ($0.completions.isEmpty && !$0.isLifeOver)
        }.map { "\($0.id) asked by \($0.worker): \($0.completions.count) outcomes" }
            + ledger.bareSeconds.filter(\.value.isEmpty).map { "\($0.key) of a bare client: none" }
    }

    static let bareReplied = Checker(
        name: "bare-replied", rule: "a bare client gets the recorded answer, however often (C1, C3)"
    ) { ledger, plan in
        ledger.bareReplies.compactMap { id, replies in
            guard let first = replies.first else { return "\(id): no reply" }
            let said = replies.map { "\($0.outcome) \($0.option ?? "")" }.joined(separator: ", ")
            guard replies.allSatisfy({ $0.outcome == first.outcome && $0.option == first.option })
            else { return "\(id): \(said)" }
            guard plan.forgedTrouble == nil || first.outcome == "withheld" else {
                return "\(id): \(said), its relay has withheld it"
            }
            let decided = ledger.decision(of: id)?.answer.option
            guard first.outcome == "answered", first.option != decided else { return nil }
            let ask = ledger.bareAsks[id]
            let isDeclared = first.option != nil && first.option == ask?.onExpiry
            return isDeclared && ask?.deadline.map { first.time + 50 >= $0 } == true
                ? nil : "\(id): \(said), recorded is \(decided ?? "nothing")"
        }.sorted()
    }

    static let attemptedOnce = Checker(
        name: "attempted-once", rule: "one attempt per presentation and life of the owner (C2)"
    ) { ledger, _ in
        Dictionary(grouping: ledger.attempts) { "\($0.id) in \($0.process), life \($0.life)" }
            .filter { $0.value.count > 1 }
            .map { "\($0.key): \($0.value.map(\.option).joined(separator: ", "))" }.sorted()
    }

    static let decidedOnce = Checker(
        name: "decided-once", rule: "one decision per presentation (C5)"
    ) { ledger, _ in
        ledger.refusedDecisions.map { id, answer in
            let recorded = ledger.decision(of: id).map { "\($0.answer.option)" } ?? "none"
            return "\(id): \(answer.option) after \(recorded)"
        }
    }

    static let onePrompt = Checker(
        name: "one-prompt", rule: "no presenter has two prompts of a presentation at a time (C5)"
    ) { ledger, _ in
        ledger.doublePrompts.map { "\($0.id): twice in front of \($0.presenter)" }
    }

    static let agreed = Checker(
        name: "agreed", rule: "the outcome is the recorded answer and what its attempt came to (C3)"
    ) { ledger, plan in
        ledger.asks.flatMap { ask in
            ask.completions.compactMap { _, outcome in disagreement(outcome, ask, ledger, plan) }
        }
    }

    private static func disagreement(
        _ outcome: Outcome, _ ask: Ledger.Ask, _ ledger: Ledger, _ plan: Plan
    ) -> String? {
        let attempts = ledger.attempts.filter { $0.id == ask.id }
        if outcome.didRecover, !attempts.contains(where: { $0.result?.didRecover == true }) {
            return "\(ask.id): \(outcome), and no attempt recovered"
        }
        guard let answer = outcome.answer else { return nil }
        if answer.via == .expiry {
            return answer.option == ask.onExpiry
                ? nil : "\(ask.id): \(answer.option) on expiry, declared \(ask.onExpiry ?? "none")"
        }
        guard
            let decision = ledger.shared(answer.id, by: ask, plan)
                ?? ledger.deskAnswers.first(where: { $0.answer.id == answer.id })
                ?? ledger.decision(of: ask.id)
        else { return "\(ask.id): \(outcome), and nothing is recorded" }
        guard decision.answer.id == answer.id, decision.answer.option == answer.option else {
            return "\(ask.id): \(outcome), recorded is \(decision.answer.option)"
        }
        let own = attempts.first { $0.life == ask.life && $0.option == answer.option }
        if outcome.reason == .answered, let result = own?.result,
            result.didRecover != outcome.didRecover
        {
            return "\(ask.id): \(outcome), its attempt says recovered: \(result.didRecover)"
        }
        return nil
    }

    static let chosen = Checker(
        name: "chosen", rule: "what is attempted was offered, and chosen or declared (C2, C3)"
    ) { ledger, plan in
        ledger.attempts.compactMap { attempt in
            let asks = ledger.asks.filter { $0.id == attempt.id }
            if plan.coalescer != nil, ledger.isShared(attempt) { return nil }
            let isDeclared = asks.contains { ask in
                ask.onExpiry == attempt.option
                    && ask.deadline.map { $0 <= attempt.time + 50 } == true
            }
            if isDeclared { return nil }
            let atDesk = ledger.deskAnswer(to: attempt.id, by: attempt.time)
            if atDesk?.answer.option == attempt.option { return nil }
            guard let decision = ledger.decision(of: attempt.id), decision.time <= attempt.time,
                decision.answer.option == attempt.option
            else { return "\(attempt.id): \(attempt.option) attempted, and not chosen" }
            return ledger.offered[attempt.id]?.contains(attempt.option) == true
                || decision.answer.via == .policy
                ? nil : "\(attempt.id): \(attempt.option) attempted, and not offered"
        }
    }

    static let heard = Checker(
        name: "heard", rule: "what is asked reaches a parent within the stated time"
    ) { ledger, plan in
        ledger.unheard.filter { $0.value > plan.recoveryMax }
            .map { "\($0.key): no parent heard of it for \($0.value) ms" }.sorted()
    }

    static let promptStays = Checker(
        name: "prompt-stays",
        rule: "what is asked, has a way to people and is undecided is in front of them, but for "
            + "the stated gap after a fault"
    ) { ledger, plan in
        ledger.gaps.filter { $0.value.lasted > plan.recoveryMax }
            .map { "\($0.key): no prompt for \($0.value.lasted) ms" }.sorted()
    }

    static let promptGoes = Checker(
        name: "prompt-goes",
        rule: "what its caller has given up, or has the outcome of, is soon in front of no person"
    ) { ledger, plan in
        ledger.leftOpen.filter { $0.value > plan.recoveryMax }
            .map { "\($0.key): stood for \($0.value) ms after its end" }.sorted()
    }

    static let answerArrives = Checker(
        name: "answer-arrives",
        rule: "a live origin with a way to the presenter has the answer within the stated time"
    ) { ledger, plan in
        let waiting = ledger.undelivered.filter { $0.value > plan.recoveryMax }
        return waiting.map { "\($0.key): waited \($0.value) ms for what is on record" }.sorted()
            + ledger.asks.compactMap { ask in
                guard let decision = ledger.decision(of: ask.id), let end = ask.completions.first,
                    end.outcome.answer?.id == decision.answer.id
                else { return nil }
                let attempts = ledger.attempts.filter { $0.id == ask.id }
                let spent =
                    attempts.compactMap { a in a.result.map { $0.time - a.time } }.max() ?? 0
                let fault = max(ledger.lastFault, ledger.crowdedAt[ask.id] ?? 0)
                let from = max(decision.time, min(fault, end.time), ask.time)
                let late = end.time - from
                // A plain client whose request or reply was lost asks again after a while.
                let pause = ask.worker == Plan.requester ? Requester.patience : 0
                return late > plan.recoveryMax + pause + spent
                    ? "\(ask.id): completed \(late) ms after the decision" : nil
            }
    }

    static let inTime = Checker(
        name: "in-time", rule: "a caller with a deadline has its outcome then (C7)"
    ) { ledger, plan in
        ledger.asks.compactMap { ask in
            guard let deadline = ask.deadline, let end = ask.completions.first else { return nil }
            let attempts = ledger.attempts.filter { $0.id == ask.id }
            let spent = attempts.compactMap { a in a.result.map { $0.time - a.time } }.max() ?? 0
            let due = max(deadline, plan.thaw(of: ask.worker, at: deadline))
            return end.time > due + spent + 1_500
                ? "\(ask.id): \(end.time - deadline) ms after its deadline, \(end.outcome)" : nil
        }
    }

    static let trueResult = Checker(
        name: "true-result", rule: "every decision has its true result in the end (C6)"
    ) { ledger, plan in
        ledger.decisions.compactMap { decision in
            let found = "\(decision.id): \(decision.result.map(\.rawValue) ?? "no result")"
            if ledger.isOvertaken(decision, plan) {
                return [.recovered, .failed].contains(decision.result)
                    ? "\(found), and the answer to an equal one was carried out" : nil
            }
            // What was applied on expiry came of no answer.
            let expired = ledger.asks.filter(\.hasExpired)
            let attempts = ledger.attempts.filter { attempt in
                attempt.id == decision.id && attempt.option == decision.answer.option
                    && attempt.result != nil
                    && ledger.deskAnswer(to: attempt.id, by: attempt.time) == nil
                    && !expired.contains { $0.id == attempt.id && $0.life == attempt.life }
            }
            let results = attempts.map { $0.result?.didRecover == true }
            switch decision.result {
            case .recovered:
                return results.contains(true) ? nil : "\(found), and no attempt recovered"
            case .failed:
                return results.isEmpty || results.contains(false)
                    ? nil : "\(found), and its attempt recovered"
            case nil, .late, .withdrawn, .invalid, .unknown: break
            }
            // A process that has died cannot say what its attempt came to.
            let said = attempts.first { attempt in
                !attempt.isLifeOver
                    && !ledger.asks.contains {
                        $0.id == attempt.id && ledger.saidToADead($0, plan)
                    }
            }
            if let attempt = said {
                return "\(found), and it recovered: \(attempt.result?.didRecover == true)"
            }
            return isMissing(decision) && isOwed(decision, ledger, plan) { !$0.hasExpired }
                ? "\(found), and its origin lives" : nil
        }
    }

    static let expiredResult = Checker(
        name: "expired-result",
        rule: "an answer that came after its time is settled as that, not as undelivered (C6)"
    ) { ledger, plan in
        ledger.decisions.filter { decision in
            isMissing(decision) && isOwed(decision, ledger, plan, by: \.hasExpired)
        }.map { "\($0.id): \($0.result?.rawValue ?? "no result"), and its origin lives" }
    }

    private static func isMissing(_ decision: Ledger.Decision) -> Bool {
        decision.result == nil || decision.result == .unknown
    }

    private static func isOwed(
        _ decision: Ledger.Decision, _ ledger: Ledger, _ plan: Plan,
        by isMeant: (Ledger.Ask) -> Bool
    ) -> Bool {
        // Who gave up before a parent heard of it says nothing of what an earlier life asked; that
        // a parent hears of it in time is `heard`'s to check.
        ledger.asks.contains {
            $0.id == decision.id && !$0.isLifeOver && !$0.isSecond && $0.isHeard && isMeant($0)
                && !ledger.saidToADead($0, plan)
        }
    }

    static let promptsGone = Checker(
        name: "prompts-gone", rule: "in the end nothing is in front of people (C5, C8)"
    ) { ledger, _ in
        ledger.prompts.filter { $0.value != 0 }.map { "\($0.key): \($0.value) prompts" }.sorted()
    }

    static let tablesEmpty = Checker(
        name: "tables-empty", rule: "in the end no node holds anything open (C8)"
    ) { ledger, _ in
        ledger.leftovers.map { "\($0.process): \($0.count) in \($0.table)" }.sorted()
            + (ledger.unrepliedCount == 0 ? [] : ["\(ledger.unrepliedCount) nodes did not reply"])
    }

    static let oneThread = Checker(
        name: "one-thread", rule: "nothing runs that the seed does not order"
    ) { ledger, _ in
        ledger.threadCount == 1 ? [] : ["\(ledger.threadCount) threads"]
    }
}

extension Plan {
    /// The longest that links take to be as they should after a fault has begun or ended, in
    /// milliseconds: silence is noticed, a parent is greeted again, what is open is asked again.
    var recoveryMax: UInt64 {
        // What was refused for a limit is asked again after 1.5 s, at each hop; what the client
        // of a revoked key asked goes after 2 s.
        if isCalm { return 2_100 + (policy?.delayMax ?? 0) + (openMax == nil ? 0 : 3_000) }
        return isFailover || isTight ? 20_000 : 65_000
    }
}
