import ErrorBus

/// What people try that an inbox has to refuse. Refused, it changes nothing.
extension People {
    /// More than the limits allow, what is not offered, and what another person has claimed.
    func trespass(on item: InboxItem, by person: String) {
        let longer = Duration.seconds(1)
        attempt("a claim for too long, of \(item.id)") {
            try inbox.claim(item.id, by: person, for: limits.claimMax + longer, takesOver: true)
        }
        attempt("an answer held for too long, to \(item.id)") {
            try inbox.answer(item.id, option: "skip", by: person, undo: limits.undoMax + longer)
        }
        attempt("an option that is not offered, to \(item.id)") {
            try inbox.answer(item.id, option: "delete", by: person)
        }
        for option in item.report.options.map(\.id) where item.needsTwoPeople(option) {
            attempt("what needs two people, alone, for \(item.id)") {
                try inbox.answer(item.id, option: option, by: person)
            }
            confirmTooLate(item.id, option)
        }
        trespassWithValues(on: item, by: person)
        trespassWithAccounts(on: item)
        // What has ended is kept for as long as there is room.
        let isKept = world.plan.inboxEndedMax == nil
        for given in world.ledger.given
        where isKept && given.id == item.id && isKnownUndone(given) {
            repeatTakenBack(given, option: "skip")
        }
        if let proposal = item.proposal {
            attempt("to confirm what the same person proposed, for \(item.id)") {
                try inbox.confirm(
                    item.id, proposal.id, option: proposal.option,
                    by: SignedInPerson(proposal.by))
            }
            // They saw another proposal, which this one has replaced.
            attempt("to confirm what is not proposed any longer, for \(item.id)") {
                try inbox.confirm(
                    item.id, item.id.value, option: proposal.option, by: SignedInPerson("zoe"),
                    id: item.id.value)
            }
        }
        guard case .claimed(let holder, _) = item.stage else { return }
        let other = holder == "ann" ? "bob" : "ann"
        attempt("to release what another has claimed, \(item.id)") {
            try inbox.release(item.id, by: other)
        }
        attempt("to claim what another has claimed, \(item.id)") {
            try inbox.claim(item.id, by: other, for: longer)
        }
        attempt("to withhold what another has claimed, \(item.id)") {
            try inbox.withhold(item.id, by: other)
        }
    }

    /// What another person has chosen waits for so long, and then is to be chosen anew.
    private func confirmTooLate(_ id: PresentationID, _ option: String) {
        guard let former = proposers[id]?.proposal, let until = world.ledger.proposedUntil[id],
            until + 50 < world.scheduler.now
        else { return }
        attempt("to confirm \(option) when the time for that is over, for \(id)") {
            try inbox.confirm(
                id, former, option: option, by: SignedInPerson("zoe"), id: id.value)
        }
    }

    /// It was taken back here, in this life or in one of which the inbox has what it had.
    func isKnownUndone(_ given: Ledger.Given) -> Bool {
        given.presenter == presenterName && given.isUndone
            && (world.plan.keepsInbox || given.life == lifeNumber)
    }

    /// The same answer comes once more, late.
    func repeatTakenBack(_ given: Ledger.Given, option: String) {
        attempt("an answer that was taken back, to \(given.id)") {
            try inbox.answer(given.id, option: option, by: given.by, id: given.answer)
        }
    }

    /// So do the proposals that it came of.
    func repeatProposals(for id: PresentationID) {
        for proposal in confirmed[id] ?? [] {
            attempt("a proposal that was used and taken back, for \(id)") {
                try inbox.propose(
                    id, option: proposal.option, by: SignedInPerson(proposal.by),
                    id: proposal.request)
            }
        }
    }

    /// What a person has read of a group by its number is true of it for as long as it has that.
    func lookAtGroup(of item: InboxItem) {
        let trouble = world.ledger.trouble(of: item.id).map(String.init) ?? "bare"
        let kind = "\(item.report.domain) \(trouble)"
        if kinds[item.group, default: kind] != kind { world.ledger.misgrouped.append(item.id) }
        kinds[item.group] = kind
    }

    func attempt(_ what: String, _ body: () throws -> some Any) {
        if (try? body()) != nil { world.ledger.trespasses.append("\(presenterName): \(what)") }
    }

    /// What is left of what has ended: nothing.
    var leftovers: [(table: String, count: Int)] {
        [("open in an inbox", inbox.openCount), ("groups of an inbox", inbox.groups.count)]
    }
}

extension Checker {
    static let refused = Checker(
        name: "refused", rule: "what people may not do is refused, and changes nothing (C5, C8)"
    ) { ledger, _ in ledger.trespasses.map { "\($0): taken" } }

    static let promptEnds = Checker(
        name: "prompt-ends", rule: "what no answer counts for any more is taken from people at once"
    ) { ledger, plan in
        guard plan.isCalm else { return [] }
        return ledger.shown.compactMap { shown in
            guard let deadline = shown.deadline, let hidden = shown.hidden, hidden > deadline + 500
            else { return nil }
            return "\(shown.id): \(hidden - deadline) ms after its deadline"
        }
    }
}

extension Forgery {
    static let refused = Forgery(checker: "refused") { ledger, _ in
        ledger.trespasses.append("duty: forged")
        return true
    }

    static let promptEnds = Forgery(checker: "prompt-ends") { ledger, plan in
        guard plan.isCalm else { return false }
        return change(&ledger.shown, where: { $0.deadline != nil && $0.hidden != nil }) {
            $0.hidden = .max
        }
    }
}
