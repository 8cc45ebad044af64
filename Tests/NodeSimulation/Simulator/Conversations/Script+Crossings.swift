import ErrorBus

// What crosses on its way up, and what a node keeps to itself: sections 7 and 8 of docs/wire.md.
extension Script {
    static let crossings: [Script] = asked + ended

    private static let asked: [Script] = [
        Script("A caller that asks again during the attempt gets its result, and nothing is sent") {
            talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1), attemptLasts: 1_000)
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(300)
            let second = talk.asks(talk.id(1))
            try await second.waits(for: 300)
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", in: 350...450)
            try await first.ends(.answered, didRecover: true)
            try await second.ends(.answered, didRecover: true)
            try await talk.up.hearsNothing(for: 1_500)
            try talk.check(talk.attempts == ["retry"], "one attempt is made")
        },
        Script("A caller that asks again during the attempt and gives up leaves the result alone") {
            talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1), attemptLasts: 1_000)
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(300)
            let second = talk.asks(talk.id(1))
            try await talk.pause(100)
            second.cancel()
            try await second.ends(.withdrawn)
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", in: 500...650)
            try await first.ends(.answered, didRecover: true)
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script("What waits for room ends at its deadline, and was never sent") { talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            _ = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            let call = try await talk.asksNow(2, deadline: 2_000)
            try await call.ends(.expired, in: 2_980...3_005)
            talk.up.refuse(talk.id(1), 404)
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 0...3)
            talk.up.accept(talk.id(1), "2")
            try await talk.up.hearsNothing(for: 2_500)
        },
        Script("A way to the origin that is lost without a link goes up with the next PRESENT") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), origin: "leaf")
            try await talk.up.takes(talk.id(1), "no reachable")
            try await kid.hears("ACCEPTED")
            talk.up.die()
            try await kid.hears("PENDING", "state: unreachable")
            kid.present(talk.id(1), "reachable: false", origin: "leaf")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: unreachable")
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.takes(
                talk.id(1), "attempt: 2", "reachable: false", in: 0...6_000)
            try await kid.hears("PENDING", "state: relayed")
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script("With one parent its lack of a way up makes a node try no other") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.pending(talk.id(1), "unreachable", "by: up")
            try await kid.hears("PENDING", "state: unreachable", "by: up")
            try await talk.up.hearsNothing(for: 25_000)
            try talk.check(talk.up.helloCount == 1, "there is one link")
        },
        Script(
            "The answer of a rule's route to what a child asks elsewhere does not count",
            Hop.relay.with { $0.routes = ["side"] }
        ) { talk in
            try await talk.up.isLinked()
            let side = talk.routes[0]
            try await side.isLinked()
            try await talk.pause(61_000)
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            side.answer(talk.id(1), as: talk.id(8), "digest: \(Talk.digest())")
            try await side.learns(talk.id(1), talk.id(8), "unknown")
            try await kid.hearsNothing(for: 500)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER", "answer: \(talk.id(9))")
            // A last word goes every way.
            kid.say("WITHDRAW", ["id: \(talk.id(2))", "reason: origin"] + Talk.asked("kid"))
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears("WITHDRAW", "id: \(talk.id(2))", "origin: kid")
            try await side.hears("WITHDRAW", "id: \(talk.id(2))", "origin: kid")
        },
    ]

    private static let ended: [Script] = [
        Script("The result of what a hop gave up goes up in place of its WITHDRAW") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.pause(500)
            let asked = Talk.asked("kid")
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered"] + asked)
            try await kid.hears("OK")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", asked: asked)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 4_000)
        },
        Script("A node that stops leaves an answer that its child has to its next life") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER")
            talk.stop()
            try await kid.hears("BYE")
            try await talk.up.hears("BYE", "reason: shutdown")
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script("A withdrawal by the origin ends what waits above, and frees its place") { talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(2))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: queued")
            kid.say("WITHDRAW", ["id: \(talk.id(1))", "reason: origin"] + Talk.asked("kid"))
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears(
                "WITHDRAW", all: ["id: \(talk.id(1))", "reason: origin"] + Talk.asked("kid"))
            talk.up.accept(talk.id(1), "1")
            talk.up.pending(talk.id(1), "presented")
            try await talk.up.hearsNothing(for: 500)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.takes(talk.id(2), "attempt: 1", in: 0...3)
            try await kid.hears("PENDING", "id: \(talk.id(2))", "state: relayed")
        },
        Script("WITHDRAW of the origin follows at once where a hop's is kept back") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: kid", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
    ]
}
