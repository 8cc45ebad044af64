import ErrorBus

extension People {
    /// Why a person answers so; some say nothing. By the time alone, so that the seeds stay what
    /// they were.
    func comment(on id: PresentationID) -> String? {
        let now = world.scheduler.now
        return now.isMultiple(of: 3) ? "At \(now),\nof \(id)." : nil
    }
}

extension Checker {
    static let commentsArrive = Checker(
        name: "comments-arrive",
        rule: "a caller gets the comment on record with its answer, which is what the person gave"
    ) { ledger, _ in
        let recorded = Dictionary(
            (ledger.allDecisions + ledger.deskAnswers).map { ($0.answer.id, $0.answer) }
        ) { first, _ in first }
        let given = ledger.given.filter { given in
            recorded[given.answer].map { $0.comment != given.comment } ?? false
        }.map { "\($0.id): recorded with another comment than \($0.comment ?? "none")" }
        // What a relay has made up is on no record; a program without a link reads no comments.
        let asks = ledger.asks.filter { $0.worker != Plan.requester }
        return given
            + asks.flatMap { ask in
                ask.completions.compactMap { _, outcome in
                    guard let answer = outcome.answer, let decided = recorded[answer.id],
                        decided.comment != answer.comment
                    else { return nil }
                    return "\(ask.id): \(answer.comment ?? "no comment"), recorded is "
                        + (decided.comment ?? "none")
                }
            }
    }
}

extension Forgery {
    static let otherComment = Forgery(checker: "comments-arrive") { ledger, _ in
        let recorded = Set(ledger.decisions.map(\.answer.id))
        return change(
            &ledger.asks,
            where: { ask in
                ask.worker != Plan.requester
                    && ask.completions.last?.outcome.answer.map { recorded.contains($0.id) } == true
            }
        ) {
            guard let (time, outcome) = $0.completions.popLast() else { return }
            let lie = outcome.answer.map {
                Answer(id: $0.id, option: $0.option, by: $0.by, via: $0.via, comment: "forged")
            }
            let forged = Outcome(
                didRecover: outcome.didRecover, reason: outcome.reason,
                decidedBy: outcome.decidedBy, answer: lie)
            $0.completions.append((time, forged))
        }
    }
}
