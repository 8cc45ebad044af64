import ErrorBus

/// What the reply to a bare client says.
extension Checker {
    /// What the document has as the outcome of a reply.
    private static let words: Set = ["answered", "handled", "withheld", "expired", "rejected"]

    static let bareWord = Checker(
        name: "bare-word",
        rule: "the outcome of a bare client's reply is what happened, as the document says it"
    ) { ledger, plan in
        let replies = ledger.bareReplies.flatMap { id, replies in replies.map { (id, $0) } }
        let seconds = ledger.bareSeconds.flatMap { id, replies in replies.map { (id, $0) } }
        return (replies + seconds).compactMap { id, reply in
            fits(reply, ledger.bareAsks[id], plan)
                ? nil
                : "\(id): \(reply.outcome) \(reply.option ?? ""), code "
                    + "\(reply.code.map(String.init) ?? "none")"
        }.sorted()
    }

    private static func fits(
        _ reply: Ledger.BareReply, _ ask: Ledger.BareAsk?, _ plan: Plan
    ) -> Bool {
        switch reply.outcome {
        case "answered": reply.option != nil && reply.code == nil
        case "expired":
            reply.option == nil && reply.code.map { $0 == 408 } != false
                && isOver(ask, at: reply.time, plan)
        case "rejected": reply.option == nil && reply.code.map { $0 != 408 } == true
        default: words.contains(reply.outcome) && reply.code == nil
        }
    }

    /// Its time is, or that which a node gives it.
    private static func isOver(_ ask: Ledger.BareAsk?, at time: UInt64, _ plan: Plan) -> Bool {
        guard let ask, plan.presenterDeadline == nil, plan.impatience == nil,
            plan.processes.allSatisfy({ $0.deadline == nil })
        else { return true }
        // Without a deadline ten minutes.
        return time + 50 >= ask.deadline ?? ask.time + 600_000
    }
}

extension Forgery {
    static let bareWord = Forgery(checker: "bare-word") { ledger, _ in
        guard let id = ledger.bareReplies.first(where: { !$0.value.isEmpty })?.key else {
            return false
        }
        ledger.bareReplies[id]?[0].outcome = "rejected"
        ledger.bareReplies[id]?[0].code = 408
        return true
    }
}
