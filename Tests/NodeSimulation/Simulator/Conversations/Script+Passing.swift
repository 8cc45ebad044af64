import ErrorBus

// What a hop passes on between its children and its parent, beside the errors themselves.
extension Script {
    private static let responding = Hop.relay.made { parts, _ in
        parts.chain = { ClosureResponder("rule", next: $0) }
    }

    static let passing: [Script] = [
        Script("PENDING has the age of the state, to which each hop adds") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.say(
                "PENDING", "id: \(talk.id(1))", "state: claimed", "since-ms: 5000", "by: ann")
            let first = try await kid.hears("PENDING", "state: claimed", "by: ann")
            let age = UInt64(first["since-ms"] ?? "") ?? 0
            try talk.check((5_000...5_005).contains(age), "since-ms: \(age)")
            try await talk.pause(2_000)
            kid.say("AWAIT", "id: \(talk.id(1))")
            let second = try await kid.hears("PENDING", "state: claimed", "by: ann")
            let later = UInt64(second["since-ms"] ?? "") ?? 0
            try talk.check((7_000...7_010).contains(later), "since-ms: \(later)")
        },
        Script("A responder's withdrawal has the child's reason", responding) { talk in
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
                    "WITHDRAW", "id: \(talk.id(number))", "reason: \(reason)",
                    reason == "origin" ? "origin: kid" : "no origin", in: time)
                talk.up.say("WITHDRAWN", "id: \(talk.id(number))")
            }
        },
        Script("An origin's withdrawal of what a hop gave up goes up as well") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN", in: 0...10)
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_990...2_010)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears(
                "WITHDRAW", "reason: origin", "origin: kid", "digest: \(Talk.digest())")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script("A hop that loses its child says so above, and when the child is back") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1), "no reachable")
            try await kid.hears("ACCEPTED")
            kid.say("BYE")
            try await talk.up.takes(talk.id(1), "attempt: 2", "reachable: false")
            try await talk.pause(100)
            kid.say("AWAIT", "id: \(talk.id(1))")
            try await kid.hears("PENDING")
            try await talk.up.takes(talk.id(1), "attempt: 3", "no reachable")
        },
        Script(
            "An answer to an earlier life of a hop counts for what this one has",
            .relay.with { $0.hasPeople = true }
        ) {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented")
            talk.up.answer(talk.id(1), as: talk.id(8), "digest: 0123456789abcdef")
            talk.up.answer(talk.id(1), as: talk.id(8))
            try await talk.desk.seesNothing(for: 100)
            talk.up.answer(talk.id(1), as: talk.id(9), "digest: \(Talk.digest())")
            try await kid.hears(
                "ANSWER", "answer: \(talk.id(9))", "option: retry", "digest: \(Talk.digest())")
            try await talk.desk.hides(talk.id(1))
            kid.settle(talk.id(1), talk.id(9), "recovered")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
            talk.up.answer(talk.id(1), as: talk.id(9), "digest: \(Talk.digest())")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
        },
        Script("An answer to nothing is unknown, once no child may come for it") { talk in
            try await talk.up.isLinked()
            talk.up.answer(talk.id(1), as: talk.id(9), "digest: \(Talk.digest())")
            try await talk.up.hearsNothing(for: 1_000)
            try await talk.pause(60_000)
            talk.up.answer(talk.id(1), as: talk.id(9), "digest: \(Talk.digest())")
            try await talk.up.hears(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: unknown")
        },
        Script("A further life of the parent gets the result, with origin and digest") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            let said = try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered", "no origin", "no digest")
            try await call.ends(.answered, didRecover: true)
            try await talk.restartParent()
            try await talk.up.isLinked()
            try await talk.up.hears(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered",
                "origin: hop", "digest: \(said["digest"] ?? "")")
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script(
            "Above the limit of what is open upward a hop is busy",
            .relay.made { parts, _ in parts.limits.openUpwardMax = 1 }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(2))
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 429")
            let call = talk.asks(talk.id(3))
            try await call.ends(.busy)
        },
        Script("The last word of what only an earlier life had goes up until it is confirmed") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let origin = ["origin: kid", "digest: \(Talk.digest())"]
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered"] + origin)
            try await kid.hears("OK", "id: \(talk.id(1))")
            for _ in 1...2 {
                try await talk.up.hears(
                    "SETTLED",
                    all: ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered"]
                        + origin, in: 0...1_300, line: #line)
            }
            talk.up.say("OK", "id: \(talk.id(1))")
            kid.say("WITHDRAW", ["id: \(talk.id(2))", "reason: origin"] + origin)
            try await kid.hears("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.up.hears(
                "WITHDRAW", all: ["id: \(talk.id(2))", "reason: origin"] + origin, in: 0...10,
                line: #line)
            talk.up.say("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A parent's 403 without a link of the origin is final below") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.hears("PRESENT")
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 403", "reason: not yours")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 403", "reason: not yours")
        },
    ]
}
