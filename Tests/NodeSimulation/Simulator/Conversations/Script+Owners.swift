import ErrorBus

// How the owner of an option carries out an answer: sections 5, 8 and 18 to 20 of docs/wire.md.
extension Script {
    static let owners: [Script] = attempts + unfit + values

    /// An error of the node's own process with one option.
    private static func own(
        _ talk: Talk, _ number: Int, twoPeople: Bool = false, signed: Bool = false,
        fields: [ErrorReport.Field] = [], timeLimit: Duration = .seconds(600),
        _ attempt: @escaping RecoveryOption.AttemptWithValues = { _ in true }
    ) -> OwnCall {
        var options = PresentationOptions()
        options.id = talk.id(number)
        let error = Talk.Trouble().recoverable(timeLimit: timeLimit) {
            RecoveryOption(
                "Drop", id: "drop", needsSignature: signed, needsTwoPeople: twoPeople,
                fields: fields
            ) { values in
                talk.attempts.append("drop")
                return try await attempt(values)
            }
        }
        return talk.presents(error, options)
    }

    private static let attempts: [Script] = [
        Script("An attempt without success is settled as failed") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), recovers: false)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: failed")
            let outcome = try await call.ends(.answered)
            try talk.check(
                outcome.decidedBy == "ann" && outcome.answer?.option == "retry", "\(outcome)")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .settled(.failed, _) = $0 { true } else { false }
                } == 1, "an event of it")
        },
        Script("An attempt that throws is settled as failed, with its text at the caller") { talk in
            try await talk.up.isLinked()
            let call = own(talk, 1) { _ in throw Talk.Trouble() }
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "drop", as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: failed")
            let outcome = try await call.ends(.recoveryFailed)
            try talk.check(outcome.detail?.isEmpty == false, "\(outcome)")
        },
        Script("An attempt that lasts longer than it may is settled as failed then") { talk in
            try await talk.up.isLinked()
            for (number, limit) in [(1, UInt64(2_000)), (2, 8_000)] {
                let call = own(talk, number, timeLimit: .milliseconds(limit)) { _ in
                    await !talk.isCancelled(within: 60_000)
                }
                try await talk.up.takes(talk.id(number))
                talk.up.answer(talk.id(number), "drop", as: talk.id(90 + number))
                try await talk.up.hears(
                    "SETTLED", "result: failed", in: (limit - 5)...(limit + 10))
                try await call.ends(.recoveryTimedOut)
            }
        },
        Script("A repeated ANSWER is carried out once") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 2_000)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(1_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered", in: 900...1_010)
            try await call.ends(.answered, didRecover: true)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
            talk.up.answer(talk.id(1), "skip", as: talk.id(8))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(8))", "result: late")
            try talk.check(talk.attempts == ["retry"], "\(talk.attempts)")
        },
        Script("An error without options takes OK, which does not recover") { talk in
            try await talk.up.isLinked()
            var options = PresentationOptions()
            options.id = talk.id(1)
            let call = talk.presents(Talk.Trouble(), options)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "ok", as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: failed")
            try await call.ends(.answered)
        },
        Script("What was handled above is settled by the origin, and not attempted") { talk in
            try await talk.up.isLinked()
            for (number, recovers, reason, expected) in [
                (1, true, "reason: handled", Outcome.Reason.handled),
                (2, false, "reason: withheld", .withheld),
                (3, true, "reason: newer", Outcome.Reason(rawValue: "newer")),
                (4, false, "x: y", .handled), (5, true, "option: retry", .answered),
            ] {
                let call = talk.asks(talk.id(number))
                try await talk.up.takes(talk.id(number))
                talk.up.say(
                    "ANSWER", "id: \(talk.id(number))", "answer: \(talk.id(90 + number))",
                    "by: rule", "via: handler", "did-recover: \(recovers)", reason)
                let outcome = try await call.ends(expected, didRecover: recovers)
                try talk.check(outcome.decidedBy == "rule" && outcome.isRemote, "\(outcome)")
                try await talk.up.hears(
                    "SETTLED", "answer: \(talk.id(90 + number))",
                    "result: \(recovers ? "recovered" : "failed")")
            }
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
    ]

    private static let unfit: [Script] = [
        Script("An option that was not offered is invalid") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "wait", as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: invalid")
            try await call.ends(.noAttempter)
        },
        Script("An option that two people have to choose needs both, and a person's word") { talk in
            try await talk.up.isLinked()
            for (number, more) in [
                (1, ["by: ann", "via: person"]), (2, ["by: ann", "via: person", "second: ann"]),
                (3, ["by: ann", "via: person", "second:  "]),
                (4, ["by: ann", "via: policy", "second: bob"]),
            ] {
                let call = own(talk, number, twoPeople: true)
                try await talk.up.takes(talk.id(number))
                talk.up.say(
                    "ANSWER",
                    ["id: \(talk.id(number))", "answer: \(talk.id(90 + number))", "option: drop"]
                        + more)
                try await talk.up.hears("SETTLED", "result: invalid")
                try await call.ends(.notConfirmed)
            }
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
            let call = own(talk, 5, twoPeople: true)
            try await talk.up.takes(talk.id(5))
            talk.up.answer(talk.id(5), "drop", as: talk.id(95), "second: bob")
            try await talk.up.hears("SETTLED", "result: recovered")
            let outcome = try await call.ends(.answered, didRecover: true)
            try talk.check(outcome.answer?.second == "bob", "\(outcome)")
        },
        Script("A signed option needs a signature that counts") { talk in
            try await talk.up.isLinked()
            for (number, more) in [
                (1, []), (2, ["signer: up"]), (3, ["signer: up", "signature: abc"]),
            ] {
                let call = own(talk, number, signed: true)
                try await talk.up.takes(talk.id(number))
                talk.up.say(
                    "ANSWER",
                    [
                        "id: \(talk.id(number))", "answer: \(talk.id(90 + number))",
                        "option: drop", "by: ann", "via: person",
                    ] + more)
                try await talk.up.hears("SETTLED", "result: invalid")
                try await call.ends(.notSigned)
            }
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
        Script("A declared option is the origin's own choice, whatever it needs of others") {
            talk in
            try await talk.up.isLinked()
            var options = PresentationOptions()
            options.id = talk.id(1)
            options.deadline = .milliseconds(100)
            options.onExpiry = "drop"
            let error = Talk.Trouble().recoverable {
                RecoveryOption("Drop", id: "drop", needsSignature: true, needsTwoPeople: true) {
                    true
                }
            }
            let call = talk.presents(error, options)
            try await talk.up.takes(talk.id(1))
            try await call.ends(.answered, didRecover: true, in: 1_000...1_105)
            try await talk.up.hears("WITHDRAW")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
    ]

    private static let needed: [ErrorReport.Field] = {
        let json = """
            {"id": "drop", "title": "Drop", "fields": [
            {"name": "word", "label": "Word", "kind": "text", "required": true, "pattern": "w*"},
            {"name": "count", "label": "Count", "kind": "number", "default": 3, "max": 9},
            {"name": "pin", "label": "PIN", "kind": "secret"}]}
            """
        let report = try? ErrorReport(payload: Frame(Talk.report(options: json).utf8))
        return report?.options.first?.fields ?? []
    }()

    private static let values: [Script] = [
        Script("Values that do not fit are invalid, and nothing is attempted") { talk in
            try await talk.up.isLinked()
            for (index, payload) in [
                "", "[]", "no", #"{"values":{}}"#, #"{"values":{"word":"x"}}"#,
                #"{"values":{"word":"w","count":10}}"#, #"{"values":{"word":"w","other":1}}"#,
                #"{"values":{"word":"w","pin":"1"}}"#, #"{"secrets":{"word":"w"}}"#,
                #"{"values":{"word":"w"},"withheld":["pin"]}"#,
            ].enumerated() {
                let call = own(talk, index, fields: needed)
                try await talk.up.takes(talk.id(index))
                talk.up.say(
                    "ANSWER", "id: \(talk.id(index))", "answer: \(talk.id(90 + index))",
                    "option: drop", "by: ann", "via: person", payload: payload)
                try await talk.up.hears("SETTLED", "result: invalid")
                let outcome = try await call.ends(.badValue)
                try talk.check(outcome.answer == nil && outcome.decidedBy == "hop", "\(outcome)")
            }
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
        Script("An attempt gets its values, its secrets and the defaults") { talk in
            try await talk.up.isLinked()
            let call = own(talk, 1, fields: needed) { values in
                values["word"] == .text("wide") && values["count"] == .number(3)
                    && values["pin"] == .secret("4711")
            }
            try await talk.up.takes(talk.id(1))
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "option: drop",
                "by: ann", "via: person",
                payload: """
                    {"values":{"word":"wide"},"secrets":{"pin":"4711"},"comment":"Why\\u0009not."}
                    """)
            try await talk.up.hears("SETTLED", "result: recovered")
            let outcome = try await call.ends(.answered, didRecover: true)
            try talk.check(outcome.answer?.comment == "Why not.", "the comment")
            try talk.check(outcome.answer?.lacksSecrets == true, "the caller gets no secret")
            try talk.check(!talk.eventsHaveSecrets, "no event has the secret")
        },
        Script("An answer goes down byte for byte, with what the hop does not know") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            let payload = #"{ "values" : {"a":1.0}, "secrets":{"b":"c"},"x":null,"comment":"d"}"#
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "option: retry",
                "by: ann", "via: person", "second: bob", "signer: up", "signature: abc",
                "x-one: 1", "reason: newer", "digest: \(Talk.digest())", payload: payload)
            let said = try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "by: ann", "via: person",
                "second: bob", "signer: up", "signature: abc", "x-one: 1", "reason: answered",
                "digest: \(Talk.digest())", "no did-recover")
            try talk.check(said.payload == payload, said.payload)
            kid.settle(talk.id(1), talk.id(9), "recovered")
            try await talk.up.hears("SETTLED", "result: recovered", "no origin", "no digest")
            kid.present(talk.id(1))
            let again = try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "did-recover: true")
            try talk.check(again.payload == #"{"comment":"d","x":null}"#, again.payload)
        },
        Script("Of an ANSWER 55 unknown fields are passed on") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.say(
                "ANSWER",
                [
                    "id: \(talk.id(1))", "answer: \(talk.id(9))", "option: retry", "by: ann",
                    "via: person",
                ] + (1...58).map { "x\($0): 1" })
            let said = try await kid.hears("ANSWER", "x55: 1", "no x56")
            try talk.check(said.fields.count { $0.key.hasPrefix("x") } == 55, "\(said)")
        },
        Script("Texts for people are cut, and no message is refused for them") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "traceparent: \(String(repeating: "t", count: 300))")
            let up = try await talk.up.takes(talk.id(1))
            try talk.check(up["traceparent"]?.count == 256, "traceparent")
            try await kid.hears("ACCEPTED")
            let long = String(repeating: "\u{E9}", count: 257)
            talk.up.say("PENDING", "id: \(talk.id(1))", "state: presented", "by: \(long)")
            let pending = try await kid.hears("PENDING", "state: presented")
            try talk.check(pending["by"] == String(long.dropLast()), "\(pending)")
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: \(long)",
                "via: person", "option: retry", "second: \(long)x")
            let said = try await kid.hears("ANSWER")
            try talk.check(
                said["by"] == String(long.dropLast()) && said["second"] == said["by"], "\(said)")
        },
    ]
}
