import ErrorBus

extension Ledger {
    /// A person as far as is known: by a name, and by an account where they have signed in.
    struct Person: Equatable {
        let name: String
        var account: String?

        /// For a claim two are one by their accounts, else by their names.
        func isOne(with other: Person) -> Bool {
            if let account, let others = other.account { return account == others }
            return name == other.name
        }

        /// For what needs two people they are two only by their names and by their accounts.
        func mayBe(_ other: Person) -> Bool {
            name == other.name || account != nil && account == other.account
        }
    }

    enum Deed: String {
        case claim, takeOver, handOver, release, answer, propose, confirm
    }

    /// What an inbox says to a deed.
    enum Reply: String {
        case done, claimed, samePerson, other

        init(_ refusal: InboxRefusal) {
            switch refusal {
            case .claimed: self = .claimed
            case .samePerson: self = .samePerson
            default: self = .other
            }
        }
    }

    /// What a person did with a presentation, and what the inbox said.
    struct Act {
        let id: PresentationID
        let presenter: String
        let time: UInt64
        let deed: Deed
        let by: Person
        /// Who had claimed it at that time.
        let holder: Person?
        /// Who had proposed what it confirms.
        let proposer: Person?
        var reply: Reply

        /// What the inbox has to say.
        var due: Reply {
            let isOthers = holder.map { !$0.isOne(with: by) } ?? false
            switch deed {
            case .takeOver: return .done
            case .claim, .handOver, .release, .answer, .propose: return isOthers ? .claimed : .done
            case .confirm:
                guard let proposer else { return .done }
                if proposer.mayBe(by) { return .samePerson }
                // A claim of the first person is not in the way.
                let isProposers = holder.map { proposer.mayBe($0) } ?? true
                return isProposers || !isOthers ? .done : .claimed
            }
        }
    }

    /// An answer that could be taken back when its presenter began to shut down.
    struct HeldAtStop {
        let id: PresentationID
        var answer: UniqueID
        /// Of the presenter.
        let life: Int
        let time: UInt64
    }

    /// It left before its time since its presenter shut down.
    func wasGivenAtStop(_ given: Given, by time: UInt64) -> Bool {
        heldAtStop.contains { $0.answer == given.answer && $0.time <= time }
    }
}

extension World {
    /// A presenter is about to shut down.
    func noteHeld(in life: Life) {
        let now = scheduler.now
        for given in ledger.given
        where given.life == life.number && !given.isUndone && given.time + given.undo > now {
            ledger.heldAtStop.append(
                Ledger.HeldAtStop(
                    id: given.id, answer: given.answer, life: life.number, time: now))
        }
    }
}
