import ErrorBus

// What a child sends again, and until when: section 9 of docs/wire.md.
extension Script {
    static let resending: [Script] = presentsAgain + endsAgain + deadlines

    /// The pauses of what is sent again.
    static let pauses: [ClosedRange<UInt64>] = [
        1_000...1_250, 2_000...2_500, 4_000...5_000, 8_000...10_000, 16_000...20_000,
        30_000...37_500, 30_000...37_500,
    ]

    private static let presentsAgain: [Script] = [
        Script("PRESENT comes again after 1, 2, 4, 8, 16, 30, 30 s with its attempt, till ACCEPTED")
        {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 800000", "wait-ms: 5000", "retry-of: \(talk.id(2))")
            let first = try await talk.up.isAsked(
                talk.id(1), "attempt: 1", "origin: kid", "path: kid,hop", "left-ms: 800000",
                "no wait-ms", "retry-of: \(talk.id(2))", "digest: \(Talk.digest())", "no reachable")
            let start = talk.now
            try await kid.hears("ACCEPTED")
            for (number, pause) in pauses.enumerated() {
                let said = try await talk.up.isAsked(
                    talk.id(1), "attempt: \(number + 2)", "path: kid,hop",
                    in: (pause.lowerBound - 60)...pause.upperBound)
                let left = 800_000 - (talk.now - start)
                try talk.check(said["left-ms"] == "\(left)", "left-ms is \(left)")
                try talk.check(said.payload == first.payload, "the report is the same")
                // A state may have been sent before PRESENT came.
                talk.up.pending(talk.id(1), "relayed")
                // The child asks within the lease.
                kid.say("AWAIT", "id: \(talk.id(1))")
                try await kid.hears("PENDING", "state: relayed")
            }
            talk.up.accept(talk.id(1), "1")
            try await talk.up.hearsNothing(for: 29_000)
        },
        Script("AWAIT comes 30 to 60 s after ACCEPTED, and again, at random") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            var times: Set<UInt64> = []
            for _ in 0..<5 {
                let from = talk.now
                try await talk.up.hears("AWAIT", "id: \(talk.id(1))", in: 29_999...60_002)
                talk.up.pending(talk.id(1), "presented")
                times.insert(talk.now - from)
            }
            try talk.check(times.contains { $0 < 58_000 }, "the time differs")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
            try await talk.up.hearsNothing(for: 61_000)
        },
        Script("ACCEPTED of an earlier attempt counts where the content is the same, else not") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), origin: "leaf")
            try await talk.up.isAsked(talk.id(1), "attempt: 1")
            try await kid.hears("ACCEPTED")
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 900...1_300)
            kid.present(talk.id(1), "reachable: false", origin: "leaf")
            try await talk.up.isAsked(talk.id(1), "attempt: 3", "reachable: false")
            try await kid.hears("ACCEPTED")
            talk.up.accept(talk.id(1), "2")
            // Sent before the third: the pause is that of a first PRESENT.
            try await talk.up.isAsked(
                talk.id(1), "attempt: 4", "reachable: false", in: 900...1_250)
            talk.up.accept(talk.id(1), "3")
            try await talk.up.hearsNothing(for: 2_600)
        },
        Script("404 makes a child ask again at once, and ACCEPTED before it counts no more") {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 1")
            try await call.learns(.relayed)
            talk.up.refuse(talk.id(1), 404)
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 0...3)
            talk.up.accept(talk.id(1), "1")
            try await talk.up.isAsked(talk.id(1), "attempt: 3", in: 1_000...1_250)
            talk.up.accept(talk.id(1), "2")
            try await talk.up.hearsNothing(for: 2_600)
        },
        Script("After a new link everything open is presented again at once, paced by 20 a ms") {
            talk in
            try await talk.up.isLinked()
            for number in 1...45 {
                _ = try await talk.asksNow(number)
                try await talk.up.takes(talk.id(number), "attempt: 1")
            }
            try await talk.restarted(boot: "0a")
            let start = talk.now
            for number in 1...45 {
                let said = try await talk.up.takes(talk.id(number), "attempt: 2")
                let sentAfter = said.time - start
                // WELCOME takes one millisecond, and PRESENT one.
                try talk.check(
                    sentAfter == 2 + UInt64((number - 1) / 20), "PRESENT \(number) is paced")
            }
            try await talk.up.hearsNothing(for: 3_000)
        },
    ]

    private static let endsAgain: [Script] = [
        Script("WITHDRAW of the origin comes again till WITHDRAWN, for 10 minutes") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            let said = try await talk.up.takes(talk.id(1))
            try await call.learns(.relayed)
            call.cancel()
            try await call.ends(.withdrawn)
            let digest = Talk.digest(said.payload)
            let fields = [
                "id: \(talk.id(1))", "reason: origin", "origin: hop", "digest: \(digest)",
            ]
            try await talk.up.hears("WITHDRAW", all: fields, in: 0...5)
            let start = talk.now
            for pause in pauses { try await talk.up.hears("WITHDRAW", all: fields, in: pause) }
            while talk.now - start < 562_000 {
                try await talk.up.hears("WITHDRAW", all: fields, in: 30_000...37_500)
            }
            // One may come before the end of the time.
            let left = 600_000 - (talk.now - start)
            if left > 37_500 { try await talk.up.hears("WITHDRAW", in: 30_000...37_500) }
            _ = await talk.up.heard.next(within: 600_000 - (talk.now - start))
            try await talk.up.hearsNothing(for: 80_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "withdrawn")
        },
        Script("WITHDRAWN, and OK in its place, end the sending of WITHDRAW") { talk in
            try await talk.up.isLinked()
            for (number, reply) in ["WITHDRAWN", "OK"].enumerated() {
                let call = talk.asks(talk.id(number))
                try await talk.up.takes(talk.id(number))
                try await call.learns(.relayed)
                call.cancel()
                try await call.ends(.withdrawn)
                try await talk.up.hears("WITHDRAW", "id: \(talk.id(number))")
                talk.up.say(reply, "id: \(talk.id(number))")
                try await talk.up.hearsNothing(for: 3_000)
            }
        },
        Script("WITHDRAW that was not confirmed goes to the next link at once, and its pauses anew")
        {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await call.learns(.relayed)
            call.cancel()
            try await call.ends(.withdrawn)
            try await talk.up.hears("WITHDRAW", "reason: origin")
            for pause in pauses.prefix(3) { try await talk.up.hears("WITHDRAW", in: pause) }
            try await talk.restarted(boot: "0a")
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...5)
            try await talk.up.hears("WITHDRAW", in: 1_000...1_250)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
            // A life that has not confirmed it gets it again; this one has.
            try await talk.restarted(boot: "0a")
            try await talk.up.hearsNothing(for: 3_000)
            try await talk.restarted(boot: "0d")
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("The WITHDRAW of a hop is kept back for 2 s, and names no origin and digest") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(1))", in: 0...3)
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: abandoned", "no origin", "no digest",
                in: 1_998...2_005)
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_000...1_250)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 2_600)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "unknown")
            // The origin's word is final, and goes up at once.
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears(
                "WITHDRAW", all: ["id: \(talk.id(1))", "reason: origin"] + Talk.asked("kid"),
                in: 0...3)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "withdrawn")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 2_600)
        },
        Script("A presentation that is asked for again within the 2 s is not withdrawn") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.pause(1_900)
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 2")
            try await kid.hears("ACCEPTED")
            try await talk.up.hearsNothing(for: 4_000)
        },
    ]

    private static let deadlines: [Script] = [
        Script("On a live link a caller waits one second longer than its deadline") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 5_000)
            try await talk.up.takes(talk.id(1), "left-ms: 5000")
            try await call.waits(for: 5_990)
            try await call.ends(.expired, in: 0...15)
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...3)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script("An answer in the second after the deadline counts") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 5_000)
            try await talk.up.takes(talk.id(1))
            try await talk.pause(5_900)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
        },
        Script("Without a link a caller waits until its deadline itself") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 5_000)
            try await talk.up.takes(talk.id(1), "left-ms: 5000")
            talk.up.die()
            try await call.waits(for: 4_980)
            try await call.ends(.expired, in: 0...30)
        },
        Script("The ANSWER of the expiry is the deadline: it is settled as failed") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 5_000, onExpiry: "skip")
            try await talk.up.takes(talk.id(1))
            try await talk.pause(4_900)
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: up", "via: expiry",
                "did-recover: false", "reason: expired")
            try await talk.up.learns(talk.id(1), talk.id(9), "failed")
            try await call.ends(.answered)
            try talk.check(talk.attempts == ["skip"], "onExpiry is applied")
        },
        Script("A hop withdraws at a deadline as a hop does, a second later, and refuses by 408") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 3000")
            try await talk.up.takes(talk.id(1), "left-ms: 3000")
            try await kid.hears("ACCEPTED")
            try await kid.hears("REJECT", "code: 408", in: 3_900...3_960)
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_990...2_010)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 1_500)
        },
    ]
}
