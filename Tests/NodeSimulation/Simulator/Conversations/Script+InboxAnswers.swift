import ErrorBus

// Answers of people: held, undone, repeated, late.
extension Script {
    static let inboxAnswers: [Script] = [
        Script("A held answer leaves when its time is over", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let answer = try talk.desk.answer(id, undo: 5_000)
            try talk.desk.reads(id) { $0.answer?.id == answer.id && !$0.isOpen && !$0.hasEnded }
            try await kid.hearsNothing(for: 4_900)
            try await talk.desk.hides(id, in: 50...200)
            try await talk.carriedOut(1, by: kid, "answer: \(answer.id)", "by: ann")
            try talk.desk.reads(id) { $0.stage == .settled(answer, .recovered) }
            try talk.desk.refuses(for: \.isNothingToUndo) { try talk.desk.inbox.undo(id) }
        },
        Script("An answer is held for a minute at most, but for a minute", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.refuses(for: \.isTooLong) {
                _ = try talk.desk.inbox.answer(
                    id, option: "retry", by: "ann", undo: .milliseconds(60_001))
            }
            try talk.desk.answer(id, undo: 60_000)
            try await talk.desk.seesNothing(for: 59_900)
            try await talk.desk.hides(id, in: 50...200)
            try await talk.carriedOut(1, by: kid, "by: ann")
        },
        Script("A person undoes a held answer, and keeps the claim for a minute", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let inbox = talk.desk.inbox
            let given = try inbox.answer(
                id, option: "retry", by: "ann", of: "a", id: talk.id(9).value, undo: .seconds(20))
            try talk.desk.reads(id) { $0.holder == "a" }
            try talk.desk.refuses(for: \.isAnswered) {
                try inbox.answer(id, option: "skip", by: "bob")
            }
            try talk.desk.refuses(for: \.isNothingToUndo) {
                try inbox.undo(id, only: talk.id(8).value)
            }
            try inbox.undo(id, only: given.id)
            try await kid.hears("PENDING", "id: \(id)", "state: claimed", "by: ann")
            try talk.desk.isClaimed(id, by: "ann")
            try talk.desk.reads(id) { $0.takenBack == [given.id] && $0.isOpen }
            try talk.desk.refuses(for: \.isTakenBack) {
                try inbox.answer(
                    id, option: "retry", by: "ann", of: "a", id: given.id)
            }
            try await talk.pause(59_500)
            try talk.desk.refuses(for: \.isClaimed) {
                try inbox.answer(id, option: "skip", by: "bob")
            }
            try await talk.pause(600)
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try talk.desk.answer(id, "skip", by: "bob")
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "option: skip", "by: bob", result: "failed")
            try talk.desk.reads(id, \.isCancelled)
        },
        Script("At the deadline the held answer counts, and cannot be undone", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, "left-ms: 5000")
            let answer = try talk.desk.answer(id, undo: 30_000)
            try talk.desk.reads(id) {
                guard case .leaving(_, let at) = $0.stage else { return false }
                return at <= .now + .milliseconds(4_960)
            }
            try await talk.desk.hides(id, in: 4_800...5_100)
            try talk.desk.refuses(for: \.isNothingToUndo) { try talk.desk.inbox.undo(id) }
            try await talk.carriedOut(1, by: kid, "answer: \(answer.id)", "option: retry")
        },
        Script("An undone answer does not count at the deadline", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, "left-ms: 5000")
            try talk.desk.answer(id, undo: 30_000)
            try talk.desk.inbox.undo(id)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await talk.desk.hides(id, in: 4_800...5_100)
            try await kid.hears(
                "ANSWER", "id: \(id)", "did-recover: false", "reason: expired", "no option")
            try talk.desk.reads(id) { $0.stage == .closed(.expired) && $0.ending != nil }
        },
        Script("Of two held answers the first counts at the deadline", .top.bothAtOnce) { talk in
            let kid = try await talk.child("kid")
            let (boss, id): (Desk, PresentationID) = (talk.beside.second, talk.id(1))
            kid.present(id, "left-ms: 5000")
            try await talk.desk.shows(id)
            try await boss.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            let first = try boss.answer(id, by: "bob", undo: 30_000)
            try talk.desk.answer(id, "skip", by: "ann", undo: 30_000)
            try await talk.desk.hides(id, in: 4_800...5_100)
            try await boss.hides(id)
            try await talk.carriedOut(1, by: kid, "answer: \(first.id)", "by: bob")
            try talk.desk.reads(id) { $0.stage == .settled(first, .recovered) }
        },
        Script("To undo one held answer leaves what another inbox holds", .top.bothAtOnce) {
            talk in
            let kid = try await talk.child("kid")
            let (boss, id): (Desk, PresentationID) = (talk.beside.second, talk.id(1))
            kid.present(id, "left-ms: 5000")
            try await talk.desk.shows(id)
            try await boss.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try boss.answer(id, by: "bob", undo: 30_000)
            let second = try talk.desk.answer(id, "skip", by: "ann", undo: 30_000)
            try boss.inbox.undo(id)
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            try await talk.desk.hides(id, in: 4_800...5_100)
            try await boss.hides(id)
            try await talk.carriedOut(1, by: kid, "answer: \(second.id)", "by: ann")
        },
        Script("The same answer again is acknowledged, another one refused", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: Talk.asking(Talk.count))
            let (inbox, name) = (talk.desk.inbox, talk.id(9).value)
            func give(_ count: Int64, by: String, of: String? = nil) throws {
                _ = try inbox.answer(
                    id, option: "set", by: by, of: of, id: name, undo: .seconds(10),
                    values: ["count": .integer(count)], comment: "why")
            }
            try give(3, by: "ann", of: "a")
            let revision = inbox.revision
            try give(3, by: "ann", of: "a")
            try give(3, by: "anna", of: "a")
            try talk.check(inbox.revision == revision, "nothing has changed")
            try talk.desk.refuses(for: \.isOtherAnswer) { try give(4, by: "ann", of: "a") }
            try talk.desk.refuses(for: \.isOtherAnswer) { try give(3, by: "ann", of: "b") }
            try talk.desk.refuses(for: \.isOtherAnswer) { try give(3, by: "bob") }
            try await talk.desk.hides(id, in: 9_900...10_100)
            let said = try await kid.hears("ANSWER", "option: set", "by: ann")
            try talk.check(
                said.payload == #"{"comment":"why","values":{"count":3}}"#, said.payload)
        },
        Script("The id of an answer is for one presentation", .top) { talk in
            let kid = try await talk.child("kid")
            let (first, second) = (
                try await talk.shown(1, by: kid),
                try await talk.shown(2, by: kid, report: Talk.trouble(8))
            )
            let inbox = talk.desk.inbox
            try inbox.answer(first, option: "retry", by: "ann", id: talk.id(9).value)
            try await talk.desk.hides(first)
            try await talk.carriedOut(1, by: kid)
            try talk.desk.refuses(for: \.isOtherAnswer) {
                try inbox.answer(second, option: "retry", by: "ann", id: talk.id(9).value)
            }
            try inbox.answer(second, option: "retry", by: "ann", id: talk.id(8).value)
            try await talk.desk.hides(second)
            try await talk.carriedOut(2, by: kid, "answer: \(talk.id(8))")
        },
        Script("Only an offered option is taken", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.refuses(for: \.isNotOffered) {
                try talk.desk.inbox.answer(id, option: "wipe", by: "ann")
            }
            try talk.desk.reads(id, \.isOpen)
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid)
        },
        Script("A node that signs nothing takes no option that needs a signature", .top) { talk in
            let kid = try await talk.child("kid")
            let options = #"{"id": "raze", "title": "Raze", "signed": true}, "# + Talk.options
            let id = try await talk.shown(1, by: kid, report: Talk.trouble(7, options: options))
            try talk.desk.reads(id) { $0.unsignable == ["raze"] }
            try talk.desk.refuses(for: \.isUnsignable) {
                try talk.desk.inbox.answer(id, option: "raze", by: "ann")
            }
            try talk.desk.reads(id, \.isOpen)
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "option: retry")
        },
        Script("What a person reads of an error: origin, path, retries, age", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(
                1, by: kid, origin: "leaf", report: Talk.trouble(7, #""retryCount": 2"#))
            try talk.desk.reads(id) {
                $0.origin == "leaf" && $0.path == ["leaf", "kid"] && $0.retryCount == 2
                    && !$0.wasShownBefore && $0.isReachable && $0.openedAt <= .now
                    && $0.deadline == nil && $0.stage == .open && $0.answer == nil
            }
            try await talk.withdraws(1, by: kid)
        },
        Script("An answer that comes after the withdrawal is refused", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.answer(id, undo: 5_000)
            try await talk.withdraws(1, by: kid)
            try talk.desk.reads(id) { $0.stage == .closed(.withdrawn) && $0.answer == nil }
            try talk.desk.refuses(for: \.isNothingToUndo) { try talk.desk.inbox.undo(id) }
            try await kid.hearsNothing(for: 6_000)
            try talk.desk.reads(id) { $0.stage == .closed(.withdrawn) }
        },
        Script("The result of an operation that fails again is shown with the first one", .top) {
            talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid)
            try talk.desk.answer(first)
            try await talk.desk.hides(first)
            try await talk.carriedOut(1, by: kid)
            try talk.desk.reads(first) { $0.failedAgain == nil && $0.ending != nil }
            let revision = talk.desk.inbox.revision
            let second = try await talk.shown(2, by: kid, "retry-of: \(first)")
            try talk.desk.reads(first) {
                $0.failedAgain == second && $0.revision > revision
                    && $0.ending == RecoveryResult.failedAgainWord
            }
            try await talk.withdraws(2, by: kid)
            try await talk.shown(3, by: kid, "retry-of: \(first)")
            try talk.desk.reads(first) { $0.failedAgain == second }
            try await talk.withdraws(3, by: kid)
        },
        Script("A node that shuts down gives what is held, and the result is known", .top) { talk in
            let kid = try await talk.child("kid")
            let (first, second) = (
                try await talk.shown(1, by: kid),
                try await talk.shown(2, by: kid, report: Talk.trouble(8))
            )
            try talk.desk.answer(first, undo: 30_000)
            try talk.desk.answer(second, "skip", undo: 30_000)
            let (done, inbox) = (Mailbox<Void>(talk.scheduler), talk.desk.inbox)
            Task.detached {
                await inbox.giveHeld()
                done.add(())
            }
            try await talk.desk.hidesAll([first, second])
            let (said, other) = (try await kid.hears("ANSWER"), try await kid.hears("ANSWER"))
            try talk.check(
                Set([said["option"], other["option"]]) == ["retry", "skip"], "both are given")
            try talk.check(await done.next(within: 500) == nil, "it waits for the results")
            for answer in [said, other] {
                kid.say(
                    "SETTLED", "id: \(answer["id"] ?? "")", "answer: \(answer["answer"] ?? "")",
                    "result: recovered")
            }
            try talk.check(await done.next(within: 200) != nil, "it has the results")
        },
        Script("A node that shuts down waits two seconds at most", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.answer(id, undo: 30_000)
            let (done, inbox) = (Mailbox<Void>(talk.scheduler), talk.desk.inbox)
            Task.detached {
                await inbox.giveHeld()
                done.add(())
            }
            try await talk.desk.hides(id)
            try await kid.hears("ANSWER", "option: retry")
            try talk.check(await done.next(within: 1_800) == nil, "it waits for the result")
            try talk.check(await done.next(within: 300) != nil, "it waits no longer")
            _ = try await kid.hearsAmong("ANSWER", within: 3_000)
            kid.heard.clear()
        },
    ]
}
