import ErrorBus

/// What policies and silences owe: see ``Plan/ruled``.
extension Checker {
    static let ofRules = [ruled, silencePaces, silenceKept, limitOpens, withheldAtOnce]

    private static let ruled = Checker(
        name: "ruled",
        rule: "of a policy's rules the first that matches and is in force decides, and no other"
    ) { ledger, plan in
        guard let ruling = plan.ruling else { return [] }
        return ledger.asks.compactMap { ask in
            guard let number = plan.certainRule(for: ask) else { return nil }
            let answer = ledger.decision(of: ask.id)?.answer
            let isWithheld = ask.completions.first?.outcome.reason == .withheld
            let found =
                isWithheld
                ? "withheld" : answer.map { "\($0.option) \($0.comment ?? "")" } ?? "no answer"
            guard number > 0 else {
                return isWithheld || answer?.via == .policy
                    ? "\(ask.id): \(found), by none of the rules" : nil
            }
            let option = ruling.clauses[number - 1].option
            let isRuled =
                option == nil
                ? isWithheld
                : answer?.via == .policy && answer?.option == option
                    && answer?.comment == Ruling.comment(number)
            let isShown = ledger.shown.contains { $0.id == ask.id }
            return isRuled && !isShown
                ? nil : "\(ask.id): \(found), shown: \(isShown), for rule \(number) to decide"
        }
    }

    private static let silencePaces = Checker(
        name: "silence-paces",
        rule: "a silence answers at once, and after three retries 1, 2, 4 .. 32 s later"
    ) { ledger, plan in
        ledger.asks.compactMap { ask in
            guard let pause = plan.pause(before: ask) else { return nil }
            guard let decision = ledger.decision(of: ask.id), decision.answer.via == .policy else {
                let end = plan.silencing?.end ?? 0
                return ask.time + pause + 1_000 < plan.start + end
                    ? "\(ask.id): not answered by the silence" : nil
            }
            let waited = Int64(decision.time) - Int64(ask.time)
            return (Int64(pause)...Int64(pause) + 1_000).contains(waited)
                ? nil : "\(ask.id): after \(ask.retryCount) retries answered \(waited) ms later"
        }
    }

    private static let silenceKept = Checker(
        name: "silence-kept",
        rule: "a silence that is kept goes on after a restart until its end; one that is not does "
            + "not"
    ) { ledger, plan in
        ledger.asks.compactMap { ask in
            guard let isSilent = plan.isSilentAgain(for: ask, ledger) else { return nil }
            let answer = ledger.decision(of: ask.id)?.answer
            let isWithheld = ask.completions.first?.outcome.reason == .withheld
            let isShown = ledger.shown.contains { $0.id == ask.id && $0.time >= ask.time }
            if !isSilent {
                return isWithheld || answer?.via == .policy ? "\(ask.id): silenced" : nil
            }
            let option = plan.silencing?.option
            let isKept =
                option == nil ? isWithheld : answer?.via == .policy && answer?.option == option
            return isKept && !isShown ? nil : "\(ask.id): not silenced, shown: \(isShown)"
        }
    }
}

extension Plan {
    /// The number of the rule that is to decide; nil where that changes, or the clock is put to
    /// another time, while it is on its way.
    fileprivate func certainRule(for ask: Ledger.Ask) -> Int? {
        guard let ruling, ask.cancelled == nil, !ask.isLifeOver else { return nil }
        let (before, after) = (ask.time - 50, ask.time + 1_000)
        let isPut = faults.contains { time, _ in (before...after).contains(start + time) }
        let numbers = [before, ask.time, after].map {
            ruling.ruleNumber(for: ask, at: wall(at: $0))
        }
        return !isPut && Set(numbers).count == 1 ? numbers[0] : nil
    }

    /// How long a silence waits before it answers; nil where that is not certain.
    fileprivate func pause(before ask: Ledger.Ask) -> UInt64? {
        guard let silencing, silencing.option != nil, isCalm, hasQuickDisk,
            ask.trouble == silencing.trouble, ask.time > start + max(silencing.from, 3_000),
            ask.deadline == nil, ask.cancelled == nil, !ask.isLifeOver
        else { return nil }
        let pauses: [UInt64] = [0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]
        return pauses[min(ask.retryCount, pauses.count - 1)]
    }

    /// Whether a silence is in force for what is asked after the presenter's restart; nil where
    /// that is not certain, or where another end than that of a silence is on record.
    fileprivate func isSilentAgain(for ask: Ledger.Ask, _ ledger: Ledger) -> Bool? {
        guard scene == .quietOnce, let silencing, ask.trouble == silencing.trouble,
            ask.time > start + 25_000, ask.retryCount == 0, !ask.isLifeOver
        else { return nil }
        let isAnew = ledger.asks.allSatisfy { before in
            before.id != ask.id || before.life == ask.life
                || before.completions.first?.outcome.reason == .withheld
        }
        guard isAnew else { return nil }
        if !keepsSilences || ask.time > start + silencing.end { return false }
        return ask.time + 20_000 < start + silencing.end ? true : nil
    }
}

extension Ledger {
    /// A silence put its answer off when the life of the presenter ended that had taken it in.
    func wasPutOff(_ ask: Ask, before end: UInt64, _ plan: Plan) -> Bool {
        plan.silencing?.trouble == ask.trouble && ask.retryCount > 2
            && taken.contains { taken in
                taken.id == ask.id && lifeEnds[taken.life].map { $0.time < end } == true
            }
    }
}

extension Forgery {
    static let ofRules = [
        Forgery(checker: "ruled") { ledger, plan in
            guard let ruling = plan.ruling else { return false }
            let ask = ledger.asks.first { ask in
                plan.certainRule(for: ask).map { $0 > 0 && ruling.clauses[$0 - 1].option != nil }
                    == true
            }
            guard let ask else { return false }
            return change(&ledger.decisions, where: { $0.id == ask.id }) {
                let lie = Answer(
                    id: $0.answer.id, option: $0.answer.option, by: $0.answer.by, via: .policy,
                    comment: "by another")
                $0 = Ledger.Decision(id: $0.id, answer: lie, time: $0.time)
            }
        },
        Forgery(checker: "silence-paces") { ledger, plan in
            let late = ledger.asks.filter {
                $0.retryCount > 2 && plan.pause(before: $0) != nil
            }
            return change(
                &ledger.decisions,
                where: { decision in
                    decision.answer.via == .policy && late.contains { $0.id == decision.id }
                }
            ) { decision in
                let time = late.first(where: { $0.id == decision.id })?.time ?? 0
                decision = Ledger.Decision(id: decision.id, answer: decision.answer, time: time)
            }
        },
        Forgery(checker: "silence-kept") { ledger, plan in
            let known = ledger
            return change(
                &ledger.asks,
                where: { !$0.completions.isEmpty && plan.isSilentAgain(for: $0, known) == false }
            ) {
                let lie = Outcome(didRecover: false, reason: .withheld, decidedBy: "central")
                $0.completions[0].outcome = lie
            }
        },
        limitOpens, withheldAtOnce,
    ]
}
