import ErrorBus

/// A console that reads what has changed in an inbox, from time to time: what it has by that is
/// what is there.
struct Reader {
    private var items: [PresentationID: InboxItem] = [:]
    private var seen: UInt64 = 0

    mutating func read(_ inbox: Inbox) {
        // It may lack an end: it begins anew.
        if inbox.forgottenRevision > seen { self = Reader() }
        for item in inbox.items(changedAfter: seen) { items[item.id] = item }
        seen = inbox.revision
    }

    /// Nil where it has what is there.
    mutating func compare(with inbox: Inbox) -> String? {
        let all = inbox.items()
        let wrong = all.first { item in items[item.id].map { !$0.isLike(item) } ?? true }
        if let wrong {
            return "\(wrong.id): read otherwise than it is"
        }
        // What has ended, as it has read, is not kept for ever.
        let known = items
        items = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
        let lost = known.values.filter { !$0.hasEnded && items[$0.id] == nil }
        return lost.isEmpty ? nil : "\(lost.count) presentations are gone without a word"
    }
}

extension InboxItem {
    /// As people see it. Claims and proposals run out without a word.
    fileprivate func isLike(_ other: InboxItem) -> Bool {
        standing == other.standing && notes.count == other.notes.count
            && isReachable == other.isReachable && failedAgain == other.failedAgain
            && proposed == other.proposed && takenBack == other.takenBack && group == other.group
            && revision == other.revision
    }

    private var standing: Stage {
        if case .claimed(_, let until) = stage, until <= .now { return .open }
        return stage
    }

    private var proposed: UniqueID? { proposal.flatMap { $0.until > .now ? $0.id : nil } }
}

// What people write.
extension People {
    /// Now and then a note, which comes twice; and what may not be written.
    func write(on item: InboxItem, by person: String) {
        let now = world.scheduler.now
        guard now.isMultiple(of: 4) else { return }
        let id = PresentationID.make().value
        let text = "At \(now),\nby \(person)."
        guard (try? inbox.note(item.id, text, by: person, id: id)) != nil else { return }
        world.ledger.notes.append(
            Ledger.Note(id: item.id, presenter: presenterName, life: lifeNumber, text: text))
        if (try? inbox.note(item.id, text, by: person, id: id)) != nil {
            world.ledger.trespasses.append("\(presenterName): a note twice, on \(item.id)")
        }
        attempt("another note under the same id, on \(item.id)") {
            try inbox.note(item.id, "Another.", by: person, id: id)
        }
        attempt("another's note under the same id, on \(item.id)") {
            try inbox.note(item.id, text, by: person == "ann" ? "bob" : "ann", id: id)
        }
        guard now.isMultiple(of: 32) else { return }
        var count = (try? inbox.item(item.id))?.notes.count ?? 0
        while count < limits.noteMax {
            count += 1
            guard (try? inbox.note(item.id, "\(count)", by: person)) != nil else {
                world.ledger.trespasses.append("\(presenterName): no room for note \(count)")
                return
            }
            world.ledger.notes.append(
                Ledger.Note(
                    id: item.id, presenter: presenterName, life: lifeNumber, text: "\(count)"))
        }
        attempt("a note too many, on \(item.id)") { try inbox.note(item.id, "More.", by: person) }
    }
}

extension Ledger {
    /// A note that an inbox took.
    struct Note {
        let id: PresentationID
        let presenter: String
        let life: Int
        let text: String
    }
}

extension Checker {
    static let ofReaders = [notesKept, changesRead]

    static let notesKept = Checker(
        name: "notes-kept", rule: "what people write on a presentation stays with it, in order"
    ) { ledger, plan in
        guard plan.inboxEndedMax == nil, !ledger.notes.isEmpty else { return [] }
        let written = Dictionary(grouping: ledger.notes) { "\($0.presenter) \($0.id)" }
        return ledger.items.compactMap { item in
            let notes = written["\(item.presenter) \(item.id)"] ?? []
            // An inbox that is not stored begins anew with its process.
            let own = notes.filter { $0.life == item.life }.map(\.text)
            let all = notes.filter { plan.keepsInbox || $0.life == item.life }.map(\.text)
            let before = item.notes.dropLast(own.count)
            return item.notes.suffix(own.count) == own[...] && item.notes.count >= own.count
                && before.allSatisfy(all.contains)
                ? nil : "\(item.id): \(item.notes.count) notes of \(notes.count), or others"
        }
    }

    static let changesRead = Checker(
        name: "changes-read", rule: "who reads the changes of an inbox has what is in it"
    ) { ledger, _ in ledger.misread }
}

extension Forgery {
    static let ofReaders = [
        Forgery(checker: "notes-kept") { ledger, plan in
            guard plan.inboxEndedMax == nil, let item = ledger.items.first else { return false }
            ledger.notes.append(
                Ledger.Note(
                    id: item.id, presenter: item.presenter, life: item.life, text: "Forged."))
            return true
        },
        Forgery(checker: "changes-read") { ledger, _ in
            ledger.misread.append("duty: forged")
            return true
        },
    ]
}
