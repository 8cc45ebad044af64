import ErrorBus

// What a child makes of answers from above: rules 4 to 6 of section 8 of docs/wire.md.
extension Script {
    static let decisions: [Script] = answersTwice + answersUnasked + askedAgain

    private static let answersTwice: [Script] = [
        Script("An answer is settled once its attempt ends, and again with its result when resent")
        {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 2_000, recovers: false)
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(500)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hearsNothing(for: 500)
            talk.up.answer(talk.id(1), "skip", as: talk.id(8))
            try await talk.up.learns(talk.id(1), talk.id(8), "late")
            try await talk.up.learns(talk.id(1), talk.id(9), "failed", in: 900...1_010)
            try await call.ends(.answered)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "failed")
            talk.up.answer(talk.id(1), "skip", as: talk.id(8))
            try await talk.up.learns(talk.id(1), talk.id(8), "late")
            try talk.check(talk.attempts == ["retry"], "one attempt is made")
        },
        Script(
            "A result is kept for 10 minutes, then its answer is one that nothing here asked for"
        ) {
            talk in
            try await talk.up.isLinked()
            try await talk.hasSettled(1)
            try await talk.pause(599_000)
            talk.up.answer(talk.id(1), as: talk.id(101))
            try await talk.up.learns(talk.id(1), talk.id(101), "recovered")
            try await talk.pause(1_500)
            talk.up.answer(talk.id(1), as: talk.id(101))
            try await talk.up.learns(talk.id(1), talk.id(101), "unknown")
        },
        Script("did-recover is settled without an attempt: recovered where it is true, else failed")
        {
            talk in
            try await talk.up.isLinked()
            for (number, value) in ["true", "false"].enumerated() {
                let (id, answer) = (talk.id(number), talk.id(10 + number))
                let call = talk.asks(id)
                try await talk.up.isAsked(id)
                talk.up.say(
                    "ANSWER", "id: \(id)", "answer: \(answer)", "by: top", "via: handler",
                    "did-recover: \(value)", "reason: handled")
                try await talk.up.learns(id, answer, value == "true" ? "recovered" : "failed")
                try await call.ends(.handled, didRecover: value == "true")
            }
            try talk.check(talk.attempts.isEmpty, "no attempt is made")
        },
        Script("A relay settles did-recover itself, and tells its child") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: top",
                "via: handler", "did-recover: true", "reason: handled")
            try await kid.hears(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: top", "via: handler",
                "did-recover: true", "reason: handled", "no option")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered")
            try await talk.up.hearsNothing(for: 500)
        },
        Script("An option that was not offered is settled as invalid") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), "other", as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "invalid")
            try await call.ends(.noAttempter)
        },
        Script("A relay passes each result up as it comes, and a correction of unknown") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let results = ["recovered", "failed", "late", "withdrawn", "invalid", "unknown"]
            for (number, result) in results.enumerated() {
                let (id, answer) = (talk.id(number), talk.id(10 + number))
                kid.present(id)
                try await talk.up.isAsked(id)
                talk.up.answer(id, as: answer)
                try await kid.hears("ANSWER", "id: \(id)", "answer: \(answer)")
                kid.say("SETTLED", "id: \(id)", "answer: \(answer)", "result: \(result)")
                try await talk.up.learns(id, answer, result)
            }
            // The path has ended above by "unknown": what corrects it names the presentation.
            kid.say("SETTLED", "id: \(talk.id(5))", "answer: \(talk.id(15))", "result: recovered")
            try await talk.up.learns(
                talk.id(5), talk.id(15), "recovered", asked: Talk.asked("kid"))
            talk.up.say("OK", "id: \(talk.id(5))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A withdrawal by the origin corrects unknown as well") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: unknown")
            try await talk.up.learns(talk.id(1), talk.id(9), "unknown")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.up.learns(
                talk.id(1), talk.id(9), "withdrawn", asked: Talk.asked("kid"))
            try await talk.up.learns(
                talk.id(1), talk.id(9), "withdrawn", asked: Talk.asked("kid"), in: 1_000...1_251)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
    ]

    private static let answersUnasked: [Script] = [
        Script("An answer to the unknown is ignored for abandonAfter, then settled as unknown") {
            talk in
            try await talk.up.isLinked()
            try await talk.pause(59_800)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hearsNothing(for: 300)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "unknown")
        },
        Script("An answer to another report under the id is one to the unknown") { talk in
            try await talk.up.isLinked()
            try await talk.pause(61_000)
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(8), "digest: 0123456789abcdef")
            try await talk.up.learns(talk.id(1), talk.id(8), "unknown")
            try await call.waits(for: 100)
            let said = try await talk.up.hearsNothingBut("AWAIT", for: 61_000)
            try talk.check(said > 0, "it is still asked for")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
        },
        Script(
            "An answer to what an earlier life asked goes to the child that asks here with people",
            .between.withPeople
        ) { talk in
            talk.up.say("BYE")
            try await talk.pause(10)
            talk.up.die()
            talk.second.die()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: unreachable")
            try await talk.desk.shows(talk.id(1), in: 1_900...2_100)
            try await kid.hears("PENDING", "state: presented")
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: abandoned", in: 1_000...12_000)
            talk.up.answer(talk.id(1), as: talk.id(8), "digest: 0123456789abcdef")
            try await talk.up.hearsNothing(for: 100)
            talk.up.answer(talk.id(1), as: talk.id(9), "digest: \(Talk.digest())")
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(talk.id(9))", "option: retry")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
        },
        Script("An answer comes to what waits here for room, and counts") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.refuse(talk.id(1), 429, retry: 5_000)
            try await talk.pause(5)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
            try await talk.up.hearsNothing(for: 9_000)
        },
    ]

    private static let askedAgain: [Script] = [
        Script("A caller that asks again under an id gets the result that is known") { talk in
            try await talk.up.isLinked()
            try await talk.hasSettled(1)
            let call = talk.asks(talk.id(1))
            try await call.ends(.answered, didRecover: true)
            try await talk.up.hearsNothing(for: 1_500)
            try talk.check(talk.attempts == ["retry"], "one attempt is made")
        },
        Script("A caller that asks again while it is asked takes the former one's place") { talk in
            try await talk.up.isLinked()
            let former = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 1")
            try await talk.pause(5)
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 2")
            try await former.ends(.withdrawn)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
        },
        Script("A caller that asks again after it gave up is sent as a further attempt") { talk in
            try await talk.up.isLinked()
            let former = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 1")
            try await former.learns(.relayed)
            former.cancel()
            try await former.ends(.withdrawn)
            try await talk.up.hears("WITHDRAW", "reason: origin")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.pause(5)
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 2")
            // It is final above.
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await call.ends(.rejected)
        },
        Script("A caller that asks again after an invalid answer is sent as a further attempt") {
            talk in
            try await talk.up.isLinked()
            let former = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 1")
            talk.up.answer(talk.id(1), "other", as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "invalid")
            try await former.ends(.noAttempter)
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1), "attempt: 2")
            // A late word on the first attempt accepts nothing.
            talk.up.accept(talk.id(1), "1")
            try await talk.up.isAsked(talk.id(1), "attempt: 3", in: 900...1_255)
            talk.up.answer(talk.id(1), as: talk.id(8))
            try await talk.up.learns(talk.id(1), talk.id(8), "recovered")
            try await call.ends(.answered, didRecover: true)
        },
        Script("Of three results two are kept where the limit is two") { talk in
            try await talk.up.isLinked()
            for number in 1...3 {
                try await talk.hasSettled(number)
                try await talk.pause(10)
            }
            try await talk.pause(60_000)
            for number in 1...3 {
                talk.up.answer(talk.id(number), as: talk.id(100 + number))
                try await talk.up.learns(
                    talk.id(number), talk.id(100 + number), number == 1 ? "unknown" : "recovered")
            }
        }.at(Hop.relay.made { parts, _ in parts.limits.rememberedMax = 2 }),
        Script("A node that stops withdraws what it asks itself, and nothing of its children") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            let call = talk.asks(talk.id(2))
            try await talk.up.takes(talk.id(2))
            try await call.learns(.relayed)
            talk.stop()
            try await call.ends(.shutDown)
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(2))", "reason: origin", "origin: hop")
            try await talk.up.hears("BYE", "reason: shutdown")
            try await kid.hears("BYE")
        },
    ]
}
