import ErrorBus

// What an inbox has of a presentation that returns, and what is passed on to the next people.
extension Script {
    private static let ann = SignedInPerson("ann", identity: "a")

    /// An inbox item as the next life of the node gets it.
    private static func record(_ item: InboxItem) -> InboxRecord {
        var presentation = InboxPresentation(
            id: item.id, report: item.report, origin: item.origin)
        presentation.path = item.path
        return InboxRecord(
            presentation, openedAt: item.openedAt, changedAt: item.changedAt, stage: item.stage,
            holder: item.holder, failedAgain: item.failedAgain, takenBack: item.takenBack,
            proposal: item.proposal, notes: item.notes)
    }

    /// The next life begins with what the inbox had.
    private static func restart(_ talk: Talk) async throws {
        let records = talk.desk.inbox.items().map(record)
        try await talk.bootAgain()
        talk.desk.inbox.restore(records)
    }

    static let inboxReturns: [Script] = [
        Script("What is neglected goes to the next people", .top.escalating(after: 10_000)) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try await talk.desk.hides(id, in: 9_800...10_050)
            let boss: Desk = talk.beside.second
            try await boss.shows(id)
            try await kid.hears("PENDING", "state: presented", "by: boss")
            try talk.desk.reads(id) { $0.stage == .closed(.declined) }
            try boss.answer(id, by: "bob")
            try await boss.hides(id)
            try await talk.carriedOut(1, by: kid, "by: bob")
            // Where it was declined people read who answered.
            try talk.desk.reads(id) { $0.answer?.by == "bob" && $0.hasEnded }
        },
        Script(
            "What is claimed is not neglected until some time after the claim",
            .top.escalating(after: 10_000)
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try await talk.pause(8_000)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(30))
            try await kid.hears("PENDING", "state: claimed")
            try await talk.pause(8_000)
            try talk.desk.inbox.release(id, by: "ann")
            try await kid.hears("PENDING", "state: presented")
            let boss: Desk = talk.beside.second
            try await talk.desk.seesNothing(for: 9_900)
            try await talk.desk.hides(id, in: 0...9_000)
            try await boss.shows(id)
            try await kid.hears("PENDING", "state: presented", "by: boss")
            kid.say("WITHDRAW", "id: \(id)", "reason: origin")
            try await boss.hides(id)
            try await kid.hears("WITHDRAWN")
        },
        Script("A claim that runs out counts as neglect", .top.escalating(after: 10_000)) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(25))
            try await kid.hears("PENDING", "state: claimed")
            try await talk.desk.hides(id, in: 24_500...36_000)
            let boss: Desk = talk.beside.second
            try await boss.shows(id)
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try await kid.hears("PENDING", "state: presented", "by: boss")
            try boss.answer(id, by: "bob")
            try await boss.hides(id)
            try await talk.carriedOut(1, by: kid)
        },
        Script("What waits for a second person is not neglected", .top.escalating(after: 5_000)) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: Talk.trouble(7, options: Talk.wipe))
            try talk.desk.inbox.propose(id, option: "wipe", by: ann)
            try await talk.desk.seesNothing(for: 20_000)
            try talk.desk.answer(id, "skip")
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid)
            try await talk.pause(6_000)
            try talk.check(talk.beside.second.seen.unread.isEmpty, "the boss has nothing")
        },
        Script(
            "What returns after a withdrawal by a hop keeps its age and notes, and no claim", .top
        ) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let inbox = talk.desk.inbox
            let before = try talk.desk.item(id)
            try inbox.note(id, "Seen.", by: "ann")
            try inbox.claim(id, by: "ann", of: "a", for: .seconds(100))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            kid.say("WITHDRAW", "id: \(id)", "reason: abandoned")
            try await talk.desk.hides(id)
            try await kid.hears("WITHDRAWN")
            try talk.desk.reads(id) { $0.stage == .closed(.withdrawn) }
            try await talk.pause(1_000)
            kid.present(id, report: Talk.trouble(), attempt: 2)
            try await talk.desk.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.reads(id) {
                $0.openedAt == before.openedAt && $0.notes.count == 1 && $0.stage == .open
            }
            try talk.check(inbox.openCount == 1, "one is open")
            try await talk.withdraws(1, by: kid)
        },
        Script("After a restart a claim, its account, notes and the age are as before", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.note(id, "Seen.", by: "ann")
            try talk.desk.inbox.claim(id, by: "ann", of: "a", for: .seconds(100))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            let before = try talk.desk.item(id)
            try await restart(talk)
            try talk.desk.refuses(for: \.isUnknown) { _ = try talk.desk.inbox.item(id) }
            let again = try await talk.child("kid")
            again.present(id, attempt: 2)
            try await talk.desk.shows(id)
            try await again.hears("ACCEPTED")
            try await again.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.reads(id) {
                $0.stage == before.stage && $0.holder == "a" && $0.notes == before.notes
                    && $0.openedAt == before.openedAt && $0.wasShownBefore
            }
            try await talk.withdraws(1, by: again)
            try await talk.pause(5)
            kid.heard.clear()
        },
        Script("A claim and a proposal that ran out before the return are gone", .top) { talk in
            let kid = try await talk.child("kid")
            let report = Talk.trouble(7, options: Talk.wipe)
            let id = try await talk.shown(1, by: kid, "left-ms: 100000", report: report)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(3))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.inbox.propose(id, option: "wipe", by: ann)
            try await restart(talk)
            try await talk.pause(3_000)
            let again = try await talk.child("kid")
            again.present(id, report: report, attempt: 2)
            try await talk.desk.shows(id)
            try await again.hears("ACCEPTED")
            try await again.hears("PENDING", "state: presented", "by: desk")
            try talk.desk.reads(id) { $0.stage == .open && $0.proposal?.by == "ann" }
            try await talk.withdraws(1, by: again)
            kid.heard.clear()
        },
        Script("A proposal does not outlive another report", .top) { talk in
            let kid = try await talk.child("kid")
            let report = Talk.trouble(7, options: Talk.wipe)
            let digest = "digest: \(Talk.digest(report))"
            let id = try await talk.shown(1, by: kid, digest, report: report)
            func propose() throws {
                try talk.desk.inbox.propose(
                    id, option: "wipe", by: ann, id: talk.id(9).value)
            }
            try propose()
            try await restart(talk)
            let again = try await talk.child("kid")
            again.present(
                id, [digest], report: Talk.trouble(8, options: Talk.wipe), attempt: 1)
            try await talk.desk.shows(id)
            try await again.hears("ACCEPTED")
            try await again.hears("PENDING", "state: presented")
            try talk.desk.reads(id) { $0.proposal == nil }
            // Its repetition comes late.
            try talk.desk.refuses(for: \.isTakenBack) { try propose() }
            try await talk.withdraws(1, by: again)
            kid.heard.clear()
        },
        Script("A held answer that is lost leaves its author a claim for a minute more", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.answer(id, undo: 20_000)
            try await restart(talk)
            let again = try await talk.child("kid")
            again.present(id, attempt: 2)
            try await talk.desk.shows(id)
            try await again.hears("ACCEPTED")
            try await again.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.reads(id) {
                guard case .claimed("ann", let until) = $0.stage else { return false }
                return until > .now + .seconds(75) && until < .now + .seconds(81)
            }
            try await talk.withdraws(1, by: again)
            kid.heard.clear()
        },
        Script("What had ended is in the inbox after a restart as it was", .top) { talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid)
            let answer = try talk.desk.answer(first)
            try await talk.desk.hides(first)
            try await talk.carriedOut(1, by: kid)
            let second = try await talk.shown(2, by: kid, "retry-of: \(first)")
            try await talk.withdraws(2, by: kid)
            let before = try talk.desk.item(first)
            try await talk.pause(5_000)
            try await restart(talk)
            try talk.desk.reads(first) {
                $0.stage == .settled(answer, .recovered) && $0.failedAgain == second
                    && $0.changedAt == before.changedAt && $0.openedAt == before.openedAt
                    && $0.origin == "kid" && $0.path == ["kid"]
            }
            try talk.desk.reads(second) { $0.stage == .closed(.withdrawn) }
            try talk.check(
                talk.desk.inbox.openCount == 0 && talk.desk.inbox.groups.isEmpty, "none is open")
            try talk.desk.refuses(for: \.isOtherAnswer) {
                _ = try talk.desk.inbox.answer(
                    second, option: "retry", by: "ann", id: answer.id)
            }
            kid.heard.clear()
        },
        Script("An undone answer stays undone after a restart", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let answer = try talk.desk.answer(id, undo: 20_000)
            try talk.desk.inbox.undo(id)
            try await kid.hears("PENDING", "state: claimed")
            try await restart(talk)
            let again = try await talk.child("kid")
            again.present(id, attempt: 2)
            try await talk.desk.shows(id)
            try await again.hears("ACCEPTED")
            try await again.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.refuses(for: \.isTakenBack) {
                _ = try talk.desk.inbox.answer(id, option: "retry", by: "ann", id: answer.id)
            }
            try await talk.withdraws(1, by: again)
            kid.heard.clear()
        },
    ]
}
