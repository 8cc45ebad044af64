import ErrorBus

/// People who have signed in: an account says who they are, whatever their name is.
extension People {
    struct Claim {
        let person: String
        /// Nil where only the name is known.
        let account: String?
        let until: UInt64
    }

    struct Proposer {
        let proposal: UniqueID
        let person: Ledger.Person
    }

    /// Those of ``Plan/Manner/signedIn``: one has two names, two have one name, and one is known by
    /// a name alone.
    private static let cast = [
        Ledger.Person(name: "ann", account: "subject 1"),
        Ledger.Person(name: "bob", account: "subject 2"),
        Ledger.Person(name: "anna", account: "subject 1"),
        Ledger.Person(name: "ann", account: "subject 3"),
        Ledger.Person(name: "bob"),
    ]

    /// The account of a person who goes by one name.
    func account(of person: String) -> String? {
        world.plan.hasAccounts ? "subject of \(person)" : nil
    }

    /// What people try under another name, or under the name of another.
    func trespassWithAccounts(on item: InboxItem) {
        guard world.plan.hasAccounts else { return }
        if let proposal = item.proposal, let proposer = proposers[item.id],
            proposer.proposal == proposal.id
        {
            var same = [SignedInPerson(proposal.by, identity: "another")]
            if let account = proposer.person.account {
                same.append(SignedInPerson("zoe", identity: account))
            }
            for person in same {
                attempt("to confirm as \(person.name) what \(proposal.by) proposed, \(item.id)") {
                    try inbox.confirm(
                        item.id, proposal.id, option: proposal.option, by: person,
                        id: item.id.value)
                }
            }
        }
        guard case .claimed(let holder, _) = item.stage, claimant(of: item.id) == holder,
            claims[item.id]?.account != nil
        else { return }
        attempt("to release what a namesake has claimed, \(item.id)") {
            try inbox.release(item.id, by: holder, of: "another")
        }
        attempt("to claim what a namesake has claimed, \(item.id)") {
            try inbox.claim(item.id, by: holder, of: "another", for: .seconds(1))
        }
        attempt("to answer what a namesake has claimed, \(item.id)") {
            try inbox.answer(
                item.id, option: "skip", by: holder, of: "another", id: item.id.value)
        }
    }

    /// Put to people again while its answer was held, it is its author's.
    func keepClaim(of id: PresentationID) {
        if let claim = kept[id] { claims[id] = claim }
    }

    // MARK: What they do

    func actSignedIn(on item: InboxItem, _ option: String) {
        let scheduler = world.scheduler
        let person = scheduler.random.pick(Self.cast)
        // A claim that ends in this moment may still be there.
        if let claim = claims[item.id], claim.until + 50 > scheduler.now,
            scheduler.now + 50 > claim.until
        {
            return
        }
        if scheduler.now > world.start + world.plan.chaosLasts {
            take(item, .takeOver, by: person)
            return decide(item, "skip", by: person, held: 0)
        }
        switch scheduler.random.index(below: 12) {
        case 0, 1: take(item, .claim, by: person)
        case 2: take(item, .takeOver, by: person)
        case 3: take(item, .handOver, by: person)
        case 4: giveBack(item, by: person)
        case 5: decide(item, option, by: person, held: 0)
        case 6: decide(item, "skip", by: person, held: 5_000)
        default: decide(item, option, by: person, held: 5_000)
        }
    }

    private func take(_ item: InboxItem, _ deed: Ledger.Deed, by person: Ledger.Person) {
        // Of the receiver only the name is known.
        let other = Ledger.Person(name: person.name == "bob" ? "ann" : "bob")
        let receiver = deed == .handOver ? other : nil
        let until = perform(deed, on: item.id, by: person) {
            try inbox.claim(
                item.id, by: person.name, of: person.account, for: .seconds(20),
                takesOver: deed == .takeOver, to: receiver?.name)
        }
        guard until != nil else { return }
        let holder = receiver ?? person
        noteClaimed(item.id, by: holder.name, of: holder.account, for: 20_000)
    }

