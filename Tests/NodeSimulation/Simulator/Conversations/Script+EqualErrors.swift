import ErrorBus

// Equal errors that share one prompt, in the middle of the way.
extension Script {
    /// The parent gets this presentation and accepts it, as its child hears.
    private static func climbs(
        _ number: Int, _ talk: Talk, _ child: Speaker? = nil, line: Int = #line
    ) async throws {
        let said = try await talk.up.hears("PRESENT", "id: \(talk.id(number))", line: line)
        talk.up.say(
            "ACCEPTED", "id: \(talk.id(number))", "attempt: \(said["attempt"] ?? "")")
        guard let child else { return }
        try await child.hears("ACCEPTED", "id: \(talk.id(number))", line: line)
    }

    /// The child's error waits behind an equal one, as the child hears.
    private static func waits(
        _ number: Int, _ talk: Talk, _ child: Speaker, _ fields: String...,
        report: String = Talk.report, line: Int = #line
    ) async throws {
        child.present(talk.id(number), fields, report: report, attempt: 1)
        try await child.hears("ACCEPTED", "id: \(talk.id(number))", line: line)
        try await child.hears("PENDING", "state: queued", "by: equal", line: line)
        try await talk.up.hearsNothing(for: 60, line: line)
    }

    private static func withdrawsAbove(
        _ number: Int, _ talk: Talk, _ child: Speaker, line: Int = #line
    ) async throws {
        child.say("WITHDRAW", "id: \(talk.id(number))", "reason: origin")
        try await talk.up.hears("WITHDRAW", "id: \(talk.id(number))", line: line)
        talk.up.say("WITHDRAWN", "id: \(talk.id(number))")
        try await child.hears("WITHDRAWN", "id: \(talk.id(number))", line: line)
    }

    private static let group = Hop.relay.coalescing()

