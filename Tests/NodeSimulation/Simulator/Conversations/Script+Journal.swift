import ErrorBus

// What a presenter has on record, in this life and from an earlier one: sections 8, 9 and 20 of
// docs/wire.md.
extension Script {
    static let journal: [Script] = written + unwritten + earlierLives + livesLastWords

    private static let written: [Script] = [
        Script("Withdrawn: the prompt goes, and that is recorded", .top) { talk in
            let kid = try await talk.child("kid")
            for (number, reason) in [(1, "origin"), (2, "abandoned")] {
                kid.present(talk.id(number))
                let prompt = try await talk.desk.shows(talk.id(number))
                kid.say("WITHDRAW", "id: \(talk.id(number))", "reason: \(reason)")
                try await kid.hears("WITHDRAWN", "id: \(talk.id(number))", in: 0...10)
                try await talk.desk.hides(talk.id(number))
                try await talk.pause(10)
                try talk.check(
                    talk.notebook.ending(of: talk.id(number)) == .withdrawn, "on record")
                try talk.desk.refuses("a late answer") {
                    _ = try talk.desk.inbox.answer(
                        talk.id(number), option: "retry", by: "ann")
                }
                try talk.desk.refuses("a late answer of another presenter") {
                    _ = try prompt.answer("retry", by: "ann", via: .policy)
                }
            }
        },
        Script("WITHDRAW without a reason, and with another one, is the origin's", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            kid.say("WITHDRAW", "id: \(talk.id(1))")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.desk.hides(talk.id(1))
            kid.present(talk.id(1))
            try await kid.hears("WITHDRAWN", "id: \(talk.id(1))")
            kid.say("WITHDRAW", "id: \(talk.id(2))", "reason: whim")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(2))")
            kid.present(talk.id(2))
            try await kid.hears("WITHDRAWN", "id: \(talk.id(2))")
        },
        Script("A presenter ends a prompt at its deadline, with its own name", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 700")
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.deadline != nil, "people see the deadline")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            try await kid.hears(
                "ANSWER", "via: expiry", "did-recover: false", "reason: expired", "by: hop",
                "no option", "digest: \(Talk.digest())", in: 600...705)
            try await talk.desk.hides(talk.id(1))
            try talk.check(talk.notebook.ending(of: talk.id(1)) == .expired, "on record")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .ended(_, .expired, "kid", "hop", nil) = $0 { true } else { false }
                } == 1, "one event of it")
        },
        Script("At the deadline the first held answer counts", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 700")
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            let answer = try talk.desk.answer(talk.id(1), "skip", undo: 60_000)
            try await kid.hears("ANSWER", "answer: \(answer.id)", "option: skip", in: 550...700)
            try await talk.desk.hides(talk.id(1))
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: failed")
            try await talk.desk.learns(true)
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .failed, "on record")
        },
        Script("A secret goes down once, and stays nowhere", .top) { talk in
            let kid = try await talk.child("kid")
            let field = """
                {"id": "retry", "title": "Retry", "fields": [
                {"name": "pin", "label": "PIN", "kind": "secret", "required": true},
                {"name": "count", "label": "Count", "kind": "number", "default": 3}]}
                """
            kid.present(talk.id(1), report: Talk.report(options: field))
            try await talk.desk.shows(talk.id(1))
            try talk.desk.answer(talk.id(1), values: ["pin": "4711"])
            try await talk.desk.hides(talk.id(1))
            let said = try await kid.hears("ANSWER", "option: retry")
            try talk.check(said.payload.contains(#""secrets":{"pin":"4711"}"#), said.payload)
            try talk.check(said.payload.contains(#""values":{"count":3}"#), said.payload)
            try talk.check(talk.notebook.answer(to: talk.id(1))?.lacksSecrets == true, "withheld")
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(said["answer"] ?? "")",
                "result: recovered")
            kid.present(talk.id(1), report: Talk.report(options: field))
            let again = try await kid.hears("ANSWER", "did-recover: true", "option: retry")
            try talk.check(again.payload.isEmpty, again.payload)
            try talk.check(!talk.eventsHaveSecrets, "no event has the secret")
        },
        Script("An option for two people, or with a signature, is for no one person", .top) {
            talk in
            let kid = try await talk.child("kid")
            let options = """
                {"id": "drop", "title": "Drop", "twoPeople": true},
                {"id": "sign", "title": "Sign", "signed": true}, {"id": "ok", "title": "OK"}
                """
            kid.present(talk.id(1), report: Talk.report(options: options))
            let prompt = try await talk.desk.shows(talk.id(1))
            for option in ["drop", "sign", "wait", ""] {
                try talk.desk.refuses(option) {
                    _ = try prompt.answer(option, by: "ann", via: .person)
                }
            }
            try talk.desk.refuses("a policy for two people") {
                _ = try prompt.answer("drop", by: "rule", via: .policy)
            }
            _ = try prompt.answer("ok", by: "ann", via: .person)
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "option: ok", "by: ann", "no second")
        },
    ]

    private static let unwritten: [Script] = [
        Script("An answer is not sent before it is on record", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            talk.notebook.failing = [.decided]
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hearsNothing(for: 2_500)
            talk.notebook.failing = []
            try await kid.hears("ANSWER", "option: retry", in: 0...1_100)
            try await talk.desk.learns(true)
        },
        Script("What is withdrawn before its answer is on record is withdrawn", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            talk.notebook.failing = [.decided]
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN", in: 0...10)
            try await talk.desk.learns(false)
            talk.notebook.failing = []
            try await kid.hearsNothing(for: 2_000)
            try talk.check(talk.notebook.ending(of: talk.id(1)) == .withdrawn, "on record")
        },
        Script("A deadline that passes before the answer is on record counts", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 1500")
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            talk.notebook.failing = [.decided]
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears(
                "ANSWER", "via: expiry", "reason: expired", "did-recover: false",
                in: 1_300...1_460)
            try await talk.desk.learns(false)
        },
        Script("A slow journal delays the answer, not the end", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            talk.notebook.latency = 800
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "option: retry", in: 790...810)
        },
        Script("What the journal takes for good is refused with 410", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.damaged = [.record]
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 410")
            talk.notebook.damaged = []
            kid.present(talk.id(2))
            try await talk.desk.shows(talk.id(2))
            talk.notebook.damaged = [.decided]
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            try talk.desk.answer(talk.id(2))
            try await talk.desk.hides(talk.id(2))
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 410", in: 0...10)
            try await talk.desk.learns(false)
        },
        Script("What cannot be read is not put to people, until its deadline", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.failing = [.record]
            kid.present(talk.id(1), "left-ms: 1500")
            kid.present(talk.id(2))
            try await kid.hears("ACCEPTED")
            try await kid.hears("ACCEPTED")
            let over = try await kid.hears(
                "ANSWER", "id: \(talk.id(1))", "via: expiry", "reason: expired",
                in: 1_400...1_460)
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(over["answer"] ?? "")",
                "result: failed")
            try await talk.desk.seesNothing(for: 1_000)
            talk.notebook.failing = []
            try await talk.desk.shows(talk.id(2), in: 0...1_100)
            try await kid.hears("PENDING", "id: \(talk.id(2))")
        },
        Script("A prompt that could not be written is written with its answer", .top) { talk in
            let kid = try await talk.child("kid")
            talk.notebook.failing = [.shown]
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            talk.notebook.failing = []
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "option: retry", "answer: \(answer.id)")
            let record = try await talk.notebook.record(of: talk.id(1))
            try talk.check(
                record?.origin == "kid" && record?.digest?.description == Talk.digest(),
                "with origin and digest")
        },
        Script("A result is written as soon as it can be", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER")
            talk.notebook.failing = [.settled]
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: failed")
            try await talk.pause(4_000)
            try talk.check(talk.notebook.result(of: talk.id(1)) == nil, "not yet")
            talk.notebook.failing = []
            try await talk.pause(3_500)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .failed, "at last")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .settled(.failed, _) = $0 { true } else { false }
                } == 1, "one event of it")
        },
        Script("If another answer is on record, that one counts", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            let other = talk.answer(9, "skip")
            talk.notebook.write(talk.id(1), .decided(other, nil), of: try Talk.recorded("kid"))
            try talk.desk.answer(talk.id(1), by: "bob")
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(other.id)", "option: skip", "by: ann")
            try await talk.desk.learns(false)
            kid.settle(talk.id(1), talk.id(9), "failed")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .failed, "on record")
        },
        Script("If another answer is on record with its result, no option goes down", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            talk.notebook.write(
                talk.id(1), .decided(talk.answer(9), .recovered), of: try Talk.recorded("kid"))
            try talk.desk.answer(talk.id(1), "skip", by: "bob")
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(talk.id(9))", "did-recover: true")
            try await talk.desk.learns(false)
            try talk.check(
                talk.count(talk.id(1)) {
                    switch $0 {
                    case .decided(let answer, isRestored: true): answer.by == "ann"
                    case .settled(.recovered, let answer): answer.by == "ann"
                    default: false
                    }
                } == 2, "the events of the answer that counts")
        },
    ]
}