    private func giveBack(_ item: InboxItem, by person: Ledger.Person) {
        let done: Void? = perform(.release, on: item.id, by: person) {
            try inbox.release(item.id, by: person.name, of: person.account)
        }
        // Where no one has claimed it, nothing changes.
        guard done != nil, case .claimed = item.stage else { return }
        noteReleased(item.id, by: person.name)
    }

    /// One person's part in an answer.
    private struct Choice {
        let id: PresentationID
        let deed: Ledger.Deed
        let person: Ledger.Person
        /// Who chose the option; another one than the person who confirms it.
        let author: Ledger.Person
        let number: UniqueID
        let held: UInt64
        let comment: String?
    }

    private func decide(
        _ item: InboxItem, _ option: String, by person: Ledger.Person, held: UInt64
    ) {
        let (id, number) = (item.id, PresentationID.make().value)
        let comment = comment(on: id)
        // An inbox remembers so many answers that were taken back, and not all.
        let isOften = world.ledger.given.count { $0.id == id && $0.isUndone } > 7
        let held = isOften ? 0 : held
        let undo = Duration.milliseconds(held)
        guard item.needsTwoPeople(option) else {
            let choice = Choice(
                id: id, deed: .answer, person: person, author: person, number: number, held: held,
                comment: comment)
            _ = give(choice) {
                try inbox.answer(
                    id, option: option, by: person.name, of: person.account, id: number,
                    undo: undo, comment: comment)
            }
            return
        }
        let signedIn = SignedInPerson(person.name, identity: person.account)
        guard let proposal = item.proposal else {
            let made = perform(.propose, on: id, by: person) {
                try inbox.propose(id, option: option, by: signedIn, id: number, comment: comment)
            }
            if let made { proposers[id] = Proposer(proposal: made.id, person: person) }
            return
        }
        guard let proposer = proposers[id], proposer.proposal == proposal.id,
            proposal.option == option
        else { return }
        let choice = Choice(
            id: id, deed: .confirm, person: person, author: proposer.person, number: number,
            held: held, comment: proposal.values.comment)
        let isGiven = give(choice) {
            try inbox.confirm(
                id, proposal.id, option: option, by: signedIn, id: number, undo: undo)
        }
        if isGiven { confirmed[id, default: []].append(proposal) }
    }

    /// Whether the inbox took it.
    private func give(_ choice: Choice, _ body: () throws -> Answer) -> Bool {
        let scheduler = world.scheduler
        let (id, isOfTwo) = (choice.id, choice.deed == .confirm)
        let holder = claimant(of: id)
        let taken = perform(
            choice.deed, on: id, by: choice.person, proposer: isOfTwo ? choice.author : nil, body)
        guard taken != nil else { return false }
        world.ledger.given.append(
            Ledger.Given(
                id: id, presenter: presenterName, answer: choice.number,
                counted: (try? body())?.id, by: choice.author.name,
                account: choice.author.account, second: isOfTwo ? choice.person.name : nil,
                comment: choice.comment, time: scheduler.now, undo: choice.held,
                claimant: holder, life: lifeNumber))
        world.ledger.caredFor[id] = scheduler.now + choice.held
        claims[id] = nil
        if choice.held > 0, scheduler.random.happens(0.6) {
            // By whom is the same: the claim is its author's.
            scheduler.after(scheduler.random.number(0...6_000)) { [self] in undo(id) }
        }
        return true
    }

    /// Does it, and notes what the inbox says.
    private func perform<Value>(
        _ deed: Ledger.Deed, on id: PresentationID, by person: Ledger.Person,
        proposer: Ledger.Person? = nil, _ body: () throws -> Value
    ) -> Value? {
        let holder = claimant(of: id).map {
            Ledger.Person(name: $0, account: claims[id]?.account)
        }
        let value: Value?
        let reply: Ledger.Reply
        do {
            value = try body()
            reply = .done
        } catch let refusal as InboxRefusal {
            value = nil
            reply = Ledger.Reply(refusal)
        } catch {
            value = nil
            reply = .other
        }
        world.scheduler.note(
            "\(deed) \(id) by \(person.name) of \(person.account ?? "-"): \(reply)")
        world.ledger.acts.append(
            Ledger.Act(
                id: id, presenter: presenterName, time: world.scheduler.now, deed: deed,
                by: person, holder: holder, proposer: proposer, reply: reply))
        return value
    }
}
