import ErrorBus

/// What a chain does with its presenters, its callers, its equal errors and its end.
extension Checker {
    static let othersAsked = Checker(
        name: "others-asked",
        rule: "a presenter that declines or fails leaves a prompt to the others that have it (A35)"
    ) { ledger, plan in
        guard let decliner = plan.decliner else { return [] }
        return ledger.shown.compactMap { shown in
            guard shown.presenter != decliner.name, let hidden = shown.hidden,
                !ledger.hasEnded(shown.id, by: hidden)
            else { return nil }
            return "\(shown.id): taken from \(shown.presenter) at \(hidden), without an answer"
        }
    }

    static let givenUpCallers = Checker(
        name: "given-up-callers",
        rule: "an operation is neither repeated nor reported once its caller has given up"
    ) { ledger, _ in ledger.ranOn }

    static let groupAtOnce = Checker(
        name: "group-at-once",
        rule: "equal errors have their answer when the first has it, whatever its recovery takes"
    ) { ledger, plan in
        guard plan.isCalm, plan.scene != nil, plan.coalescer != nil else { return [] }
        let late = ledger.sharedAttempts(plan).compactMap { decision, ask, place -> String? in
            let attempt = ledger.attempts[place]
            let since = max(decision.time, ask.time)
            return attempt.time > since + plan.recoveryMax
                ? "\(ask.id): attempted \(attempt.time - since) ms after the answer" : nil
        }
        guard plan.scene == .slowFirst else { return late }
        let expired = ledger.asks.filter { ask in
            ask.cancelled == nil && ask.hasExpired && ledger.answeredEqual(of: ask) != nil
        }
        return late + expired.map { "\($0.id): expired, and an answer was there before" }
    }

    static let stopsClear = Checker(
        name: "stops-clear",
        rule: "a node that stops in order takes what it was asked from its people and its chain"
    ) { ledger, _ in ledger.leftInChain }
}

extension Ledger {
    /// Whether something had happened by then that takes a prompt from people.
    fileprivate func hasEnded(_ id: PresentationID, by time: UInt64) -> Bool {
        let ends = asks.filter { $0.id == id }.flatMap { ask -> [UInt64] in
            [ask.cancelled, ask.lifeEnd, ask.deadline].compactMap(\.self)
                + ask.completions.map(\.time)
        }
        return ends.contains { $0 <= time + 50 }
            || given.contains { $0.id == id && !$0.isUndone && $0.time <= time }
            // With a group; it is on disk soon after that.
            || decisions.contains { $0.id == id && $0.time <= time + 1_000 }
    }

    /// What was carried out for an answer to an equal error: the decision, the asking, and the
    /// place of the attempt.
    fileprivate func sharedAttempts(
        _ plan: Plan
    ) -> [(decision: Decision, ask: Ask, place: Int)] {
        asks.compactMap { ask in
            guard let answer = ask.completions.first?.outcome.answer,
                let decision = shared(answer.id, by: ask, plan), decision.id != ask.id,
                let place = attempts.firstIndex(where: {
                    $0.id == ask.id && $0.life == ask.life && $0.option == answer.option
                })
            else { return nil }
            return (decision, ask, place)
        }
    }

    /// The decision of an equal error that `ask` waited for, in good time before its own end.
    fileprivate func answeredEqual(of ask: Ask) -> Decision? {
        guard let deadline = ask.deadline else { return nil }
        // What ended for its own sake served no other.
        let equal = asks.filter {
            $0.id != ask.id && $0.trouble == ask.trouble && $0.cancelled == nil && !$0.hasExpired
        }
        return decisions.first { decision in
            ask.time + 1_000 < decision.time && decision.time + 1_000 < deadline
                && equal.contains { $0.id == decision.id }
        }
    }
}

extension Forgery {
    static let othersAsked = Forgery(checker: "others-asked") { ledger, plan in
        guard let decliner = plan.decliner else { return false }
        let before = ledger
        return change(
            &ledger.shown,
            where: { $0.presenter != decliner.name && !before.hasEnded($0.id, by: $0.time) }
        ) { $0.hidden = $0.time }
    }

    static let givenUpCallers = Forgery(checker: "given-up-callers") { ledger, _ in
        ledger.ranOn.append("forged")
        return true
    }

    static let groupAtOnce = Forgery(checker: "group-at-once") { ledger, plan in
        guard plan.isCalm, plan.scene != nil, plan.coalescer != nil,
            let place = ledger.sharedAttempts(plan).first?.place
        else { return false }
        let attempt = ledger.attempts[place]
        ledger.attempts[place] = Ledger.Attempt(
            id: attempt.id, process: attempt.process, life: attempt.life, option: attempt.option,
            time: .max)
        return true
    }

    static let stopsClear = Forgery(checker: "stops-clear") { ledger, _ in
        ledger.leftInChain.append("forged")
        return true
    }
}
