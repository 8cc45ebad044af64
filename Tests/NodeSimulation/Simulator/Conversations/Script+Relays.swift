import ErrorBus

// What a hop does with what its children present: sections 5, 6, 10 and 12 of docs/wire.md.
extension Script {
    static let relays: [Script] = passages + chains + responders

    /// A relay with a responder that changes or withholds what it gets.
    private static func changing(
        _ hook: @escaping ClosureResponder.WillPresent
    ) -> Hop {
        .relay.made { parts, _ in
            parts.chain = { ClosureResponder("changer", next: $0, willPresent: hook) }
        }
    }

    /// A relay with an option of its own.
    private static let adding = Hop.relay.made { parts, talk in
        parts.chain = { next in
            ClosureResponder(
                "adder", next: next,
                willPresent: { error, _ in
                    error.addingRecoveryOptions {
                        RecoveryOption("Log in", id: "login") {
                            talk.attempts.append("login")
                            return true
                        }
                    }
                })
        }
    }

    private static let passages: [Script] = [
        Script("A relay passes on all fields of PRESENT but wait-ms, and adds its own name") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(
                talk.id(1), "digest: 0123456789abcdef", "left-ms: 60000", "wait-ms: 5000",
                "retry-of: \(talk.id(2))", "traceparent: 00-ab", "x-two: 2", "x-one: 1",
                origin: "deep")
            let said = try await talk.up.takes(
                talk.id(1), "attempt: 1", "origin: deep", "path: deep,kid,hop",
                "digest: 0123456789abcdef", "retry-of: \(talk.id(2))", "traceparent: 00-ab",
                "x-two: 2", "x-one: 1", "no wait-ms", "no reachable")
            try talk.check(said.payload == Talk.report, "byte for byte")
            try talk.check(
                (59_900...60_000).contains(UInt64(said["left-ms"] ?? "") ?? 0), "left-ms")
            try await kid.hears("ACCEPTED")
        },
        Script("The parent of an origin writes the digest where it is missing") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1), "digest: \(Talk.digest())")
            try await kid.hears("ACCEPTED")
        },
        Script("A hop that finds itself in the path, or too many names, refuses") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), origin: "deep", path: "deep,hop,kid")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 482")
            kid.present(talk.id(2), origin: "hop", path: "kid")
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 482")
            let names = (1...15).map { "n\($0)" }
            kid.present(
                talk.id(3), origin: "n1", path: (names + ["kid", "n17"]).joined(separator: ","))
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 483")
            kid.present(talk.id(4), origin: "n1", path: (names + ["kid"]).joined(separator: ","))
            try await kid.hears("REJECT", "id: \(talk.id(4))", "code: 483")
            kid.present(
                talk.id(5), origin: "n1", path: (names.dropLast() + ["kid"]).joined(separator: ","))
            try await talk.up.takes(talk.id(5))
            try await kid.hears("ACCEPTED")
        },
        Script("A refusal goes down under its code, in its own words") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, code) in [
                (1, 400), (2, 409), (3, 410), (4, 413), (5, 482), (6, 483), (7, 503), (8, 505),
                (9, 408), (10, 403),
            ] {
                kid.present(talk.id(number))
                try await talk.up.hears("PRESENT", "id: \(talk.id(number))")
                talk.up.say(
                    "REJECT", "id: \(talk.id(number))", "code: \(code)", "reason: it is so")
                try await kid.hears(
                    "REJECT", "id: \(talk.id(number))", "code: \(code)", "reason: it is so")
            }
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("What a process above handled is settled, and goes down without values") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, recovers) in [(1, true), (2, false)] {
                kid.present(talk.id(number))
                try await talk.up.takes(talk.id(number))
                try await kid.hears("ACCEPTED")
                talk.up.say(
                    "ANSWER", "id: \(talk.id(number))", "answer: \(talk.id(90 + number))",
                    "by: ann", "via: person", "option: login", "did-recover: \(recovers)",
                    "reason: answered", "second: bob", "x-one: 1",
                    payload: #"{"values":{"a":1},"comment":"Why."}"#)
                let said = try await kid.hears(
                    "ANSWER", "answer: \(talk.id(90 + number))", "by: ann", "via: person",
                    "option: login", "did-recover: \(recovers)", "reason: answered",
                    "second: bob", "x-one: 1")
                try talk.check(said.payload == #"{"comment":"Why."}"#, said.payload)
                try await talk.up.hears(
                    "SETTLED", "answer: \(talk.id(90 + number))",
                    "result: \(recovers ? "recovered" : "failed")")
                kid.settle(
                    talk.id(number), talk.id(90 + number), recovers ? "recovered" : "failed")
            }
            try await talk.up.hearsNothing(for: 100)
        },
        Script("WITHDRAW goes up with its reason: at once by the origin, else in 2 s") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, reason, time) in [
                (1, "origin", UInt64(0)...10), (2, "abandoned", 1_990...2_010),
            ] {
                kid.present(talk.id(number))
                try await talk.up.takes(talk.id(number))
                kid.say("WITHDRAW", "id: \(talk.id(number))", "reason: \(reason)")
                try await kid.hears("WITHDRAWN", "id: \(talk.id(number))", in: 0...10)
                try await talk.up.hears(
                    "WITHDRAW", "id: \(talk.id(number))", "reason: \(reason)", in: time)
                talk.up.say("WITHDRAWN", "id: \(talk.id(number))")
            }
        },
        Script("A hop without an answer sends 408 a second after the deadline") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 500")
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 408", in: 1_400...1_460)
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: abandoned", in: 1_990...2_010)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 408")
        },
        Script("A hop without a link to its parent sends the expiry at the deadline") { talk in
            talk.up.die()
            let kid = try await talk.child("kid")
            try await talk.pause(100)
            kid.present(talk.id(1), "left-ms: 500")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: unreachable")
            try await kid.hears(
                "ANSWER", "via: expiry", "did-recover: false", "reason: expired", "by: hop",
                "no option", in: 400...460)
            kid.settle(talk.id(1), talk.id(1), "failed")
        },
        Script("PRESENT with left-ms 0 gets 408") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 0")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 408")
        },
        Script("With no parent and no people PRESENT gets 503 at once", Hop(parentCount: 0)) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears(
                "REJECT", "id: \(talk.id(1))", "code: 503",
                "reason: no responder at hop and above", in: 0...10)
        },
        Script("Changes in the name of nodes that are not in the path are dropped") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let change = #"{"by": "kid", "rewritten": ["description"]}"#
            let forged = #"{"by": "up", "rewritten": ["description"]}"#
            kid.present(talk.id(1), report: Talk.report("\"changes\": [\(change), \(forged)]"))
            let said = try await talk.up.takes(talk.id(1))
            try talk.check(
                said.payload.contains(#""by":"kid""#) && !said.payload.contains(#""by":"up""#),
                said.payload)
            try await kid.hears("ACCEPTED")
        },
        Script("A user cancellation of a child passes a relay") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(
                talk.id(1),
                report: #"{"domain":"NSCocoaErrorDomain","code":3072,"description":"Off."}"#)
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
        },
        Script("A child learns the path upward, also where the parent names none") { talk in
            try await talk.up.isLinked()
            talk.up.namesWay = false
            try await talk.restartParent()
            try await talk.up.isLinked()
            let kid = try await talk.peer("kid")
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME", "path: hop,up")
        },
    ]

    private static let chains: [Script] = [
        Script("An option of the relay is attempted there, and goes down as a result", adding) {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await talk.up.takes(talk.id(1), "digest: \(Talk.digest())")
            try talk.check(
                said.payload.contains(#""addedOptions":["login"]"#)
                    && said.payload.contains(#""by":"hop""#), said.payload)
            let report = try ErrorReport(payload: Frame(said.payload.utf8))
            try talk.check(
                report.options.map(\.id) == ["retry", "skip", "login"], "added behind the others")
            try await kid.hears("ACCEPTED")
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: ann",
                "via: person", "option: login", payload: #"{"comment":"Why."}"#)
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
            let answer = try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: login", "did-recover: true",
                "by: ann", "via: person", "reason: answered")
            try talk.check(answer.payload == #"{"comment":"Why."}"#, answer.payload)
            try talk.check(talk.attempts == ["login"], "\(talk.attempts)")
            kid.settle(talk.id(1), talk.id(9), "recovered")
            try await talk.up.hearsNothing(for: 100)
        },
        Script("A child's option passes a relay with options of its own", adding) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "no did-recover")
            kid.settle(talk.id(1), talk.id(9), "late")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: late")
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
        Script("A result of another path is the relay's word, and its chain says nothing", adding) {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, result) in [(1, "invalid"), (2, "withdrawn"), (3, "failed")] {
                kid.present(talk.id(number))
                try await talk.up.takes(talk.id(number))
                try await kid.hears("ACCEPTED")
                talk.up.answer(talk.id(number), as: talk.id(90 + number))
                try await kid.hears("ANSWER")
                kid.settle(talk.id(number), talk.id(90 + number), result)
                try await talk.up.hears(
                    "SETTLED", "answer: \(talk.id(90 + number))", "result: \(result)")
            }
            try await kid.hearsNothing(for: 500)
        },
        Script(
            "What a rule rewrites goes up with what was changed",
            changing { error, _ in
                error.rewriting { $0.description = "Less." }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await talk.up.takes(talk.id(1), "digest: \(Talk.digest())")
            try talk.check(
                said.payload.contains(#""description":"Less.""#)
                    && said.payload.contains(#""rewritten":["description"]"#), said.payload)
            try await kid.hears("ACCEPTED")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER", "option: retry")
            kid.settle(talk.id(1), talk.id(9), "recovered")
            try await talk.up.hears("SETTLED", "result: recovered")
        },
        Script(
            "What a responder withholds ends below, and does not go up", changing { _, _ in nil }
        ) {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await kid.hears(
                "ANSWER", "by: hop", "via: handler", "did-recover: false", "reason: withheld",
                "no option")
            kid.settle(talk.id(1), PresentationID(said["answer"] ?? "") ?? talk.id(9), "failed")
            let call = talk.asks(talk.id(2), throughChain: true)
            let outcome = try await call.ends(.withheld)
            try talk.check(outcome.decidedBy == "changer", "\(outcome)")
            try await talk.up.hearsNothing(for: 500)
        },
        Script("A relay that reads reports refuses a wrong one", changing { error, _ in error }) {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: #"{"domain": "d"}"#)
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 400")
            try await talk.up.hearsNothing(for: 100)
        },
    ]
}
