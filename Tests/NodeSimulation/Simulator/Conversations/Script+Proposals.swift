import ErrorBus

// Options that two people choose: section 19 of docs/wire.md.
extension Script {
    private static let ann = SignedInPerson("ann", identity: "a")
    private static let bob = SignedInPerson("bob", identity: "b")
    private static let forTwo = Talk.trouble(7, options: Talk.wipe)

    static let proposals: [Script] = [
        Script("One person proposes, another one confirms: the answer is of both", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            try talk.desk.refuses(for: \.isForTwo) {
                try inbox.answer(id, option: "wipe", by: "ann")
            }
            let made = try inbox.propose(id, option: "wipe", by: ann, comment: "Rotten.")
            try talk.desk.reads(id) {
                $0.proposal == made && $0.isOpen && made.by == "ann" && made.identity == "a"
                    && made.values.comment == "Rotten."
                    && made.until > .now + .seconds(3_590)
            }
            try talk.desk.refuses(for: \.isSamePerson) {
                try inbox.confirm(id, made.id, option: "wipe", by: ann)
            }
            try talk.desk.refuses(for: \.isSamePerson) {
                try inbox.confirm(
                    id, made.id, option: "wipe", by: SignedInPerson("anna", identity: "a"))
            }
            try talk.desk.refuses(for: \.isSamePerson) {
                try inbox.confirm(
                    id, made.id, option: "wipe", by: SignedInPerson("ann", identity: "c"))
            }
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.confirm(id, talk.id(8).value, option: "wipe", by: bob)
            }
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.confirm(id, made.id, option: "skip", by: bob)
            }
            let answer = try inbox.confirm(id, made.id, option: "wipe", by: bob)
            try await talk.desk.hides(id)
            let said = try await kid.hears(
                "ANSWER", "option: wipe", "by: ann", "second: bob", "via: person",
                "answer: \(answer.id)")
            try talk.check(said.payload == #"{"comment":"Rotten."}"#, said.payload)
            try talk.desk.reads(id) { $0.proposal == nil && $0.answer?.second == "bob" }
        },
        Script("A claim of the first person under another name leaves the second one free", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            let made = try inbox.propose(id, option: "wipe", by: ann)
            try inbox.claim(id, by: "anna", of: "a")
            try await kid.hears("PENDING", "state: claimed", "by: anna")
            try inbox.confirm(id, made.id, option: "wipe", by: bob)
            try await talk.desk.hides(id)
            try await kid.hears("ANSWER", "by: ann", "second: bob")
        },
        Script("A confirmation that is repeated is acknowledged; another one is refused", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let (inbox, name) = (talk.desk.inbox, talk.id(9).value)
            let made = try inbox.propose(id, option: "wipe", by: ann)
            func confirm(_ option: String, _ person: SignedInPerson) throws -> Answer {
                try inbox.confirm(
                    id, made.id, option: option, by: person, id: name, undo: .seconds(5))
            }
            let answer = try confirm("wipe", bob)
            try talk.check(try confirm("wipe", bob) == answer, "it is the same answer")
            try talk.desk.refuses(for: \.isOtherAnswer) {
                _ = try confirm("wipe", SignedInPerson("cid", identity: "c"))
            }
            try talk.desk.refuses(for: \.isOtherAnswer) { _ = try confirm("skip", bob) }
            try talk.desk.refuses(for: \.isAnswered) {
                try inbox.propose(id, option: "wipe", by: bob)
            }
            try talk.desk.refuses(for: \.isAnswered) { try inbox.decline(id) }
            try talk.desk.refuses(for: \.isAnswered) {
                try inbox.confirm(id, made.id, option: "wipe", by: bob, id: talk.id(8).value)
            }
            try talk.desk.reads(id) { $0.holder == "a" }
            try inbox.undo(id)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.refuses(for: \.isTakenBack) { _ = try confirm("wipe", bob) }
            try talk.desk.refuses(for: \.isTakenBack) {
                try inbox.propose(id, option: "wipe", by: ann, id: made.request)
            }
            try talk.desk.reads(id) { $0.proposal == nil && $0.holder == "a" }
            try await talk.withdraws(1, by: kid)
        },
        Script("A repeated proposal is acknowledged; a second one is refused", .top) { talk in
            let kid = try await talk.child("kid")
            let fields = #"{"id": "wipe", "title": "Wipe", "twoPeople": true, "fields": ["#
            let id = try await talk.shown(
                1, by: kid, report: Talk.trouble(7, options: fields + Talk.count + "]}"))
            let (inbox, name) = (talk.desk.inbox, talk.id(9).value)
            func propose(
                _ count: Int64, _ person: SignedInPerson = ann, id other: UniqueID? = nil,
                comment: String? = "c"
            ) throws -> InboxProposal {
                try inbox.propose(
                    id, option: "wipe", by: person, id: other ?? name,
                    values: ["count": .integer(count)], comment: comment)
            }
            try talk.desk.refuses(for: \.isBadValue) { _ = try propose(10) }
            let made = try propose(3)
            let revision = inbox.revision
            try talk.check(try propose(3) == made, "it is the same proposal")
            try talk.check(inbox.revision == revision, "nothing has changed")
            try talk.desk.refuses(for: \.isProposed) { _ = try propose(4) }
            try talk.desk.refuses(for: \.isProposed) { _ = try propose(3, bob) }
            try talk.desk.refuses(for: \.isProposed) { _ = try propose(3, comment: "d") }
            try talk.desk.refuses(for: \.isProposed) { _ = try propose(3, id: talk.id(8).value) }
            let answer = try inbox.confirm(id, made.id, option: "wipe", by: bob)
            try await talk.desk.hides(id)
            let said = try await kid.hears("ANSWER", "second: bob", "answer: \(answer.id)")
            try talk.check(
                said.payload == #"{"comment":"c","values":{"count":3}}"#, said.payload)
        },
        Script("A proposal that is declined is gone, and its repetition is refused", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            let first = try inbox.propose(id, option: "wipe", by: ann, id: talk.id(9).value)
            try talk.check(first.id != talk.id(9).value, "it has an id of its own")
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.decline(id, only: talk.id(8).value)
            }
            try talk.check(try inbox.decline(id, only: first.id) == first, "it is that one")
            try talk.desk.reads(id) { $0.proposal == nil && $0.isOpen }
            try talk.desk.refuses(for: { $0 == .noProposal }) { try inbox.decline(id) }
            try talk.desk.refuses(for: \.isTakenBack) {
                try inbox.propose(id, option: "wipe", by: ann, id: talk.id(9).value)
            }
            let second = try inbox.propose(id, option: "wipe", by: bob)
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.confirm(id, first.id, option: "wipe", by: ann)
            }
            try inbox.decline(id)
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.confirm(id, second.id, option: "wipe", by: ann)
            }
            try await talk.withdraws(1, by: kid)
        },
        Script(
            "A proposal ends with its time, or with the deadline",
            .top.inbox { $0.proposalMax = .seconds(10) }
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            let made = try inbox.propose(id, option: "wipe", by: ann)
            try await talk.pause(9_900)
            try talk.desk.reads(id) { $0.proposal == made }
            try await talk.pause(200)
            try talk.desk.reads(id) { $0.proposal == nil }
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.confirm(id, made.id, option: "wipe", by: bob)
            }
            try inbox.propose(id, option: "wipe", by: bob)
            try await talk.withdraws(1, by: kid)
            let other = try await talk.shown(2, by: kid, "left-ms: 5000", report: forTwo)
            let second = try inbox.propose(other, option: "wipe", by: ann)
            try talk.check(second.until <= .now + .milliseconds(4_960), "it ends before")
            try talk.check(second.since <= .now && second.until > .now, "it begins now")
            try await talk.withdraws(2, by: kid)
        },
        Script(
            "A claim keeps others from proposing, and from confirming but its holder's own",
            .top
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            try inbox.claim(id, by: "ann", of: "a")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.refuses(for: \.isClaimed) {
                try inbox.propose(id, option: "wipe", by: bob)
            }
            let made = try inbox.propose(id, option: "wipe", by: ann)
            try inbox.claim(id, by: "cid", of: "c", takesOver: true)
            try await kid.hears("PENDING", "state: claimed", "by: cid")
            try talk.desk.refuses(for: \.isClaimed) {
                try inbox.confirm(id, made.id, option: "wipe", by: bob)
            }
            try inbox.claim(id, by: "ann", of: "a", takesOver: true)
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try inbox.confirm(id, made.id, option: "wipe", by: bob)
            try await talk.desk.hides(id)
            try await talk.carriedOut(1, by: kid, "by: ann", "second: bob")
        },
        Script("Another option that one person answers drops the proposal", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            let made = try inbox.propose(id, option: "wipe", by: ann)
            try talk.desk.answer(id, "skip", by: "bob", undo: 5_000)
            try talk.desk.reads(id) { $0.proposal == nil }
            try inbox.undo(id)
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            try talk.desk.reads(id) { $0.proposal == nil && $0.takenBack.contains(made.request) }
            try talk.desk.refuses(for: { $0 == .noProposal }) {
                try inbox.confirm(id, made.id, option: "wipe", by: bob)
            }
            try talk.desk.refuses(for: \.isNotOffered) {
                try inbox.propose(id, option: "mend", by: bob)
            }
            try await talk.withdraws(1, by: kid)
        },
        Script("A group is proposed and confirmed at once, but for what was not seen", .top) {
            talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid, report: forTwo)
            let second = try await talk.shown(2, by: kid, report: forTwo)
            let inbox = talk.desk.inbox
            let (group, seen) = (try talk.desk.group().number, inbox.revision)
            let third = try await talk.shown(3, by: kid, report: forTwo)
            let made = try inbox.proposeGroup(
                group, option: "wipe", by: ann, id: talk.id(9).value, seen: seen, comment: "c")
            try talk.check(made.proposed == [first, second] && made.refused.isEmpty, "both")
            try talk.desk.reads(third) { $0.proposal == nil }
            try talk.desk.reads(first) { $0.isProposed(by: talk.id(9).value) }
            let now = inbox.revision
            let late = try inbox.propose(third, option: "wipe", by: ann)
            let known = try [first, second].map { try inbox.item($0).proposal?.id }
            let names = Set(known.compactMap(\.self) + [late.id, talk.id(7).value])
            let given = try inbox.confirmGroup(
                group, names, option: "wipe", by: bob, id: talk.id(8).value, seen: now)
            try talk.check(given.answered == [first, second], "both are answered")
            try talk.check(given.answers.count == 2, "they have ids")
            try talk.desk.refuses(for: \.isOtherProposal) {
                throw given.refused[third] ?? .noProposal
            }
            try talk.check(given.notProposed == [talk.id(7).value], "\(given.notProposed)")
            try await talk.desk.hidesAll([first, second])
            try await talk.allCarriedOut([1, 2], by: kid, "second: bob")
            try await talk.withdraws(3, by: kid)
        },
        Script("A confirmation of a group takes only the proposals that the person saw", .top) {
            talk in
            let kid = try await talk.child("kid")
            let first = try await talk.shown(1, by: kid, report: forTwo)
            let second = try await talk.shown(2, by: kid, report: forTwo)
            let third = try await talk.shown(3, by: kid, report: forTwo)
            let (inbox, group) = (talk.desk.inbox, try talk.desk.group().number)
            let made = try inbox.propose(first, option: "wipe", by: ann)
            let other = try inbox.propose(second, option: "wipe", by: ann)
            var given = try inbox.confirmGroup(
                group, [made.id], only: [first, second, third], option: "wipe", by: bob
            ) { _, _ in false }
            try talk.check(
                given.refused == [
                    first: .proposed(made), second: .otherProposal(other), third: .noProposal,
                ], "\(given.refused)")
            given = try inbox.confirmGroup(
                group, [made.id], only: [first], option: "wipe", by: bob, id: talk.id(9).value,
                undo: .seconds(5))
            try talk.check(given.answered == [first] && given.refused.isEmpty, "\(given)")
            given = try inbox.confirmGroup(
                group, [made.id], only: [first], option: "wipe", by: bob, id: talk.id(9).value)
            try talk.check(given.answered == [first] && given.refused.isEmpty, "\(given)")
            given = try inbox.confirmGroup(
                group, [made.id], only: [first], option: "wipe",
                by: SignedInPerson("cid", identity: "c"), id: talk.id(9).value)
            try talk.check(given.answered.isEmpty && given.refused[first] != nil, "\(given)")
            try await talk.desk.hides(first, in: 4_900...5_100)
            try await talk.carriedOut(1, by: kid, "second: bob")
            for number in [2, 3] { try await talk.withdraws(number, by: kid) }
        },
    ]
}
