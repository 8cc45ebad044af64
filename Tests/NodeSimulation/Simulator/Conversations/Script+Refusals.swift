import ErrorBus

// What a child does at REJECT, by what it has sent: the table of section 12 of docs/wire.md.
extension Script {
    static let refusals: [Script] = rows.map(script) + waits + relayed

    /// What comes of a presentation that a parent refuses.
    private enum Effect {
        case ends(Outcome.Reason)
        /// The same, and WITHDRAW is sent.
        case endsWithdrawn
        /// PRESENT at once.
        case asks
        /// The next sending, when it is due.
        case goesOn
        /// PRESENT after a second, and up to half as long more.
        case waits
        case done
    }

    /// A line of the table.
    private struct Row {
        let code: Int
        let asking: Effect
        let accepted: Effect
        let withdrawing: Effect
        let settled: Effect
    }

    private static let rows: [Row] = [
        row(400, .ends(.rejected), .ends(.rejected), .done, .done),
        row(403, .ends(.rejected), .asks, .goesOn, .goesOn),
        row(404, .goesOn, .asks, .goesOn, .goesOn),
        row(408, .endsWithdrawn, .endsWithdrawn, .goesOn, .goesOn),
        row(409, .ends(.rejected), .ends(.rejected), .done, .done),
        row(410, .ends(.rejected), .ends(.rejected), .goesOn, .goesOn),
        row(413, .ends(.rejected), .ends(.rejected), .goesOn, .goesOn),
        row(429, .waits, .waits, .goesOn, .goesOn),
        row(482, .ends(.cycle), .ends(.cycle), .goesOn, .goesOn),
        row(483, .ends(.tooManyHops), .ends(.tooManyHops), .goesOn, .goesOn),
        row(503, .ends(.detached), .ends(.detached), .goesOn, .goesOn),
        row(505, .ends(.rejected), .ends(.rejected), .goesOn, .goesOn),
        // Taken as 400, and as 503.
        row(418, .ends(.rejected), .ends(.rejected), .done, .done),
        row(599, .ends(.detached), .ends(.detached), .goesOn, .goesOn),
    ]

    private static func row(
        _ code: Int, _ asking: Effect, _ accepted: Effect, _ withdrawing: Effect, _ settled: Effect
    ) -> Row {
        Row(
            code: code, asking: asking, accepted: accepted, withdrawing: withdrawing,
            settled: settled)
    }

    private static func script(_ row: Row) -> Script {
        Script("REJECT \(row.code) does what its line of the table has, by what was sent") { talk in
            try await talk.up.isLinked()
            try await talk.hasSettled(4)
            try await talk.restarted()
            try await hears("SETTLED", talk.id(4), row.settled, row.code, talk)
            let first = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1), "attempt: 1")
            talk.up.refuse(talk.id(1), row.code)
            try await check(row.asking, of: talk.id(1), first, next: 1_000...1_250, talk)
            let second = talk.asks(talk.id(2))
            try await talk.up.takes(talk.id(2), "attempt: 1")
            try await second.learns(.relayed)
            talk.up.refuse(talk.id(2), row.code)
            try await check(row.accepted, of: talk.id(2), second, next: 1_000...1_250, talk)
            let third = talk.asks(talk.id(3))
            try await talk.up.takes(talk.id(3))
            try await third.learns(.relayed)
            third.cancel()
            try await third.ends(.withdrawn)
            try await hears("WITHDRAW", talk.id(3), row.withdrawing, row.code, talk)
        }
    }

    /// A PRESENT was refused just now.
    private static func check(
        _ effect: Effect, of id: PresentationID, _ call: OwnCall, next: ClosedRange<UInt64>,
        _ talk: Talk
    ) async throws {
        switch effect {
        case .ends(let reason):
            try await call.ends(reason)
            try await talk.up.hearsNothing(for: 2_600)
            return
        case .endsWithdrawn:
            try await call.ends(.expired)
            try await talk.up.hears("WITHDRAW", "id: \(id)", "reason: origin", "origin: hop")
            talk.up.say("WITHDRAWN", "id: \(id)")
            try await talk.up.hearsNothing(for: 2_600)
            return
        case .asks: try await talk.up.isAsked(id, "attempt: 2", in: 0...3)
        case .goesOn: try await talk.up.isAsked(id, "attempt: 2", in: next)
        case .waits: try await talk.up.isAsked(id, "attempt: 2", in: 1_000...1_505)
        case .done: break
        }
        talk.up.answer(id, as: talk.id(9))
        try await talk.up.learns(id, talk.id(9), "recovered")
        try await call.ends(.answered, didRecover: true)
    }

    /// Hears this verb, refuses it, and hears it again or not.
    private static func hears(
        _ verb: String, _ id: PresentationID, _ effect: Effect, _ code: Int, _ talk: Talk
    ) async throws {
        let said = try await talk.up.hears(verb, "id: \(id)", "origin: hop")
        let fields = ["id: \(id)", "origin: hop", "digest: \(said["digest"] ?? "")"]
        talk.up.refuse(id, code)
        guard case .done = effect else {
            try await talk.up.hears(verb, all: fields, in: 1_000...1_250)
            talk.up.say(verb == "SETTLED" ? "OK" : "WITHDRAWN", "id: \(id)")
            return try await talk.up.hearsNothing(for: 2_600)
        }
        try await talk.up.hearsNothing(for: 2_600)
    }
}