    static let equalErrors: [Script] = [
        Script("One of several equal errors climbs, and the answer serves all of them", group) {
            talk in
            try await talk.up.isLinked()
            let (kid, sis) = (try await talk.child("kid"), try await talk.child("sis"))
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            try await waits(2, talk, sis)
            try await waits(3, talk, kid)
            talk.up.answer(talk.id(1), as: talk.id(9))
            for child in [kid, sis] {
                try await child.hears("ANSWER", "answer: \(talk.id(9))", "option: retry")
            }
            try await kid.hears("ANSWER", "answer: \(talk.id(9))", "by: ann")
            sis.say(
                "SETTLED", "id: \(talk.id(2))", "answer: \(talk.id(9))", "result: failed")
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered")
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))", "result: recovered")
            kid.say(
                "SETTLED", "id: \(talk.id(3))", "answer: \(talk.id(9))", "result: failed")
            try await talk.up.hearsNothing(for: 500)
        },
        Script("An equal error that comes after the answer climbs by itself", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER", "id: \(talk.id(1))")
            // The recovery of the first one goes on.
            kid.present(talk.id(2))
            try await climbs(2, talk, kid)
            try await waits(3, talk, kid)
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: failed")
            try await talk.up.hears("SETTLED", "result: failed")
            talk.up.answer(talk.id(2), "skip", as: talk.id(8))
            try await talk.allCarriedOut([2, 3], by: kid, "option: skip")
            try await talk.up.hears("SETTLED", "id: \(talk.id(2))")
        },
        Script("A waiting error climbs once the one before it is withdrawn", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            for number in 2...4 { try await waits(number, talk, kid) }
            // Who gives up while waiting leaves the group.
            kid.say("WITHDRAW", "id: \(talk.id(2))", "reason: origin")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.up.hearsNothing(for: 100)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            let said = try await talk.up.hearsAmong("PRESENT", "id: \(talk.id(3))", within: 150)
            talk.up.say(
                "ACCEPTED", "id: \(talk.id(3))", "attempt: \(said["attempt"] ?? "")")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.pause(100)
            for peer in [kid, talk.up] { peer.heard.clear() }
            talk.up.answer(talk.id(3), as: talk.id(9))
            try await talk.allCarriedOut([3, 4], by: kid, "option: retry")
            try await talk.up.hears("SETTLED", "id: \(talk.id(3))")
        },
        Script("An end above without an attempt ends all of the group", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid)
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: up",
                "via: handler", "did-recover: false", "reason: withheld")
            for _ in 1...2 {
                try await kid.hears("ANSWER", "did-recover: false", "reason: withheld")
            }
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))", "result: failed")
            kid.present(talk.id(3))
            try await climbs(3, talk, kid)
            try await withdrawsAbove(3, talk, kid)
        },
        Script("A refusal that is of one error has the next one climb", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid)
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 410", "reason: gone")
            try await talk.up.hears("PRESENT", "id: \(talk.id(2))")
            talk.up.say("ACCEPTED", "id: \(talk.id(2))", "attempt: 1")
            _ = try await kid.hearsAmong("REJECT", "id: \(talk.id(1))", "code: 410", within: 100)
            talk.up.answer(talk.id(2), as: talk.id(9))
            _ = try await kid.hearsAmong("ANSWER", "id: \(talk.id(2))", within: 100)
            kid.say(
                "SETTLED", "id: \(talk.id(2))", "answer: \(talk.id(9))", "result: recovered")
            try await talk.up.hears("SETTLED", "id: \(talk.id(2))")
        },
        Script("An option of a responder above recovers one error only", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid)
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: ann",
                "via: person", "option: mend", "did-recover: true", "reason: answered")
            try await kid.hears("ANSWER", "id: \(talk.id(1))", "did-recover: true")
            _ = try await talk.up.hearsAmong("PRESENT", "id: \(talk.id(2))", within: 100)
            talk.up.say("ACCEPTED", "id: \(talk.id(2))", "attempt: 1")
            try await talk.pause(100)
            for peer in [kid, talk.up] { peer.heard.clear() }
            try await withdrawsAbove(2, talk, kid)
        },
        Script(
            "A group has room for so many, and others climb by themselves",
            Hop.relay.coalescing(1)
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid)
            kid.present(talk.id(3))
            try await climbs(3, talk, kid)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.allCarriedOut([1, 2], by: kid)
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))")
            try await withdrawsAbove(3, talk, kid)
        },
        Script("What asks for a secret, two people or a signature, climbs alone", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let secret = Talk.asking(#"{"name": "pin", "label": "PIN", "kind": "secret"}"#)
            let reports = [
                secret, Talk.trouble(7, options: Talk.wipe),
                Talk.trouble(7, options: #"{"id": "raze", "title": "Raze", "signed": true}"#),
            ]
            for (number, report) in reports.enumerated() {
                for twin in [2 * number, 2 * number + 1] {
                    kid.present(talk.id(twin), report: report)
                    try await climbs(twin, talk, kid)
                }
            }
            for number in 0...5 { try await withdrawsAbove(number, talk, kid) }
        },
        Script("A user cancellation waits behind none", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let report = Talk.trouble(3072).replacing(
                "simulation.talk", with: "NSCocoaErrorDomain")
            for number in 1...2 {
                kid.present(talk.id(number), report: report)
                try await climbs(number, talk, kid)
            }
            for number in 1...2 { try await withdrawsAbove(number, talk, kid) }
        },
        Script("Errors with one key are equal, with other options or keys not", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.trouble(1, #""coalesceKey": "k""#))
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid, report: Talk.trouble(2, #""coalesceKey": "k""#))
            let others = [
                Talk.trouble(1), Talk.trouble(1, #""coalesceKey": "l""#),
                Talk.trouble(1, #""coalesceKey": "k""#).replacing("cancel", with: "destructive"),
                Talk.trouble(1, #""coalesceKey": "k""#).replacing(".talk", with: ".other"),
            ]
            for (index, report) in others.enumerated() {
                kid.present(talk.id(index + 3), report: report)
                try await climbs(index + 3, talk, kid)
            }
            for number in 2...6 where number > 2 { try await withdrawsAbove(number, talk, kid) }
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.allCarriedOut([1, 2], by: kid)
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))")
        },
        Script("The deadline of the one that climbs is its own", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 5000")
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid)
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: up",
                "via: expiry", "did-recover: false", "reason: expired")
            _ = try await talk.up.hearsAmong("PRESENT", "id: \(talk.id(2))", within: 100)
            talk.up.say("ACCEPTED", "id: \(talk.id(2))", "attempt: 1")
            try await talk.pause(100)
            for peer in [kid, talk.up] { peer.heard.clear() }
            try await withdrawsAbove(2, talk, kid)
        },
        Script("An error that waits ends at its own deadline", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await climbs(1, talk, kid)
            try await waits(2, talk, kid, "left-ms: 5000")
            try await kid.hears(
                "ANSWER", "id: \(talk.id(2))", "reason: expired", "did-recover: false",
                in: 4_700...6_100)
            try await talk.up.hearsNothing(for: 200)
            try await withdrawsAbove(1, talk, kid)
        },
        Script("Two equal errors of the node itself share an answer, not a recovery", group) {
            talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1), throughChain: true, attemptLasts: 500)
            try await climbs(1, talk)
            let second = talk.asks(talk.id(2), throughChain: true)
            try await second.learns(.queued)
            let third = talk.asks(talk.id(3), deadline: 3_000, throughChain: true)
            try await third.learns(.queued)
            third.cancel()
            try await third.ends(.withdrawn)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await second.ends(.answered, didRecover: true, in: 0...100)
            try await first.ends(.answered, didRecover: true, in: 300...600)
            try talk.check(talk.attempts == ["retry", "retry"], "\(talk.attempts)")
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))", "result: recovered")
        },
        Script("The option for its deadline is carried out for the one that waits alone", group) {
            talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1), throughChain: true)
            try await climbs(1, talk)
            let second = talk.asks(
                talk.id(2), deadline: 3_000, onExpiry: "skip", throughChain: true)
            try await second.learns(.queued)
            try await second.ends(.answered, in: 2_900...3_100)
            try talk.check(talk.attempts == ["skip"], "\(talk.attempts)")
            try await first.waits(for: 50)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await first.ends(.answered, didRecover: true)
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))")
        },
    ]
}
