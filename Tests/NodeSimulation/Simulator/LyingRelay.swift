import ErrorBus

/// A relay that answers one trouble itself, in the name of a person, instead of passing it on. To a
/// bare client it first gives an option that this does not have, then it withholds the error.
struct LyingRelay: Responder {
    let following: any Responder
    let trouble: Int
    let option: String

    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        let report = ErrorReport(describing: error)
        let isBare = report.domain == BareClient.domain
        guard report.code == trouble || isBare, let attempter = error.recoveryAttempter else {
            return await following.presentError(error, in: context)
        }
        let answer = Answer(option: isBare ? "another" : option, by: "ann", via: .person)
        let result = await attempter.attemptRecovery(answer)
        return isBare
            ? Outcome(didRecover: false, reason: .withheld, decidedBy: responderName)
            : Outcome(answer: answer, result: result, decidedBy: responderName)
    }
}

extension Plan {
    /// Every Retry needs two people, and a relay says that one has chosen it.
    mutating func stageTwoPeople(using random: inout SeededGenerator) {
        makeRow(random.pick([1, 2]))
        isCalm = true
        needsTwoPeople = true
        forgedTrouble = random.index(below: Trouble.allCases.count)
        thinkingMax = 3_000
        chaosLasts = 30_000
        ask(12, in: 0...30_000, attempts: [0, 300, 5_000], using: &random) { call, random in
            if random.happens(0.2) { call.cancelledAfter = random.number(1_000...30_000) }
        }
        calls.append(
            Call(
                time: random.number(0...30_000), worker: "bare", isKept: false, attempt: 0,
                doesRecover: false, bareParent: "relay1"))
        needsSignature = random.happens(0.5)
        needsTwoPeople = !needsSignature
        proposalMax = random.pick([nil, 1_200])
    }
}

extension People {
    /// Answers, or has a part in the answer of two; nil while it is not answered by that.
    func choose(
        _ id: PresentationID, _ option: String, by person: String, as number: UniqueID,
        confirming proposal: InboxProposal?, undo: Duration, values: [String: JSONValue],
        comment: String?
    ) -> Answer? {
        guard (try? inbox.item(id))?.needsTwoPeople(option) == true else {
            return try? inbox.answer(
                id, option: option, by: person, of: account(of: person), id: number, undo: undo,
                values: values, comment: comment)
        }
        let person = SignedInPerson(person, identity: account(of: person))
        guard let proposal, proposal.option == option, proposal.by != person.name else {
            let made = try? inbox.propose(
                id, option: option, by: person, id: number, comment: comment)
            if let made {
                proposers[id] = Proposer(
                    proposal: made.id,
                    person: Ledger.Person(name: person.name, account: person.identity))
                // So long it waits for the second person, and is not passed on.
                let left = made.until.instant - .now
                world.ledger.proposedUntil[id] =
                    world.scheduler.now + UInt64(max(0, left / .milliseconds(1)))
            }
            return nil
        }
        let answer = try? inbox.confirm(
            id, proposal.id, option: option, by: person, id: number, undo: undo)
        if answer != nil { confirmed[id, default: []].append(proposal) }
        return answer
    }
}

extension Checker {
    static let twoPeople = Checker(
        name: "two-people",
        rule: "what needs two people, or a signature, is attempted when it has them"
    ) { ledger, plan in
        if plan.needsSignature {
            // Of what the relay answers itself, no decision is on record.
            let chosen = ledger.decisions.filter { $0.answer.option == "retry" }.map {
                "\($0.id): chosen by \($0.answer.by), where no node can sign it"
            }
            let attempted = ledger.attempts.filter { $0.option == "retry" }.map {
                "\($0.id): attempted, unsigned"
            }
            return chosen + attempted
        }
        guard plan.needsTwoPeople else { return [] }
        return ledger.attempts.filter { $0.option != "skip" }.compactMap { attempt in
            let isDeclared = ledger.asks.contains { ask in
                ask.id == attempt.id && ask.onExpiry == "retry"
                    && ask.deadline.map { $0 <= attempt.time + 50 } == true
            }
            if isDeclared { return nil }
            let answer = ledger.decision(of: attempt.id)?.answer
            let people = Set([answer?.by, answer?.second].compactMap(\.self))
            return answer?.via == .person && people.count == 2
                ? nil : "\(attempt.id): attempted, chosen by \(people.sorted())"
        }
    }
}

extension Forgery {
    static let oneOfTwo = Forgery(checker: "two-people") { ledger, plan in
        guard plan.needsTwoPeople, let ask = ledger.asks.first else { return false }
        ledger.decisions.removeAll { $0.id == ask.id }
        ledger.decisions.append(
            Ledger.Decision(
                id: ask.id, answer: Answer(option: "retry", by: "ann", via: .person),
                time: ask.time))
        ledger.attempts.append(
            Ledger.Attempt(
                id: ask.id, process: ask.worker, life: ask.life, option: "retry", time: ask.time))
        return true
    }
}
