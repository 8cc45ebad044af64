import ErrorBus

// One prompt: which answer counts, and which state the origin hears.
extension Script {
    private static let bob = SignedInPerson("bob", identity: "b")

    /// A prompt refuses this, for such a reason.
    private static func refuses(
        _ talk: Talk, _ isReason: (AnswerRefusal) -> Bool, line: Int = #line,
        _ body: () throws -> Void
    ) throws {
        var found: AnswerRefusal?
        do { try body() } catch { found = error as? AnswerRefusal }
        try talk.check(
            found.map(isReason) == true, "refused: \(found.map { "\($0)" } ?? "no")", line: line)
    }

    static let inboxPrompts: [Script] = [
        Script("The first answer counts; its repetition is acknowledged, any other refused", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble())
            let prompt = try await talk.desk.shows(talk.id(1))
            try refuses(talk, { $0 == .notOffered(option: "x", offered: ["retry", "skip"]) }) {
                _ = try prompt.answer("x", by: "tool", via: .policy)
            }
            try talk.check(prompt.isOpen, "it is open")
            let answer = try prompt.answer(
                "retry", by: "tool", via: .policy, id: talk.id(9).value, comment: "c")
            let again = try prompt.answer(
                "retry", by: "tool", via: .policy, id: talk.id(9).value, comment: "c")
            try talk.check(again == answer && prompt.answer == answer, "it is the same")
            try refuses(talk, { $0 == .alreadyAnswered(answer) }) {
                _ = try prompt.answer("skip", by: "tool", via: .policy, id: talk.id(9).value)
            }
            try refuses(talk, { $0 == .alreadyAnswered(answer) }) {
                _ = try prompt.answer("retry", by: "tool", via: .policy, comment: "c")
            }
            try refuses(talk, { $0 == .alreadyAnswered(answer) }) {
                _ = try prompt.answer(
                    "retry", by: "tool", via: .policy, id: talk.id(9).value, comment: "d")
            }
            try await talk.desk.hides(talk.id(1))
            try await talk.carriedOut(1, by: kid, "by: tool", "via: policy")
            try talk.desk.reads(talk.id(1)) { $0.answer?.id == answer.id }
        },
        Script(
            "A prompt takes from one person no option of two, nor one to sign, nor bad values",
            .top
        ) { talk in
            let kid = try await talk.child("kid")
            let signed = #", {"id": "raze", "title": "Raze", "signed": true}, "#
            let fields = #"{"id": "set", "title": "Set", "fields": [\#(Talk.count)]}"#
            kid.present(
                talk.id(1), report: Talk.trouble(7, options: Talk.wipe + signed + fields))
            let prompt = try await talk.desk.shows(talk.id(1))
            func give(
                _ option: String, _ values: [String: JSONValue] = [:]
            ) throws { _ = try prompt.answer(option, by: "ann", via: .person, values: values) }
            try refuses(talk, { $0 == .needsTwoPeople(option: "wipe") }) { try give("wipe") }
            try refuses(talk, { $0 == .cannotSign(option: "raze") }) { try give("raze") }
            try refuses(
                talk, { if case .badValue("set", _) = $0 { true } else { false } }
            ) { try give("set", ["count": .integer(10)]) }
            try talk.check(
                prompt.refusal(ofOnePersons: "wipe") == .needsTwoPeople(option: "wipe")
                    && prompt.refusal(ofOnePersons: "raze") == .cannotSign(option: "raze")
                    && prompt.refusal(ofOnePersons: "set") == nil, "as it says before")
            try talk.check(prompt.isOpen, "it is open")
            try give("set", ["count": .integer(9)])
            try await talk.desk.hides(talk.id(1))
            try await talk.carriedOut(1, by: kid, "option: set")
        },
        Script("A prompt that has ended takes no answer", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble())
            let prompt = try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try await talk.withdraws(1, by: kid)
            try refuses(talk, { $0 == .closed(.withdrawn) }) {
                _ = try prompt.answer("retry", by: "ann", via: .person)
            }
            kid.present(talk.id(2), "left-ms: 2000", report: Talk.trouble())
            let other = try await talk.desk.shows(talk.id(2))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try await talk.desk.hides(talk.id(2), in: 1_800...2_050)
            try refuses(talk, { $0 == .closed(.expired) }) {
                _ = try other.answer("retry", by: "ann", via: .person)
            }
            try await kid.hears("ANSWER", "reason: expired")
        },
        Script("While a person has the claim no presenter's state hides it", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble())
            let prompt = try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            prompt.moved(to: .queued, by: "lamp")
            try await kid.hears("PENDING", "state: queued", "by: lamp")
            try talk.desk.inbox.claim(talk.id(1), by: "ann", for: .seconds(10))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.check(prompt.claim?.person == "ann", "it is the prompt's")
            for station in [PresentationState.Station.queued, .presented] {
                prompt.moved(to: station, by: "lamp")
            }
            try await kid.hearsNothing(for: 5_000)
            prompt.moved(to: .unreachable, by: "lamp")
            try await kid.hears("PENDING", "state: unreachable", "by: lamp")
            try await talk.pause(5_000)
            try talk.check(prompt.claim == nil, "the claim ran out")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            prompt.moved(to: .presented, by: "lamp")
            try await kid.hears("PENDING", "state: presented", "by: lamp")
            // The latest claim in this inbox is the only one.
            try talk.desk.inbox.claim(talk.id(1), by: "ann", for: .seconds(100))
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            try talk.desk.inbox.claim(
                talk.id(1), by: "bob", for: .seconds(1), takesOver: true)
            try await kid.hears("PENDING", "state: claimed", "by: bob")
            try await talk.pause(1_100)
            try talk.check(prompt.claim == nil, "bob's claim ran out, ann's was taken over")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try await talk.withdraws(1, by: kid)
        },
        Script("Of the claims in two inboxes the latest one is the prompt's", .top.bothAtOnce) {
            talk in
            let kid = try await talk.child("kid")
            let boss: Desk = talk.beside.second
            kid.present(talk.id(1), report: Talk.trouble())
            let prompt = try await talk.desk.shows(talk.id(1))
            try await boss.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try talk.desk.inbox.claim(talk.id(1), by: "ann", for: .seconds(100))
            try await kid.hears("PENDING", "by: ann")
            try boss.inbox.claim(talk.id(1), by: "bob", for: .seconds(10))
            try await kid.hears("PENDING", "by: bob")
            try talk.check(prompt.claim?.person == "bob", "the latest")
            try await talk.pause(10_100)
            try talk.check(prompt.claim?.person == "ann", "the one that is left")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            prompt.moved(to: .queued, by: "lamp")
            try await kid.hearsNothing(for: 100)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await talk.desk.hides(talk.id(1))
            try await boss.hides(talk.id(1))
            try await kid.hears("WITHDRAWN")
        },
        Script("What two people have chosen counts at the deadline while it is held", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(
                1, by: kid, "left-ms: 5000", report: Talk.trouble(7, options: Talk.wipe))
            let inbox = talk.desk.inbox
            let made = try inbox.propose(id, option: "wipe", by: SignedInPerson("ann"))
            try inbox.confirm(id, made.id, option: "wipe", by: bob, undo: .seconds(50))
            try await talk.desk.hides(id, in: 4_800...5_100)
            try await talk.carriedOut(1, by: kid, "option: wipe", "by: ann", "second: bob")
        },
    ]
}
