import ErrorBus

// How a group of equal errors ends, and who ends with it.
extension Script {
    private static let group = Hop.relay.coalescing()

    /// The first error climbs and the second one waits; both are of the node itself.
    private static func pair(
        _ talk: Talk, deadline: UInt64? = nil, onExpiry: String? = nil
    ) async throws -> (OwnCall, OwnCall) {
        try await talk.up.isLinked()
        let first = talk.asks(
            talk.id(1), deadline: deadline, onExpiry: onExpiry, throughChain: true)
        let said = try await talk.up.hears("PRESENT", "id: \(talk.id(1))")
        talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: \(said["attempt"] ?? "")")
        let second = talk.asks(talk.id(2), throughChain: true)
        try await second.learns(.queued)
        return (first, second)
    }

    /// The second error climbs in place of the first one, and is answered.
    private static func climbs(_ second: OwnCall, _ talk: Talk, line: Int = #line) async throws {
        _ = try await talk.up.hearsAmong(
            "PRESENT", "id: \(second.id)", within: 200, line: line)
        talk.up.say("ACCEPTED", "id: \(second.id)", "attempt: 1")
        talk.up.answer(second.id, as: talk.id(8))
        try await second.ends(.answered, didRecover: true, line: line)
        _ = try await talk.up.hearsAmong(
            "SETTLED", "id: \(second.id)", "result: recovered", within: 200, line: line)
    }

    private static func ended(
        _ number: Int, _ talk: Talk, via: String, reason: String, _ fields: String...
    ) {
        talk.up.say(
            "ANSWER",
            [
                "id: \(talk.id(number))", "answer: \(talk.id(9))", "by: up", "via: \(via)",
                "reason: \(reason)",
            ] + fields)
    }

    static let groupEnds: [Script] = [
        Script("The option for its deadline is carried out for the one that climbs alone", group) {
            talk in
            let (first, second) = try await pair(talk, deadline: 5_000, onExpiry: "skip")
            ended(1, talk, via: "expiry", reason: "expired", "did-recover: false")
            try await first.ends(.answered)
            try talk.check(talk.attempts == ["skip"], "\(talk.attempts)")
            try await climbs(second, talk)
            try talk.check(talk.attempts == ["skip", "retry"], "\(talk.attempts)")
        },
        Script("An expiry that is of no deadline ends all of the group", group) { talk in
            let (first, second) = try await pair(talk)
            ended(1, talk, via: "expiry", reason: "expired", "did-recover: false")
            try await first.ends(.expired)
            try await second.ends(.expired)
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))")
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
        Script("Who gives up at the head of a group leaves the others their turn", group) { talk in
            let (first, second) = try await pair(talk)
            first.cancel()
            try await first.ends(.withdrawn)
            try await climbs(second, talk)
            try talk.check(talk.attempts == ["retry"], "\(talk.attempts)")
        },
        Script("What is withheld above is withheld for all of the group", group) { talk in
            let (first, second) = try await pair(talk)
            ended(1, talk, via: "handler", reason: "withheld", "did-recover: false")
            try await first.ends(.withheld)
            try await second.ends(.withheld)
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))", "result: failed")
        },
        Script("An option above that does not recover ends all of the group", group) { talk in
            let (first, second) = try await pair(talk)
            ended(
                1, talk, via: "person", reason: "answered", "did-recover: false",
                "option: mend")
            try await first.ends(.answered)
            try await second.ends(.answered)
            try await talk.up.hears("SETTLED", "id: \(talk.id(1))")
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
            // A later one climbs by itself.
            let third = talk.asks(talk.id(3), throughChain: true)
            try await climbs(third, talk)
        },
        Script("A waiting error whose deadline passes does not hold up the others", group) {
            talk in
            let (first, second) = try await pair(talk)
            let third = talk.asks(talk.id(3), deadline: 1_000, throughChain: true)
            try await third.learns(.queued)
            try await third.ends(.expired, in: 950...1_050)
            first.cancel()
            try await first.ends(.withdrawn)
            try await climbs(second, talk)
        },
        Script("An answer with a comment serves the group with it", group) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.hears("PRESENT")
            talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(2))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: queued", "by: equal")
            talk.up.say(
                "ANSWER",
                [
                    "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: ann", "via: person",
                    "option: retry",
                ], payload: #"{"comment":"Disk."}"#)
            for _ in 1...2 {
                let said = try await kid.hears("ANSWER", "option: retry", "by: ann")
                try talk.check(said.payload == #"{"comment":"Disk."}"#, said.payload)
            }
        },
    ]
}
