import ErrorBus

// What responders of a node do to what its children present.
extension Script {
    private static func handling(_ outcome: Outcome) -> Hop {
        .relay.made { parts, _ in
            parts.chain = { ClosureResponder("rule", next: $0, present: { _, _ in outcome }) }
        }
    }

    /// It keeps what it gets word of.
    private final class Told: Responder {
        let next: (any Responder)?
        let talk: Talk

        init(next: (any Responder)?, talk: Talk) {
            self.next = next
            self.talk = talk
        }

        func willNotPresentError(
            _ error: any Error, reason: Outcome.Reason, in context: PresentationContext
        ) async {
            talk.attempts.append("not presented: \(reason)")
        }
    }

    /// It passes each presentation on twice.
    private struct Twice: Responder {
        let next: (any Responder)?

        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            _ = await forwardError(error, in: context)
            return await forwardError(error, in: context)
        }
    }

    /// It keeps what its next responder returns.
    private struct Watching: Responder {
        let next: (any Responder)?
        let talk: Talk

        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            let outcome = await forwardError(error, in: context)
            talk.attempts.append("\(outcome.reason) \(outcome.didRecover)")
            return outcome
        }
    }

    /// A responder that is its own next one.
    private final class Round: Responder {
        var next: (any Responder)? { get async { self } }
    }

    static let responders: [Script] = [
        Script(
            "What a responder handles goes down as handled",
            handling(Outcome(didRecover: true, reason: .handled, decidedBy: "rule"))
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears(
                "ANSWER", "by: hop", "via: handler", "did-recover: true", "reason: handled",
                "no option", in: 0...10)
            try await talk.up.hearsNothing(for: 100)
        },
        Script(
            "A responder that fails does not hold the error up",
            .relay.made { parts, _ in
                parts.chain = {
                    ClosureResponder(
                        "broken", next: $0, willPresent: { _, _ in throw Talk.Trouble() })
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            let first = try await talk.up.hears("PRESENT")
            let second = try await talk.up.hears("PRESENT")
            let (own, fault) = first["origin"] == "kid" ? (first, second) : (second, first)
            try talk.check(
                own["id"] == "\(talk.id(1))" && own.payload == Talk.report, "unchanged: \(own)")
            try talk.check(fault["origin"] == "hop" && fault["path"] == "hop", "\(fault)")
            for said in [first, second] {
                talk.up.say(
                    "ACCEPTED", "id: \(said["id"] ?? "")", "attempt: \(said["attempt"] ?? "")")
            }
            try await kid.hears("ACCEPTED")
        },
        Script(
            "A responder learns that what it has passed on is not presented",
            .relay.made { parts, talk in parts.chain = { Told(next: $0, talk: talk) } }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, code) in [(1, 503), (2, 482), (3, 408)] {
                kid.present(talk.id(number))
                try await talk.up.takes(talk.id(number))
                talk.up.say("REJECT", "id: \(talk.id(number))", "code: \(code)", "reason: no")
                try await kid.hears("REJECT", "code: \(code)", "reason: no")
            }
            kid.present(talk.id(4))
            try await talk.up.takes(talk.id(4))
            talk.up.answer(talk.id(4), as: talk.id(9))
            try await kid.hears("ANSWER")
            kid.settle(talk.id(4), talk.id(9), "failed")
            try await talk.up.hears("SETTLED")
            try talk.check(
                talk.attempts == ["not presented: detached", "not presented: cycle"],
                "\(talk.attempts)")
        },
        Script(
            "What a responder passes on twice is another presentation the second time",
            .relay.made { parts, _ in parts.chain = { Twice(next: $0) } }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 60000")
            try await talk.up.takes(talk.id(1), "origin: kid")
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 410", "reason: gone")
            let said = try await talk.up.hears(
                "PRESENT", "origin: hop", "path: hop", "retry-of: \(talk.id(1))", "no left-ms")
            let id = PresentationID(said["id"] ?? "") ?? talk.id(2)
            try talk.check(id != talk.id(1), "under another id")
            talk.up.say("REJECT", "id: \(id)", "code: 482", "reason: round")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 482", "reason: round")
        },
        Script(
            "An error that a responder makes a user cancellation is withheld",
            .relay.made { parts, _ in
                parts.chain = {
                    ClosureResponder(
                        "canceller", next: $0,
                        willPresent: { error, _ in
                            error.rewriting {
                                $0.domain = "NSCocoaErrorDomain"
                                $0.code = 3_072
                            }
                        })
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears(
                "ANSWER", "by: hop", "did-recover: false", "reason: userCancelled",
                "via: handler")
            let call = talk.asks(talk.id(2), throughChain: true)
            let outcome = try await call.ends(.userCancelled)
            try talk.check(outcome.decidedBy == "canceller", "\(outcome)")
        },
        Script(
            "A responder learns what came of an answer below",
            .relay.made { parts, talk in parts.chain = { Watching(next: $0, talk: talk) } }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, result, reason) in [
                (1, "recovered", "answered true"), (2, "failed", "answered false"),
                (3, "late", "answered false"), (4, "withdrawn", "withdrawn false"),
                (5, "invalid", "noAttempter false"), (6, "unknown", "undelivered false"),
            ] {
                kid.present(talk.id(number))
                try await talk.up.takes(talk.id(number))
                talk.up.answer(talk.id(number), as: talk.id(90 + number))
                try await kid.hears("ANSWER")
                kid.settle(talk.id(number), talk.id(90 + number), result)
                try await talk.up.hears("SETTLED", "result: \(result)")
                try talk.check(talk.attempts == [reason], "\(result): \(talk.attempts)")
                talk.attempts = []
            }
        },
        Script(
            "A chain that is a circle refuses with 482",
            .relay.made { parts, _ in parts.chain = { _ in Round() } }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "code: 482", in: 0...10)
            let call = talk.asks(talk.id(2), throughChain: true)
            try await call.ends(.cycle)
        },
        Script(
            "A bare client reads that its error was withheld",
            .relay.made { parts, _ in
                parts.chain = {
                    ClosureResponder("rule", next: $0, willPresent: { _, _ in nil })
                }
            }
        ) { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            client.send([talk.request(1)])
            try await client.hearsBare(
                #""outcome":"withheld""#, #""reason":"withheld""#, #""didRecover":false"#,
                #""by":"hop""#, #""via":"handler""#, #""option":null"#)
        },
        Script(
            "A chain that is cut refuses with 503",
            .relay.made { parts, _ in
                parts.chain = { _ in ClosureResponder("cut", next: nil) }
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("REJECT", "code: 503", "reason: no responder at hop and above")
            let call = talk.asks(talk.id(2), throughChain: true)
            try await call.ends(.detached)
        },
        Script(
            "The first of two presenters that declines is followed by the second",
            .top.made { parts, talk in
                parts.presenters = [Shy(isBroken: false), Shy(isBroken: true), talk.desk]
            }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "option: retry")
        },
        Script(
            "What all presenters decline goes to the parent, and that is on record",
            Hop(hasPeople: true).with { $0.inbox.escalateAfter = .seconds(1) }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try await talk.desk.hides(talk.id(1), in: 900...1_000)
            try await talk.up.takes(talk.id(1))
            try talk.check(talk.notebook.ending(of: talk.id(1)) == .declined, "on record")
            try await kid.hears("PENDING", "state: relayed")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER", "answer: \(talk.id(9))")
            kid.settle(talk.id(1), talk.id(9), "failed")
            try await talk.up.hears("SETTLED", "result: failed")
        },
        Script(
            "A presenter that answers by itself is cancelled with its prompt",
            .top.made { parts, talk in parts.presenters = [Rule(talk: talk)] }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears(
                "ANSWER", "option: retry", "via: policy", "by: rule", in: 0...10)
            try await talk.pause(100)
            try talk.check(talk.attempts == ["cancelled"], "\(talk.attempts)")
            kid.present(talk.id(2), "left-ms: 0", report: Talk.report(#""severity": "info""#))
            try await kid.hears("REJECT", "code: 408")
        },
        Script(
            "An error without options is shown with OK, and what it repeats", .top
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "retry-of: \(talk.id(2))", report: Talk.report(options: ""))
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(
                prompt.report.options.map(\.id) == ["ok"]
                    && prompt.report.retryOf == talk.id(2) && prompt.origin == "kid"
                    && prompt.path == ["kid"], "\(prompt.report)")
            _ = try prompt.answer("ok", by: "ann", via: .person)
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "option: ok")
        },
        Script("A user cancellation of a child is not shown", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(
                talk.id(1),
                report: #"{"domain":"NSCocoaErrorDomain","code":3072,"description":"Off."}"#)
            try await kid.hears(
                "ANSWER", "reason: userCancelled", "did-recover: false", "by: hop")
        },
        Script("Changes in the name of nodes above are not shown", .top) { talk in
            let kid = try await talk.child("kid")
            let change = #"{"by": "kid", "rewritten": ["description"]}"#
            let forged = #"{"by": "up", "rewritten": ["description"]}"#
            kid.present(talk.id(1), report: Talk.report("\"changes\": [\(change), \(forged)]"))
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.report.changes.map(\.by) == ["kid"], "\(prompt.report.changes)")
        },
    ]

    /// A presenter that declines, or fails.
    private struct Shy: Presenter {
        let isBroken: Bool
        var presenterName: String { "shy" }

        func present(_ prompt: Prompt) async throws -> Answer? {
            if isBroken { throw Talk.Trouble() }
            return nil
        }
    }

    /// A presenter that answers, and does not return before it is cancelled.
    private struct Rule: Presenter {
        let talk: Talk
        var presenterName: String { "rule" }

        func present(_ prompt: Prompt) async throws -> Answer? {
            _ = try prompt.answer("retry", by: "rule", via: .policy)
            if await talk.isCancelled(within: 3_600_000) { talk.attempts.append("cancelled") }
            return nil
        }
    }
}
