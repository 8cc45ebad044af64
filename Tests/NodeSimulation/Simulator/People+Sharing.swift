import ErrorBus

/// What people do with a group as one: they claim it, hand it over, give it back, and take back
/// some of what they answered.
extension People {
    /// What is known here of the open members of a group, without the inbox's word on it.
    private struct Members {
        var all: [PresentationID]
        var chosen: Set<PresentationID>?
        var seen: UInt64?
        /// Those that the act is about.
        var meant: [PresentationID]
    }

    func share(_ item: InboxItem, _ option: String, by person: String) {
        let random = world.scheduler
        let members = members(like: item, kind: random.random.index(below: 3))
        switch random.random.index(below: 6) {
        case 0, 1: claimGroup(item.group, members, by: person)
        case 2: releaseGroup(item.group, members, by: person)
        case 3: handOver(item, by: person)
        default: answerForAWhile(item.group, members, option, by: person)
        }
    }

    /// All of a group, some of it, or what was there when the item came.
    private func members(like item: InboxItem, kind: Int) -> Members {
        let open = inbox.items().filter { $0.group == item.group && $0.isOpen }
        let older = open.filter { $0.joinedRevision <= item.joinedRevision }.map(\.id)
        let all = open.map(\.id)
        switch kind {
        case 0: return Members(all: all, meant: all)
        case 1: return Members(all: all, chosen: Set(older), meant: older)
        default: return Members(all: all, seen: item.joinedRevision, meant: older)
        }
    }

    private func isOthers(_ id: PresentationID, _ person: String) -> Bool {
        claimant(of: id).map { $0 != person } ?? false
    }

    private func claimGroup(_ group: Int, _ members: Members, by person: String) {
        let random = world.scheduler
        let takesOver = random.random.happens(0.3)
        let receiver = random.random.happens(0.3) ? (person == "ann" ? "bob" : "ann") : nil
        let result = try? inbox.claimGroup(
            group, only: members.chosen, by: person, of: account(of: person), for: .seconds(20),
            takesOver: takesOver, to: receiver, seen: members.seen)
        let kept = members.meant.filter { !takesOver && isOthers($0, person) }
        judge(
            "claims", group, result?.changed ?? [], members.meant.filter { !kept.contains($0) },
            result.map { Array($0.refused.keys) } ?? [], kept)
        // Of the receiver only the name is known.
        let account = receiver == nil ? account(of: person) : nil
        for id in result?.changed ?? [] {
            noteClaimed(id, by: receiver ?? person, of: account, for: 20_000)
        }
    }

    private func releaseGroup(_ group: Int, _ members: Members, by person: String) {
        let result = try? inbox.releaseGroup(
            group, only: members.chosen, by: person, of: account(of: person), seen: members.seen)
        judge(
            "gives back", group, result?.changed ?? [],
            members.meant.filter { claimant(of: $0) == person },
            result.map { Array($0.refused.keys) } ?? [],
            members.meant.filter { isOthers($0, person) })
        for id in result?.changed ?? [] { noteReleased(id, by: person) }
    }

    private func handOver(_ item: InboxItem, by person: String) {
        guard !isOthers(item.id, person) else { return }
        let receiver = person == "ann" ? "bob" : "ann"
        let until = try? inbox.claim(
            item.id, by: person, of: account(of: person), for: .seconds(20), to: receiver)
        guard until != nil else {
            world.ledger.misshared.append("\(item.id): not handed over")
            return
        }
        noteClaimed(item.id, by: receiver, of: nil, for: 20_000)
    }

    /// Answers so that it can be taken back, and takes half of it back.
    private func answerForAWhile(
        _ group: Int, _ members: Members, _ option: String, by person: String
    ) {
        let claimed = Dictionary(
            uniqueKeysWithValues: members.meant.map { ($0, claimant(of: $0)) })
        let kept = members.meant.filter { isOthers($0, person) }
        let now = world.scheduler.now
        let result = try? inbox.answerGroup(
            group, only: members.chosen, option: option, by: person, of: account(of: person),
            seen: members.seen, undo: .seconds(5),
            comment: comment(on: members.all.first ?? .make()))
        let answered = result?.answered ?? []
        judge(
            "answers", group, answered, members.meant.filter { !kept.contains($0) },
            result.map { Array($0.refused.keys) } ?? [], kept)
        for (id, answer) in zip(answered, result?.answers ?? []) {
            world.ledger.given.append(
                Ledger.Given(
                    id: id, presenter: presenterName, answer: answer, counted: answer, by: person,
                    account: account(of: person), comment: comment(on: members.all.first ?? id),
                    time: now, undo: 5_000, claimant: claimed[id] ?? nil, life: lifeNumber))
            world.ledger.caredFor[id] = now + 5_000
            claims[id] = nil
        }
        let answers = Array(zip(answered, result?.answers ?? []))
        world.scheduler.after(world.scheduler.random.number(500...4_000)) { [self] in
            takeBack(answers.filter { $0.0.value.low.isMultiple(of: 2) }, group)
        }
    }

    private func takeBack(_ answers: [(PresentationID, UniqueID)], _ group: Int) {
        guard !isOver else { return }
        let held = answers.filter { id, answer in
            if case .leaving(let held, _) = (try? inbox.item(id))?.stage {
                held.id == answer
            } else {
                false
            }
        }
        let undone = (try? inbox.undoGroup(group, only: Set(answers.map(\.1)))) ?? []
        judge("takes back", group, undone, held.map(\.0), [], [])
        for id in undone { tookBack(id) }
    }

    /// Whether an act on a group had the members that it has to have, and left those out.
    private func judge(
        _ what: String, _ group: Int, _ changed: [PresentationID], _ meant: [PresentationID],
        _ refused: [PresentationID], _ kept: [PresentationID]
    ) {
        guard Set(changed) != Set(meant) || Set(refused) != Set(kept) else { return }
        world.ledger.misshared.append(
            "\(presenterName) \(what) group \(group): \(changed.count) of \(meant.count), "
                + "\(refused.count) of \(kept.count) left out")
    }
}

extension Plan {
    /// Equal errors come, and people do with them what they do with a group.
    mutating func stageSharing(using random: inout SeededGenerator) {
        makeRow(random.pick([0, 1]))
        isCalm = true
        manner = .sharing
        troubleCount = random.pick([1, 2])
        thinkingMax = 4_000
        chaosLasts = 40_000
        ask(30, in: 0...40_000, attempts: [0, 300], using: &random)
    }
}

extension Checker {
    static let shared = Checker(
        name: "shared", rule: "what people do with a group is done with those of it that they mean"
    ) { ledger, _ in ledger.misshared }
}

extension Forgery {
    static let shared = Forgery(checker: "shared") { ledger, _ in
        ledger.misshared.append("duty: forged")
        return true
    }
}
