import ErrorBus

/// What policies owe: see ``Plan/ruled``.
extension Checker {
    static let ofRules = [ruled]

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
        }
    ]
}
