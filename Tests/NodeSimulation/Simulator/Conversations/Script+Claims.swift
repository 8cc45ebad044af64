import ErrorBus

// Claims of people, as the origin hears of them.
extension Script {
    static let claims: [Script] = [
        Script("The origin hears who claims its error, and that the claim is released", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            let until = try talk.desk.inbox.claim(id, by: "ann", for: .seconds(60))
            try await kid.hears("PENDING", "id: \(id)", "state: claimed", "by: ann")
            try talk.desk.isClaimed(id, by: "ann")
            try talk.check(until > .now + .seconds(59), "the claim has an end")
            try talk.desk.inbox.release(id, by: "ann")
            try await kid.hears("PENDING", "id: \(id)", "state: presented", "by: desk")
            try talk.desk.isClaimed(id, by: nil)
            try await talk.withdraws(1, by: kid)
        },
        Script("Another person answers what is claimed only once the claim ran out", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(10))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await talk.pause(9_000)
            try talk.desk.refuses(for: \.isClaimed) {
                try talk.desk.inbox.answer(id, option: "retry", by: "bob")
            }
            try talk.desk.refuses(for: \.isClaimed) { try talk.desk.inbox.claim(id, by: "bob") }
            try talk.desk.refuses(for: \.isClaimed) { try talk.desk.inbox.release(id, by: "bob") }
            try talk.desk.refuses(for: \.isClaimed) { try talk.desk.inbox.withhold(id, by: "bob") }
            try await talk.pause(1_100)
            try talk.desk.isClaimed(id, by: nil)
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try talk.desk.answer(id, by: "bob")
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "by: bob")
        },
        Script("The holder of a claim answers, and renews the claim", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(10))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await talk.pause(6_000)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(10))
            try await talk.pause(6_000)
            try talk.desk.isClaimed(id, by: "ann")
            try talk.desk.answer(id, by: "ann")
            try await talk.desk.hides(id)
            _ = try await kid.hearsAmong("ANSWER", "by: ann", within: 150)
        },
        Script("A claim lasts an hour at most", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.refuses(for: \.isTooLong) {
                try talk.desk.inbox.claim(id, by: "ann", for: .seconds(3_601))
            }
            let group = try talk.desk.group().number
            try talk.desk.refuses(for: \.isTooLong) {
                _ = try talk.desk.inbox.claimGroup(group, by: "ann", for: .seconds(3_601))
            }
            try talk.desk.isClaimed(id, by: nil)
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(3_600))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try await talk.withdraws(1, by: kid)
        },
        Script("A person takes a claim over", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.inbox.claim(id, by: "bob", takesOver: true)
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            try talk.desk.refuses(for: \.isClaimed) {
                try talk.desk.inbox.answer(id, option: "retry", by: "ann")
            }
            try talk.desk.answer(id, by: "bob")
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "by: bob")
        },
        Script("A person hands a claim over, and the receiver answers", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann", of: "a", to: "bob")
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            try talk.desk.refuses(for: \.isClaimed) {
                try talk.desk.inbox.answer(id, option: "retry", by: "ann", of: "a")
            }
            _ = try talk.desk.inbox.answer(id, option: "retry", by: "bob", of: "b")
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "by: bob")
        },
        Script("A claim belongs to an account, where there is one", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann", of: "a")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.reads(id) { $0.holder == "a" }
            try talk.desk.refuses(for: \.isClaimed) {
                _ = try talk.desk.inbox.answer(id, option: "retry", by: "ann", of: "b")
            }
            try talk.desk.refuses(for: \.isClaimed) {
                try talk.desk.inbox.release(id, by: "ann", of: "b")
            }
            try talk.desk.inbox.release(id, by: "anna", of: "a")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.reads(id) { $0.holder == nil }
            try talk.desk.inbox.claim(id, by: "bob")
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            // Of bob only the name is known.
            try talk.desk.inbox.release(id, by: "bob", of: "b")
            try await kid.hears("PENDING", "state: presented")
            try await talk.withdraws(1, by: kid)
        },
        Script("What has ended is neither claimed, released, answered nor withheld", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try await talk.withdraws(1, by: kid)
            try talk.desk.reads(id) { $0.stage == .closed(.withdrawn) && $0.hasEnded }
            let inbox = talk.desk.inbox
            try talk.desk.refuses(for: \.isClosed) { try inbox.claim(id, by: "ann") }
            try talk.desk.refuses(for: \.isClosed) { try inbox.release(id, by: "ann") }
            try talk.desk.refuses(for: \.isClosed) { try inbox.withhold(id, by: "ann") }
            try talk.desk.refuses(for: \.isClosed) {
                try inbox.answer(id, option: "retry", by: "ann")
            }
            try talk.desk.refuses(for: \.isUnknown) {
                try inbox.answer(talk.id(2), option: "retry", by: "ann")
            }
            try talk.check(inbox.openCount == 0, "nothing is open")
        },
        Script("A person withholds an error: its origin completes without an answer", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid)
            try talk.desk.inbox.claim(id, by: "ann")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.refuses(for: \.isClaimed) { try talk.desk.inbox.withhold(id, by: "bob") }
            try talk.desk.inbox.withhold(id, by: "ann")
            try await talk.desk.hides(id)
            try await kid.hears(
                "ANSWER", "id: \(id)", "did-recover: false", "reason: withheld", "no option")
            try talk.desk.reads(id) { $0.stage == .closed(.withheld) }
        },
        Script(
            "Of the claims in two inboxes the latest is said, and the other when it ends",
            .top.bothAtOnce
        ) { talk in
            let kid = try await talk.child("kid")
            let (boss, id): (Desk, PresentationID) = (talk.beside.second, talk.id(1))
            kid.present(id)
            try await talk.desk.shows(id)
            try await boss.shows(id)
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.inbox.claim(id, by: "ann", for: .seconds(100))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try boss.inbox.claim(id, by: "bob", for: .seconds(10))
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            try boss.inbox.release(id, by: "bob")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try boss.inbox.claim(id, by: "bob", for: .seconds(10))
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            // Bob's claim runs out.
            try await kid.hears("PENDING", "state: claimed", "by: ann", in: 9_900...10_100)
            try talk.desk.inbox.release(id, by: "ann")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try talk.desk.answer(id, by: "ann")
            try await talk.desk.hides(id)
            try await boss.hides(id)
            try await talk.carriedOut(1, by: kid, "by: ann")
            try boss.reads(id) { $0.answer?.by == "ann" }
        },
    ]
}
