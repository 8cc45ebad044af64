import ErrorBus

// The results and withdrawals of origins, on their way past hops and lives that have forgotten:
// rule 12 of section 8 of docs/wire.md.
extension Script {
    static let lastWordsUp: [Script] = passedOn + toldAgain

    private static let passedOn: [Script] = [
        Script(
            "A hop that does not know the id passes a result on until OK, and again to new lives"
        ) {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let asked = Talk.asked("kid")
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered"] + asked)
            try await kid.hears("OK", "id: \(talk.id(1))", in: 0...3)
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", asked: asked, in: 0...3)
            for pause in pauses.prefix(4) {
                try await talk.up.learns(
                    talk.id(1), talk.id(9), "recovered", asked: asked, in: pause)
            }
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 20_000)
            try await talk.restarted()
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", asked: asked, in: 0...3)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.pause(5)
            try await talk.restarted()
            try await talk.up.hearsNothing(for: 3_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            talk.up.answer(talk.id(1), as: talk.id(8))
            try await talk.up.learns(talk.id(1), talk.id(8), "late")
        },
        Script("A hop that does not know the id passes a withdrawal on until WITHDRAWN") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let fields = ["id: \(talk.id(1))", "reason: origin"] + Talk.asked("kid")
            kid.say("WITHDRAW", fields)
            try await kid.hears("WITHDRAWN", "id: \(talk.id(1))", in: 0...3)
            try await talk.up.hears("WITHDRAW", all: fields, in: 0...3)
            for pause in pauses.prefix(3) {
                try await talk.up.hears("WITHDRAW", all: fields, in: pause)
            }
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 9_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "withdrawn")
            try await talk.restarted()
            try await talk.up.hears("WITHDRAW", all: fields, in: 0...3)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("What names no origin and digest, and unknown, and a hop's WITHDRAW go no further") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let answer = "answer: \(talk.id(9))"
            kid.say("SETTLED", "id: \(talk.id(1))", answer, "result: recovered")
            kid.say(
                "SETTLED", ["id: \(talk.id(1))", answer, "result: unknown"] + Talk.asked("kid"))
            try await kid.hears("OK")
            kid.say("WITHDRAW", "id: \(talk.id(2))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            kid.say("WITHDRAW", ["id: \(talk.id(3))", "reason: abandoned"] + Talk.asked("kid"))
            try await kid.hears("WITHDRAWN")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A result from another path takes the place of PRESENT; another report's gets 409") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let other = try await talk.child("other")
            kid.present(talk.id(1), origin: "leaf")
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            other.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: failed",
                "origin: leaf", "digest: 0123456789abcdef")
            try await other.hears("REJECT", "id: \(talk.id(1))", "code: 409")
            other.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: failed"]
                    + Talk.asked("leaf"))
            try await kid.hears("ANSWER", "answer: \(talk.id(9))", "did-recover: false", in: 0...3)
            try await other.hears("OK")
            try await talk.up.learns(talk.id(1), talk.id(9), "failed", asked: Talk.asked("leaf"))
            talk.up.accept(talk.id(1), "1")
            try await talk.up.learns(
                talk.id(1), talk.id(9), "failed", asked: Talk.asked("leaf"), in: 1_000...1_251)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script(
            "The result of another answer takes the place of none that is known here",
            Hop.relay.made { parts, _ in parts.limits.rememberedMax = 2 }
        ) { talk in
            try await talk.up.isLinked()
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            for (number, child) in [(1, one), (2, two), (3, two)] {
                let id = try await talk.relayed(number, by: child)
                let answer = try await talk.passedDown(id, as: 10 + number, to: child)
                child.settle(id, answer, "recovered")
                try await talk.up.hears("SETTLED", "answer: \(answer)", "result: recovered")
            }
            // Forgotten below, where one child has two of three; remembered above, as the second.
            two.settle(talk.id(2), talk.id(9), "failed", origin: "two")
            try await two.hears("OK", "id: \(talk.id(2))", in: 2...2)
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A result that is not confirmed goes before PRESENT by another path, until OK") {
            talk in
            try await talk.up.isLinked()
            let (kid, other) = (try await talk.child("kid"), try await talk.child("other"))
            let asked = Talk.asked("leaf")
            kid.settle(talk.id(1), talk.id(9), "recovered", origin: "leaf")
            try await kid.hears("OK", "id: \(talk.id(1))")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", asked: asked)
            other.present(talk.id(1), origin: "leaf")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", asked: asked, in: 0...5)
            try await talk.up.isAsked(talk.id(1), "attempt: 1", in: 0...5)
            try await other.hears("ACCEPTED", "id: \(talk.id(1))")
            try await talk.up.learns(
                talk.id(1), talk.id(9), "recovered", asked: asked, in: 900...1_255)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 0...5)
            try await talk.up.takes(talk.id(1), "attempt: 3", in: 1_900...2_510)
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A result is passed on for 10 minutes, and no longer") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let start = talk.now
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: failed"]
                    + Talk.asked("kid"))
            try await kid.hears("OK")
            var last = start
            while let said = await talk.up.heard.next(within: 40_000) {
                try talk.check(said.verb == "SETTLED", "only SETTLED")
                last = said.time
            }
            try talk.check(562_000...600_010 ~= last - start, "until 10 minutes are over")
            try await talk.restarted()
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("Without a link it is kept until there is one, and goes to each parent", .between) {
            talk in
            try await talk.up.isLinked()
            talk.up.say("BYE")
            talk.second.boot = "0d"
            talk.second.repliesToHello = false
            let kid = try await talk.child("kid")
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered"]
                    + Talk.asked("kid"))
            try await kid.hears("OK", in: 0...3)
            try await talk.second.hears("HELLO", in: 0...200)
            talk.second.say("WELCOME", "node: second", "boot: 0d", "version: EB1")
            try await talk.second.learns(
                talk.id(1), talk.id(9), "recovered", asked: Talk.asked("kid"), in: 0...3)
            talk.second.say("OK", "id: \(talk.id(1))")
            try await talk.up.isLinked(within: 38_000)
            try await talk.second.hears("BYE", in: 0...3)
            try await talk.up.learns(
                talk.id(1), talk.id(9), "recovered", asked: Talk.asked("kid"), in: 0...3)
        },
    ]

    private static let toldAgain: [Script] = [
        Script("A new life of the parent gets results, the latest first, paced, after PRESENTs") {
            talk in
            try await talk.up.isLinked()
            for number in 1...27 {
                try await talk.hasSettled(number)
                try await talk.pause(10)
            }
            _ = try await talk.asksNow(28)
            try await talk.up.takes(talk.id(28))
            try await talk.restarted()
            let start = talk.now
            try await talk.up.takes(talk.id(28), "attempt: 2")
            for number in (1...27).reversed() {
                let said = try await talk.up.learns(
                    talk.id(number), talk.id(100 + number), "recovered", asked: ["origin: hop"])
                // Twenty a millisecond, PRESENT among them.
                try talk.check(
                    said.time - start == 2 + UInt64((28 - number) / 20), "\(number) is paced")
                talk.up.say("OK", "id: \(talk.id(number))")
            }
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A life of a parent that has sent the answer gets no result again on a new link") {
            talk in
            try await talk.up.isLinked()
            try await talk.hasSettled(1)
            for _ in 1...2 {
                try await talk.pause(20_000)
                talk.reset(talk.up)
                try await talk.up.isLinked()
                try await talk.up.hearsNothing(for: 2_000)
            }
        },
        Script("A life that may have given the answer up, after 168 s without it, gets the result")
        {
            talk in
            try await talk.up.isLinked()
            for (number, away) in [UInt64(167_500), 168_500].enumerated() {
                try await talk.hasSettled(number)
                talk.up.say("PONG", "n: 0")
                try await talk.pause(1)
                let start = talk.now
                talk.up.repliesToPing = false
                talk.up.repliesToHello = false
                talk.up.say("BYE")
                while talk.now < start + away - 1_100 {
                    _ = await talk.up.heard.next(within: start + away - 1_100 - talk.now)
                }
                talk.up.heard.clear()
                try await talk.until(start + away)
                talk.up.say("WELCOME", "node: up", "boot: 0a", "version: EB1")
                talk.up.repliesToPing = true
                talk.up.repliesToHello = true
                _ = try await talk.up.hearsNothingBut("HELLO", for: 1)
                if number == 1 {
                    for number in [1, 0] {
                        try await talk.up.hears(
                            "SETTLED", "id: \(talk.id(number))", "origin: hop", in: 0...50)
                        talk.up.say("OK", "id: \(talk.id(number))")
                    }
                }
                try await talk.up.hearsNothing(for: 3_000)
            }
        },
        Script(
            "A result that gets 403 comes again, after retry-ms, with origin and digest until OK"
        ) {
            talk in
            try await talk.up.isLinked()
            for (number, retry): (Int, UInt64?) in [(1, nil), (2, 3_000), (3, 90_000)] {
                try await talk.hasSettled(number)
                talk.up.refuse(talk.id(number), 403, retry: retry)
                let pause = min(retry ?? 1_000, 60_000)
                let asked = ["origin: hop"]
                try await talk.up.learns(
                    talk.id(number), talk.id(100 + number), "recovered", asked: asked,
                    in: pause...(pause + 5))
                talk.up.refuse(talk.id(number), 403, retry: 5)
                try await talk.up.learns(
                    talk.id(number), talk.id(100 + number), "recovered", asked: asked,
                    in: 1_000...1_251)
                talk.up.say("OK", "id: \(talk.id(number))")
                try await talk.up.hearsNothing(for: 3_000)
            }
        },
        Script("An answer that comes again ends the sending of its result to a new life") { talk in
            try await talk.up.isLinked()
            try await talk.hasSettled(1)
            try await talk.restarted()
            try await talk.up.learns(talk.id(1), talk.id(101), "recovered", asked: ["origin: hop"])
            talk.up.answer(talk.id(1), as: talk.id(101))
            try await talk.up.learns(talk.id(1), talk.id(101), "recovered")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("A result that comes while the parent is away goes to its next life with its names")
        {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 1_000)
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(500)
            try await talk.restarted()
            try await call.ends(.answered, didRecover: true, in: 200...500)
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", asked: ["origin: hop"])
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("An answer that a new life sends again during the attempt is settled there plainly")
        {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 1_000)
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.pause(300)
            try await talk.restarted()
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await call.ends(.answered, didRecover: true, in: 300...700)
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await talk.up.hearsNothing(for: 3_000)
        },
    ]
}
