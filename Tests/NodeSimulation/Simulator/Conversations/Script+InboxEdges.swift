import ErrorBus

// What an inbox does at its edges: full, forgotten, returned, out of reach.
extension Script {
    private static let ann = SignedInPerson("ann", identity: "a")

    static let inboxEdges: [Script] = [
        Script(
            "What returns and ends again is among what ended last",
            .top.inbox { $0.endedMax = 2 }
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try await talk.shown(2, by: kid, report: Talk.trouble(8))
            kid.say("WITHDRAW", "id: \(id)", "reason: abandoned")
            try await talk.desk.hides(id)
            try await kid.hears("WITHDRAWN")
            try await talk.withdraws(2, by: kid)
            kid.present(id, report: Talk.trouble(), attempt: 2)
            try await talk.desk.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.check(talk.desk.inbox.openCount == 1, "one is open")
            try await talk.withdraws(1, by: kid)
            try await talk.shown(3, by: kid, report: Talk.trouble(9))
            try talk.desk.reads(talk.id(2), \.hasEnded)
            try await talk.withdraws(3, by: kid)
            try talk.desk.refuses(for: \.isUnknown) { _ = try talk.desk.inbox.item(talk.id(2)) }
            try talk.desk.reads(id, \.hasEnded)
        },
        Script(
            "What returns to a full inbox is gone there, and readers are told so",
            Hop.top.escalating().inbox { ($0.openMax, $0.escalateAfter) = (1, nil) }
        ) { talk in
            let kid = try await talk.child("kid")
            let (inbox, boss): (Inbox, Desk) = (talk.desk.inbox, talk.beside.second)
            let id = try await talk.shown(1, by: kid)
            kid.say("WITHDRAW", "id: \(id)", "reason: abandoned")
            try await talk.desk.hides(id)
            try await kid.hears("WITHDRAWN")
            try await talk.shown(2, by: kid, report: Talk.trouble(8))
            try talk.check(inbox.forgottenRevision == 0, "nothing is forgotten")
            kid.present(id, report: Talk.trouble(), attempt: 2)
            try await talk.desk.shows(id)
            try await talk.desk.hides(id)
            try await boss.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented", "by: boss")
            try talk.desk.refuses(for: \.isUnknown) { _ = try inbox.item(id) }
            try talk.check(
                inbox.forgottenRevision == inbox.revision, "\(inbox.forgottenRevision)")
            try await talk.withdraws(2, by: kid)
            kid.say("WITHDRAW", "id: \(id)", "reason: origin")
            try await boss.hides(id)
            try await kid.hears("WITHDRAWN")
        },
        Script("Whether the origin is out of reach is shown, and is a change", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, origin: "leaf", report: Talk.trouble())
            let inbox = talk.desk.inbox
            for isReachable in [false, true] {
                let seen = inbox.revision
                kid.say(
                    "PRESENT", "id: \(id)", "attempt: \(isReachable ? 3 : 2)", "origin: leaf",
                    "path: leaf,kid", "reachable: \(isReachable)", payload: Talk.trouble())
                try await kid.hears("ACCEPTED")
                _ = await kid.heard.next(within: 100)
                try talk.desk.reads(id) {
                    $0.isReachable == isReachable && $0.revision > seen && $0.isOpen
                }
                let update = inbox.update(after: seen, .changed(after: seen), upTo: 9)
                try talk.check(update.groups.count == 1, "its group has changed")
            }
            try await talk.withdraws(1, by: kid)
        },
        Script("The latest 32 undone answers are remembered", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let inbox = talk.desk.inbox
            func give(_ number: Int) throws {
                try inbox.answer(
                    id, option: "retry", by: "ann", id: talk.id(number).value,
                    undo: .seconds(10))
            }
            for number in 10..<43 {
                try give(number)
                try inbox.undo(id)
            }
            // Once: the state is the same each time.
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.reads(id) { $0.takenBack.count == 32 }
            try talk.desk.refuses(for: \.isTakenBack) { try give(11) }
            try give(10)
            try inbox.undo(id)
            try await talk.withdraws(1, by: kid)
        },
        Script("Who claims for themselves keeps the account", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann", of: "a", to: "ann")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.reads(id) { $0.holder == "a" }
            // A deadline or an answer of another ends the claim, and the account.
            let answer = try talk.desk.inbox.answer(id, option: "retry", by: "ann", of: "a")
            try talk.desk.reads(id) { $0.holder == nil && $0.answer == answer }
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid)
        },
        Script("A confirmation takes no id of another answer", .top) { talk in
            let kid = try await talk.child("kid")
            let (first, second) = (
                try await talk.shown(1, by: kid),
                try await talk.shown(2, by: kid, report: Talk.trouble(7, options: Talk.wipe))
            )
            let inbox = talk.desk.inbox
            let answer = try talk.desk.answer(first)
            try await talk.desk.hides(first)
            try await talk.carriedOut(1, by: kid)
            let made = try inbox.propose(second, option: "wipe", by: ann)
            try talk.desk.refuses(for: \.isOtherAnswer) {
                try inbox.confirm(
                    second, made.id, option: "wipe", by: SignedInPerson("bob"), id: answer.id)
            }
            try talk.desk.reads(second) { $0.proposal == made }
            try await talk.withdraws(2, by: kid)
        },
        Script("A result that is known stands when another call of the origin ends", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid)
            let inbox = talk.desk.inbox
            inbox.record(PresentationEvent(id, .settled(.unknown, of: answer)))
            try talk.desk.reads(id) { $0.stage == .settled(answer, .recovered) }
            let other = try await talk.shown(2, by: kid, report: Talk.trouble(8))
            let second = try talk.desk.answer(other)
            try await talk.desk.hides(other)
            try await talk.carriedOut(2, by: kid, result: "unknown")
            try talk.desk.reads(other) { $0.hasEnded }
            inbox.record(PresentationEvent(other, .settled(.unknown, of: second)))
            inbox.record(PresentationEvent(other, .settled(.recovered, of: answer)))
            try talk.desk.reads(other) { $0.stage != .settled(second, .recovered) }
            inbox.record(PresentationEvent(other, .settled(.recovered, of: second)))
            try talk.desk.reads(other) { $0.stage == .settled(second, .recovered) }
            kid.heard.clear()
        },
        Script("A client reads of an answer that ended unrecorded why it does not count", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            talk.notebook.failing = [.decided]
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            let inbox = talk.desk.inbox
            let found = Mailbox<UnrecordedAnswers>(talk.scheduler)
            Task.detached {
                found.add(await inbox.unrecorded(among: [id], after: .seconds(20)))
            }
            try talk.check(await found.next(within: 1_500) == nil, "it waits")
            kid.say("WITHDRAW", "id: \(id)", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.desk.learns(false, in: 0...1_500)
            let answers = await found.next(within: 500)
            try talk.check(answers?.lost[id]?.isClosed == true, "it is lost")
            try talk.check(answers?.delayed == [], "and not delayed")
            let after = await inbox.unrecorded(among: [id], after: .seconds(1))
            try talk.check(after.lost[id]?.isClosed == true, "also later")
        },
        Script("A proposal that is restored counts as seen when it returned", .top) { talk in
            let kid = try await talk.child("kid")
            let report = Talk.trouble(7, options: Talk.wipe)
            let id = try await talk.shown(1, by: kid, report: report)
            let inbox = talk.desk.inbox
            let made = try inbox.propose(id, option: "wipe", by: ann)
            kid.say("WITHDRAW", "id: \(id)", "reason: abandoned")
            try await talk.desk.hides(id)
            try await kid.hears("WITHDRAWN")
            // The end of its presentation is the end of a proposal.
            try talk.desk.reads(id) { $0.proposal == nil && $0.takenBack == [made.request] }
            let seen = inbox.revision
            kid.present(id, report: report, attempt: 2)
            try await talk.desk.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.reads(id) { $0.proposal == nil && $0.revision > seen }
            try await talk.withdraws(1, by: kid)
        },
    ]
}