// Refusals that make a child wait, and what a relay makes of them.
extension Script {
    private static let waits: [Script] = [
        Script("403 and 503 with retry-ms make a child wait for it, and up to half as long more") {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            let refusals: [(code: Int, retry: UInt64, pause: UInt64)] = [
                (503, 2_000, 2_000), (403, 3_000, 3_000), (503, 1, 100), (403, 99_999, 60_000),
            ]
            for (code, retry, pause) in refusals {
                talk.up.refuse(talk.id(1), code, retry: retry)
                let longest = pause + pause / 2 + 5
                try await talk.up.isAsked(talk.id(1), in: pause...longest)
                talk.up.accept(talk.id(1), "99")
                try await talk.pause(5)
            }
            try await call.waits(for: 100)
        },
        Script("429 with retry-ms makes a child wait for it, from 0.1 to 60 s") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            for (retry, pause): (UInt64, UInt64) in [(2_000, 2_000), (1, 100), (99_999, 60_000)] {
                talk.up.refuse(talk.id(1), 429, retry: retry)
                let longest = pause + pause / 2 + 5
                try await talk.up.isAsked(talk.id(1), in: pause...longest)
            }
            try await call.waits(for: 100)
        },
        Script("After ten 403 since a presenter held the presentation the next one is final") {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            for round in 1...2 {
                for count in 1...10 {
                    talk.up.refuse(talk.id(1), 403)
                    let pause: ClosedRange<UInt64> =
                        count == 1 ? 0...3 : count == 2 ? 1_000...2_500 : 2_000...2_500
                    try await talk.up.isAsked(talk.id(1), in: pause)
                }
                // The first state is that of a hop, the other one of a presenter.
                talk.up.accept(talk.id(1), "99")
                talk.up.pending(talk.id(1), "relayed")
                if round == 1 { talk.up.pending(talk.id(1), "queued") }
                try await talk.pause(5)
            }
            talk.up.refuse(talk.id(1), 403)
            try await call.ends(.rejected)
            try await talk.up.hearsNothing(for: 2_600)
        },
        Script("A path that has lost the origin waits for it after 403") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), origin: "leaf")
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(1), "reachable: false", origin: "leaf")
            try await talk.up.takes(talk.id(1), "reachable: false", "attempt: 2")
            try await kid.hears("ACCEPTED", "attempt: 2")
            try await talk.pause(5)
            talk.up.refuse(talk.id(1), 403)
            try await talk.up.hearsNothing(for: 5_000)
            kid.present(talk.id(1), origin: "leaf")
            try await talk.up.isAsked(talk.id(1), "no reachable", "attempt: 3", in: 0...5)
            try await kid.hears("ACCEPTED", "attempt: 3")
        },
        Script("403 and 404 to what is waited for, and any REJECT of the unknown, change nothing") {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 500)
            try await talk.up.isAsked(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            for code in [400, 403, 404, 408, 429, 503] {
                talk.up.refuse(talk.id(1), code)
                talk.up.refuse(talk.id(2), code)
            }
            try await talk.up.hears("SETTLED", "result: recovered", in: 490...510)
            try await call.ends(.answered, didRecover: true)
        },
    ]

    private static let relayed: [Script] = [
        Script("A relay refuses its child by the code that it got, and withdraws nothing") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, code) in [400, 403, 408, 409, 410, 413, 482, 483, 503, 505].enumerated() {
                let id = talk.id(number)
                kid.present(id)
                try await talk.up.isAsked(id)
                talk.up.refuse(id, code)
                // What the chain is through with has no other code than these.
                let told = [408: "408", 482: "482", 483: "483", 503: "503"][code] ?? "\(code)"
                try await kid.hears("REJECT", "id: \(id)", "code: \(told)", "reason: so")
            }
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("After 408 a child's WITHDRAW goes up, and one of the unknown as well") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.refuse(talk.id(1), 408)
            try await kid.hears("REJECT", "code: 408")
            kid.say("WITHDRAW", ["id: \(talk.id(1))", "reason: origin"] + Talk.asked("kid"))
            try await kid.hears("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hears(
                "WITHDRAW", all: ["id: \(talk.id(1))", "reason: origin"] + Talk.asked("kid"))
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script("WITHDRAWN for what was not withdrawn ends it as 410 does") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await call.ends(.rejected)
            let kid = try await talk.child("kid")
            kid.present(talk.id(2))
            try await talk.up.takes(talk.id(2))
            try await kid.hears("ACCEPTED")
            talk.up.say("OK", "id: \(talk.id(2))")
            try await kid.hearsNothing(for: 100)
            talk.up.say("WITHDRAWN", "id: \(talk.id(2))")
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 410")
            try await talk.up.hearsNothing(for: 2_600)
        },
        Script("A late WITHDRAWN of what a hop had given up ends no PRESENT after it") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 2_000...2_005)
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 2")
            try await kid.hears("ACCEPTED", "attempt: 2")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await kid.hearsNothing(for: 2_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER")
        },
        Script("A relay takes the whole way of a PRESENT into account: 15 names pass, 16 get 483") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let names = (1...14).map { "n\($0)" }.joined(separator: ",")
            kid.present(talk.id(1), origin: "n1", path: "\(names),kid")
            try await talk.up.takes(talk.id(1), "path: \(names),kid,hop", "origin: n1")
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(2), origin: "n1", path: "\(names),n15,kid")
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 483")
            try await talk.up.hearsNothing(for: 100)
        },
        Script("What the parent would not take gets 413 here: a payload above max-payload") {
            talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-payload: \(Talk.report.utf8.count)")
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(2), report: Talk.report + " ")
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 413", in: 0...5)
            // The next life of the parent takes less.
            try await talk.restarted("max-payload: 20", boot: "0d")
            try await kid.hears("PENDING", "state: unreachable")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 413")
        },
        Script("A header that may get above max-header gets 413, with what is added later") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let said = try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            let count = said.fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 3 }
            // An attempt of 16 digits, and "reachable: false".
            let longest = count + 15 + "reachable: false\n".utf8.count
            try await talk.restarted("max-header: \(longest)")
            try await talk.up.takes(talk.id(1), "attempt: 2")
            try await kid.hears("PENDING", "state: unreachable")
            try await kid.hears("PENDING", "state: relayed")
            kid.present(talk.id(2))
            try await talk.up.takes(talk.id(2))
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(3), "x: ")
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 413", in: 0...5)
        },
        Script("64 fields are the most, with what the relay and a later sending may add") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            // Beside id, attempt, origin, path, digest and reachable.
            let fields = (1...58).map { "x\($0): y" }
            for (number, count) in [58, 59].enumerated() {
                kid.say(
                    "PRESENT",
                    ["id: \(talk.id(number))", "attempt: 1", "origin: kid", "path: kid"]
                        + fields + (count == 59 ? ["z: y"] : []), payload: Talk.report)
            }
            try await talk.up.takes(talk.id(0), "x58: y")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 413", in: 0...5)
            try await kid.hears("ACCEPTED", "id: \(talk.id(0))")
        },
        Script("Above its limit of open presentations a node refuses with 429, but none again") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for number in 1...2 {
                kid.present(talk.id(number))
                try await talk.up.takes(talk.id(number))
                try await kid.hears("ACCEPTED")
            }
            kid.present(talk.id(3))
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 429")
            kid.say("WITHDRAW", "id: \(talk.id(2))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears("WITHDRAW", "id: \(talk.id(2))")
            talk.up.say("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.pause(5)
            kid.present(talk.id(3))
            try await talk.up.takes(talk.id(3))
            try await kid.hears("ACCEPTED")
        }.at(Hop.relay.made { parts, _ in parts.limits.openUpwardMax = 2 }),
    ]
}
