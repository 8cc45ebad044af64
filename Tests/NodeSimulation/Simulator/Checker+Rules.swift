import ErrorBus

/// What policies and silences owe: see ``Plan/ruled``.
extension Checker {
    static let ofRules = [ruled, silencePaces]

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
    ]
}
