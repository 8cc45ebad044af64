import ErrorBus

/// A console that follows an inbox as a stream of its events does: in pages, with all groups at
/// first and then those that changed. What it has by that is what is there.
struct Reader {
    /// What it gets of groups.
    private enum Share { case changes, all, nothing }

    private static let pageCountMax = 6

    private let lot: UInt64
    private let share: Share
    /// The most items of a page.
    private let pageMax: Int
    /// How many pages it reads at a time.
    private let pageCount: Int
    /// The seconds from one time to the next.
    private let interval: UInt64
    private var items: [PresentationID: InboxItem] = [:]
    private var groups: [Int: InboxGroup] = [:]
    private var seen: UInt64 = 0
    /// Up to where it has seen the groups; nil: none of them.
    private var groupsSeen: UInt64?
    /// The inbox's revision when it began: what had ended by then it never had as open.
    private var begun: UInt64?
    /// The inbox's revision of which it has all; nil: there is more.
    private var latest: UInt64?
    private var fault: String?

    /// - Parameter lot: Which of all consoles it is: each reads otherwise.
    init(lot: UInt64) {
        self.lot = lot
        let shares: [Share] = [.all, .nothing]
        share = lot % 8 < 2 ? shares[Int(lot % 8)] : .changes
        pageMax = [1, 1, 2, 3][Int(lot / 8 % 4)]
        let paces: [(Int, UInt64)] = [
            (Self.pageCountMax, 2), (Self.pageCountMax, 2), (1, 2), (Self.pageCountMax, 8),
        ]
        (pageCount, interval) = paces[Int(lot / 32 % 4)]
    }

    /// - Parameter second: The time, by which it reads or not.
    mutating func read(_ inbox: Inbox, at second: UInt64) {
        guard second.isMultiple(of: interval) else { return }
        read(inbox, pageCount)
    }

    private mutating func read(_ inbox: Inbox, _ count: Int) {
        var left = count
        while left > 0, latest != inbox.revision {
            readPage(of: inbox, upTo: pageMax)
            left -= 1
        }
    }

    private mutating func readPage(of inbox: Inbox, upTo limit: Int) {
        // Ends are forgotten that it has not read: it begins anew.
        if let begun, max(seen, begun) < inbox.forgottenRevision {
            let known = fault
            self = Reader(lot: lot)
            fault = known
        }
        begun = begun ?? inbox.revision
        let asked: InboxUpdate.Groups =
            switch share {
            case .nothing: .none
            case .all: .all
            case .changes: groupsSeen.map { InboxUpdate.Groups.changed(after: $0) } ?? .all
            }
        take(inbox.update(after: seen, asked, upTo: limit), upTo: limit)
    }

    private mutating func take(_ update: InboxUpdate, upTo limit: Int) {
        var last = seen
        for item in update.items {
            if item.revision <= last { fault = "\(item.id): read out of order" }
            last = item.revision
            items[item.id] = item
        }
        if update.items.count > limit { fault = "\(update.items.count) in a page of \(limit)" }
        if update.revision < last || !update.isLast && update.revision <= seen {
            fault = "a page leads from \(seen) to \(update.revision)"
        }
        seen = update.revision
        groupsSeen = update.groupRevision
        latest = update.isLast ? update.latest : nil
        if share == .changes, let gone = update.goneGroups {
            for number in gone { groups[number] = nil }
        } else {
            groups = [:]
        }
        for group in update.groups { groups[group.number] = group }
        let isWhole = update.isLast || update.goneGroups == nil
        if share != .nothing, isWhole, groups.count != update.groupCount {
            fault = "\(groups.count) groups of \(update.groupCount)"
        }
    }

    /// Reads all that is left. Nil where it then has what is there.
    ///
    /// - Parameter open: The groups of the inbox.
    mutating func compare(with inbox: Inbox, _ open: [InboxGroup]) -> String? {
        read(inbox, Self.pageCountMax)
        if latest != inbox.revision { readPage(of: inbox, upTo: .max) }
        if latest != inbox.revision { fault = "read \(seen) of \(inbox.revision), and no more" }
        defer { fault = nil }
        let all = inbox.items()
        if let fault { return fault }
        if let wrong = compare(with: all) { return wrong }
        return compare(with: open, of: all)
    }

    private mutating func compare(with all: [InboxItem]) -> String? {
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

    private func compare(with open: [InboxGroup], of all: [InboxItem]) -> String? {
        var members: [Int: Set<PresentationID>] = [:]
        for item in all where item.isOpen { members[item.group, default: []].insert(item.id) }
        let isTrue = open.allSatisfy { members[$0.number] == Set($0.members) }
        guard isTrue, members.count == open.count else {
            return "\(open.count) groups with others than the open presentations"
        }
        if share == .nothing {
            return groups.isEmpty ? nil : "\(groups.count) groups that it did not ask for"
        }
        let wrong = open.first { group in
            groups[group.number].map { !$0.isLike(group) } ?? true
        }
        if let wrong {
            return "group \(wrong.number): read otherwise than it is"
        }
        return groups.count == open.count
            ? nil : "read \(groups.count) groups, \(open.count) are open"
    }
}

extension InboxGroup {
    /// As people see it.
    fileprivate func isLike(_ other: InboxGroup) -> Bool {
        number == other.number && members == other.members && severity == other.severity
            && originCount == other.originCount && first.isLike(other.first)
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
    static let ofReaders = [notesKept, changesRead, agesKept]

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
        name: "changes-read",
        rule: "who reads the changes of an inbox, in pages, has what is in it, and its groups"
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
        agesKept,
    ]
}
