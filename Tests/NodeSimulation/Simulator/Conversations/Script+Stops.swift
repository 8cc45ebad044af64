import ErrorBus

// A node that stops in order, with each kind of thing open: section 7 of docs/wire.md.
extension Script {
    static let stops: [Script] = [
        Script("A presenter that stops leaves its prompts to its next life", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            let peer = try await talk.peer()
            peer.say(
                "PRESENT", "id: \(talk.id(2))", "attempt: 1", "origin: cat", "path: cat",
                "wait-ms: 20000", payload: Talk.report)
            try await talk.desk.shows(talk.id(2))
            talk.stop()
            try await kid.hears("BYE", "reason: shutdown", in: 0...10)
            try await peer.hears(
                "REJECT", "id: \(talk.id(2))", "code: 503", "retry-ms: 1000", in: 0...10)
            kid.present(talk.id(3))
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 503", "retry-ms: 1000")
            _ = await talk.desk.seen.next(within: 100)
            _ = await talk.desk.seen.next(within: 100)
            try talk.check(talk.notebook.ending(of: talk.id(1)) == nil, "it has not ended")
            try await talk.bootAgain()
            try await kid.connect()
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME")
            kid.present(talk.id(1))
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.wasShownBefore, "marked")
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
        },
        Script("A bare client that comes as a node stops gets 503 at once", .top) { talk in
            let client = try await talk.peer("client")
            talk.stop()
            try await talk.pause(5)
            client.send([talk.request(1)])
            try await client.hearsBare(#""outcome":"rejected""#, #""code":503"#, in: 2...2)
        },
        Script("A presenter that stops leaves the result of an answer to its next life", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER")
            talk.stop()
            try await kid.hears("BYE")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: talk.id(1)) == nil, "no result")
            try await talk.bootAgain()
            try await kid.connect()
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME")
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: recovered",
                "origin: kid", "digest: \(Talk.digest())")
            try await kid.hears("OK", "id: \(talk.id(1))")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
        },
        Script("The result of an answer to a child that is gone is unknown at the stop", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            kid.say("BYE")
            try await talk.pause(10)
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await talk.pause(10)
            talk.stop()
            try await talk.pause(50)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .unknown, "on record")
        },
        Script("A relay that stops says nothing of what its child carries out") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER")
            kid.present(talk.id(2))
            try await talk.up.takes(talk.id(2))
            try await kid.hears("ACCEPTED")
            talk.stop()
            try await kid.hears("BYE")
            try await talk.up.hears("BYE")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: recovered")
            try await kid.hearsNothing(for: 300)
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script(
            "Nor does one with responders",
            .relay.made { parts, _ in parts.chain = { ClosureResponder("rule", next: $0) } }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await kid.hears("ANSWER")
            kid.present(talk.id(2))
            try await talk.up.takes(talk.id(2))
            try await kid.hears("ACCEPTED")
            talk.stop()
            try await kid.hears("BYE")
            try await talk.up.hears("BYE")
            try await kid.hearsNothing(for: 300)
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script("A node that stops ends its own callers, and takes no further ones") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 60_000, onExpiry: "skip")
            try await talk.up.takes(talk.id(1))
            talk.stop()
            try await call.ends(.shutDown, in: 0...10)
            let later = talk.asks(talk.id(2))
            try await later.ends(.shutDown, in: 0...10)
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: origin", in: 0...10)
            try await talk.up.hears("BYE", "reason: shutdown", in: 0...10)
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
        Script("A node that stops while it carries an answer out says the result in time") {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 100)
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered", in: 90...110)
            talk.stop()
            try await call.ends(.answered, didRecover: true)
            try await talk.up.hears("BYE")
        },
        Script("A peer that gets one reply for each request gets 503 for its last words", .top) {
            talk in
            let peer = try await talk.peer()
            let kid = try await talk.child("kid")
            talk.stop()
            try await kid.hears("BYE")
            let digest = "digest: \(Talk.digest())"
            peer.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(talk.id(9))", "result: failed",
                "origin: cat", digest)
            try await peer.hears("REJECT", "code: 503", "id: \(talk.id(1))")
            peer.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin", "origin: cat", digest)
            try await peer.hears("REJECT", "code: 503", "id: \(talk.id(1))")
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin", "origin: kid", digest)
            try await kid.hearsNothing(for: 100)
        },
    ]

    static let ownPeople: [Script] = [
        Script("Own people answer an own error, which is recorded", .top) { talk in
            let call = talk.asks(talk.id(1), onExpiry: "skip", throughChain: true)
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(
                prompt.origin == nil && prompt.path.isEmpty && prompt.deadline == nil
                    && prompt.report.onExpiry == "skip", "of this process")
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            let outcome = try await call.ends(.answered, didRecover: true)
            try talk.check(
                outcome.decidedBy == "hop" && outcome.answer?.by == "ann", "\(outcome)")
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
        },
        Script("What is declared is applied at the deadline, and the events name it", .top) {
            talk in
            let call = talk.asks(
                talk.id(1), deadline: 500, onExpiry: "retry", throughChain: true)
            try await talk.desk.shows(talk.id(1))
            let outcome = try await call.ends(.answered, didRecover: true, in: 490...505)
            try talk.check(
                outcome.answer?.via == .expiry && outcome.answer?.by == "hop", "\(outcome)")
            try await talk.desk.hides(talk.id(1))
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .ended(_, .expired, nil, "hop", "retry") = $0 { true } else { false }
                } == 1, "an event that names the option")
            try talk.check(talk.notebook.answer(to: talk.id(1))?.via == .expiry, "on record")
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "its result")
        },
        Script("The events of a report's own declared option name it as well", .top) { talk in
            var options = PresentationOptions()
            options.id = talk.id(1)
            options.deadline = .milliseconds(500)
            let error = Talk.Trouble().recoverable {
                RecoveryOption("Retry", id: "retry") { true }
            }
            let call = talk.presents(
                error.rewriting { $0.onExpiry = "retry" }, options, throughChain: true)
            try await talk.desk.shows(talk.id(1))
            try await call.ends(.answered, didRecover: true, in: 490...505)
            try await talk.desk.hides(talk.id(1))
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .ended(_, .expired, nil, "hop", "retry") = $0 { true } else { false }
                } == 1, "an event that names the option")
        },
        Script("Own people's expiry counts although it cannot be recorded", .top) { talk in
            let call = talk.asks(
                talk.id(1), deadline: 500, onExpiry: "retry", throughChain: true)
            try await talk.desk.shows(talk.id(1))
            talk.notebook.failing = [.decided, .shown]
            try await call.ends(.answered, didRecover: true, in: 490...505)
            try await talk.desk.hides(talk.id(1))
        },
        Script("What expires while the journal cannot be read gets what is declared", .top) {
            talk in
            talk.notebook.failing = [.record]
            let call = talk.asks(
                talk.id(1), deadline: 1_500, onExpiry: "retry", throughChain: true)
            let other = talk.asks(talk.id(2), deadline: 1_500, throughChain: true)
            try await call.ends(.answered, didRecover: true, in: 1_490...1_505)
            try await other.ends(.expired)
        },
        Script("An own caller that gives up takes its prompt along", .top) { talk in
            let call = talk.asks(talk.id(1), throughChain: true)
            try await talk.desk.shows(talk.id(1))
            call.cancel()
            try await call.ends(.withdrawn)
            try await talk.desk.hides(talk.id(1))
        },
        Script("Without time left nothing is shown", .top) { talk in
            let call = talk.asks(talk.id(1), deadline: 0, onExpiry: "skip", throughChain: true)
            try await call.ends(.answered)
            try await talk.desk.seesNothing(for: 500)
        },
        Script(
            "The own deadline of a node with people is for its own errors alone",
            .top.set { $0.deadline = .seconds(1) }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            let call = talk.asks(talk.id(2), throughChain: true)
            try await talk.desk.shows(talk.id(2))
            try await call.ends(.expired, in: 980...1_005)
            try await talk.desk.hides(talk.id(2))
            let longer = talk.asks(talk.id(3), deadline: 3_000, throughChain: true)
            try await talk.desk.shows(talk.id(3))
            try await longer.ends(.expired, in: 2_980...3_005)
            try await talk.desk.hides(talk.id(3))
        },
        Script(
            "A relay with people asks them about a child's error after the grace",
            Hop(hasPeople: true).set {
                $0.whenUnreachable = .presentLocally
                $0.grace = .seconds(2)
            }
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), "left-ms: 60000")
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.say("PENDING", "id: \(talk.id(1))", "state: unreachable", "by: top")
            try await kid.hears("PENDING", "state: unreachable", "by: top")
            let prompt = try await talk.desk.shows(talk.id(1), in: 1_990...2_010)
            try talk.check(prompt.path == ["kid"] && prompt.deadline != nil, "of the child")
            try await kid.hears("PENDING", "state: presented", "by: desk")
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_980...2_010)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            let said = try await kid.hears("ANSWER", "option: retry", "by: ann")
            kid.say(
                "SETTLED", "id: \(talk.id(1))", "answer: \(said["answer"] ?? "")",
                "result: recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .recovered, "on record")
        },
    ]
}
