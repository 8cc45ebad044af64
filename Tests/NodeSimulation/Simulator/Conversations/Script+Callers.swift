import ErrorBus

// Errors of the node's own process: sections 5, 9 and 12 of docs/wire.md.
extension Script {
    static let callers: [Script] = presenting + expiries + unreached + refusedCallers

    private static let cancelled = """
        {"domain": "NSCocoaErrorDomain", "code": 3072, "description": "Cancelled."}
        """

    private static let presenting: [Script] = [
        Script("PRESENT has what its caller says, and nothing else") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 60_000, onExpiry: "skip")
            let said = try await talk.up.takes(
                talk.id(1), "attempt: 1", "origin: hop", "path: hop", "no wait-ms", "no retry-of",
                "no traceparent", "no reachable")
            try talk.check(said["digest"] == Talk.digest(said.payload), "the digest")
            try talk.check(
                (59_990...60_000).contains(UInt64(said["left-ms"] ?? "") ?? 0), "left-ms")
            try talk.check(said.payload.contains(#""onExpiry":"skip""#), said.payload)
            try await call.learns(.relayed)
            call.cancel()
            try await call.ends(.withdrawn)
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: origin", "origin: hop",
                "digest: \(said["digest"] ?? "")", in: 0...10)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script("Without a deadline there is no left-ms; the node's own is the default") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            let said = try await talk.up.takes(talk.id(1), "no left-ms")
            try talk.check(!said.payload.contains("onExpiry"), said.payload)
            try await call.waits(for: 100)
        },
        Script(
            "The node's deadline is for callers without one",
            .relay.set { $0.deadline = .seconds(30) }
        ) { talk in
            try await talk.up.isLinked()
            _ = talk.asks(talk.id(1))
            let said = try await talk.up.takes(talk.id(1))
            try talk.check(
                (29_990...30_000).contains(UInt64(said["left-ms"] ?? "") ?? 0), "left-ms")
            _ = talk.asks(talk.id(2), deadline: 90_000)
            let own = try await talk.up.takes(talk.id(2))
            try talk.check(
                (89_990...90_000).contains(UInt64(own["left-ms"] ?? "") ?? 0), "left-ms")
            let kid = try await talk.child("kid")
            kid.present(talk.id(3))
            try await talk.up.takes(talk.id(3), "no left-ms")
            try await kid.hears("ACCEPTED")
        },
        Script("A caller learns where its presentation stands, and by whom") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await call.learns(.relayed)
            for (station, by) in [
                (PresentationState.Station.queued, "up"), (.presented, "desk"), (.claimed, "ann"),
                (.unreachable, "top"),
            ] {
                talk.up.say("PENDING", "id: \(talk.id(1))", "state: \(station)", "by: \(by)")
                let state = await call.states.next(within: 10)
                try talk.check(
                    state?.station == station && state?.by == by, "\(String(describing: state))")
            }
        },
        Script("A user cancellation does not leave the process") { talk in
            try await talk.up.isLinked()
            let report = try ErrorReport(payload: Frame(cancelled.utf8))
            let call = talk.presents(Talk.Trouble().rewriting { $0 = report })
            let outcome = try await call.ends(.userCancelled)
            try talk.check(outcome.decidedBy == "hop", outcome.decidedBy)
            try await talk.up.hearsNothing(for: 100)
        },
        Script("A repeated operation presents anew, and says what it repeats") { talk in
            try await talk.up.isLinked()
            let node: Node = talk.node
            let work = Task.detached {
                try await node.uplink.withRecovery {
                    throw Talk.Trouble().recoverable {
                        RecoveryOption("Retry", id: "retry") { true }
                        RecoveryOption.cancel
                    }
                }
            }
            let first = try await talk.up.hears("PRESENT", "no retry-of")
            let id = PresentationID(first["id"] ?? "") ?? talk.id(1)
            talk.up.answer(id, as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered")
            let second = try await talk.up.hears("PRESENT", "retry-of: \(id)", "attempt: 1")
            try talk.check(
                second.payload.contains("\"retryOf\":\"\(id)\"")
                    && second.payload.contains(#""retryCount":1"#), second.payload)
            let other = PresentationID(second["id"] ?? "") ?? id
            try talk.check(other != id, "under another id")
            talk.up.answer(other, "cancel", as: talk.id(8))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(8))", "result: failed")
            let result = await work.result
            try talk.check((try? result.get()) == nil, "the operation throws")
        },
        Script("A later call for an id takes the place of the former one") { talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            let second = talk.asks(talk.id(1))
            try await first.ends(.withdrawn)
            try await talk.up.takes(talk.id(1), "attempt: 2")
            first.cancel()
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered")
            try await second.ends(.answered, didRecover: true)
        },
        Script("An answer that crosses the WITHDRAW of a former call is none to the later one") {
            talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            first.cancel()
            try await first.ends(.withdrawn)
            let second = talk.asks(talk.id(1))
            try await talk.up.hears("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await talk.up.isAsked(talk.id(1), "attempt: 2")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "withdrawn")
            try talk.check(talk.attempts.isEmpty, "nothing is attempted")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await second.ends(.rejected)
        },
        Script(
            "What should not leave the process is taken out of its own errors alone",
            .relay.made { parts, _ in parts.redact = { $0.description = "Hidden." } }
        ) { talk in
            try await talk.up.isLinked()
            _ = talk.asks(talk.id(1))
            let own = try await talk.up.takes(talk.id(1))
            try talk.check(own.payload.contains("Hidden."), own.payload)
            _ = talk.asks(talk.id(2), throughChain: true)
            let same = try await talk.up.takes(talk.id(2))
            try talk.check(same.payload.contains("Hidden."), same.payload)
            let kid = try await talk.child("kid")
            kid.present(talk.id(3))
            let said = try await talk.up.takes(talk.id(3))
            try talk.check(said.payload == Talk.report, "byte for byte")
            try await kid.hears("ACCEPTED")
        },
    ]

    private static let expiries: [Script] = [
        Script("The origin's deadline is a second later on a live link, and final") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 500, onExpiry: "skip")
            try await talk.up.takes(talk.id(1))
            let outcome = try await call.ends(.answered, in: 1_490...1_505)
            try talk.check(
                outcome.answer?.option == "skip" && outcome.answer?.via == .expiry
                    && outcome.answer?.by == "hop", "\(outcome)")
            try talk.check(talk.attempts == ["skip"], "it is carried out")
            try talk.check(
                talk.count(talk.id(1)) {
                    if case .decided(let answer, isRestored: false) = $0 {
                        answer.via == .expiry
                    } else {
                        false
                    }
                } == 1, "an event of it")
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...5)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: withdrawn")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script("Without a declared option an error expires") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 500)
            try await talk.up.takes(talk.id(1))
            let outcome = try await call.ends(.expired, in: 1_490...1_505)
            try talk.check(outcome.answer == nil && talk.attempts.isEmpty, "\(outcome)")
            try await talk.up.hears("WITHDRAW", "reason: origin")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script("An option that is not offered is not applied at the deadline") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 500, onExpiry: "wait")
            try await talk.up.takes(talk.id(1))
            try await call.ends(.expired, in: 1_490...1_505)
            try await talk.up.hears("WITHDRAW", "reason: origin")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script("Without a link the deadline is exact") { talk in
            talk.up.die()
            try await talk.pause(100)
            let call = talk.asks(talk.id(1), deadline: 500, onExpiry: "retry")
            try await call.learns(.unreachable)
            try await call.ends(.answered, didRecover: true, in: 490...505)
        },
        Script("An ANSWER of the expiry counts as the deadline") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 5_000, onExpiry: "retry")
            try await talk.up.takes(talk.id(1))
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: up", "via: expiry",
                "did-recover: false", "reason: expired")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: failed")
            let outcome = try await call.ends(.answered, didRecover: true, in: 0...10)
            try talk.check(outcome.answer?.via == .expiry, "\(outcome)")
        },
        Script("An answer in the last second counts") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 500, onExpiry: "skip", attemptLasts: 3_000)
            try await talk.up.takes(talk.id(1))
            try await talk.pause(1_300)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "result: recovered", in: 3_000...3_010)
            try await call.ends(.answered, didRecover: true)
        },
        Script("REJECT 408 is the deadline, and is followed by WITHDRAW") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 5_000, onExpiry: "skip")
            try await talk.up.takes(talk.id(1))
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 408", "reason: too late")
            try await talk.up.hears("WITHDRAW", "reason: origin", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            let outcome = try await call.ends(.answered)
            try talk.check(outcome.answer?.option == "skip", "\(outcome)")
        },
    ]

    private static let unreached: [Script] = [
        Script(
            "An origin that gives up fails after its grace",
            .relay.set { $0.whenUnreachable = .fail }
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await call.learns(.relayed)
            talk.up.say("PENDING", "id: \(talk.id(1))", "state: unreachable", "by: top")
            try await call.learns(.unreachable)
            let outcome = try await call.ends(.unreachable, in: 9_980...10_010)
            try talk.check(outcome.detail?.contains("tried tcp://") == true, "\(outcome)")
            try await talk.up.hears("WITHDRAW", "reason: origin", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
        },
        Script(
            "A parent that is there again in time ends the grace",
            .relay.set { $0.whenUnreachable = .fail }
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.say("PENDING", "id: \(talk.id(1))", "state: unreachable", "by: top")
            try await talk.pause(8_000)
            talk.up.say("PENDING", "id: \(talk.id(1))", "state: presented", "by: top")
            try await call.waits(for: 12_000)
        },
        Script(
            "An origin with people of its own asks them after the grace",
            Hop(hasPeople: true).set {
                $0.whenUnreachable = .presentLocally
                $0.grace = .seconds(2)
            }
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), deadline: 60_000)
            try await talk.up.takes(talk.id(1))
            talk.up.say("PENDING", "id: \(talk.id(1))", "state: unreachable", "by: top")
            let prompt = try await talk.desk.shows(talk.id(1), in: 1_990...2_010)
            try talk.check(prompt.origin == nil && prompt.path.isEmpty, "of this process")
            try await talk.up.hears("WITHDRAW", "reason: origin", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await call.ends(.answered, didRecover: true)
        },
        Script(
            "Its people pass on to nothing",
            Hop(hasPeople: true).set {
                $0.whenUnreachable = .presentLocally
                $0.grace = .zero
            }.with { $0.inbox.escalateAfter = .seconds(1) }
        ) { talk in
            talk.up.die()
            try await talk.pause(2_000)
            let call = talk.asks(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await talk.desk.hides(talk.id(1), in: 990...1_010)
            try await call.ends(.detached)
        },
    ]

    private static let refusedCallers: [Script] = [
        Script("Each refusal has its reason at the caller") { talk in
            try await talk.up.isLinked()
            for (number, code, reason) in [
                (1, 400, Outcome.Reason.rejected), (2, 409, .rejected), (3, 410, .rejected),
                (4, 413, .rejected), (5, 482, .cycle), (6, 483, .tooManyHops), (7, 503, .detached),
                (8, 505, .rejected), (9, 403, .rejected),
            ] {
                let call = talk.asks(talk.id(number))
                let isSent = try await talk.up.hears("PRESENT", "id: \(talk.id(number))")
                try talk.check(isSent["attempt"] == "1", "once")
                talk.up.say(
                    "REJECT", "id: \(talk.id(number))", "code: \(code)", "reason: it is so")
                let outcome = try await call.ends(reason)
                try talk.check(
                    outcome.detail == "\(code) it is so" && outcome.isRemote
                        && outcome.refusalCode == UInt16(code), "\(outcome)")
            }
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script("An own error without a parent and people ends at once", Hop(parentCount: 0)) {
            talk in
            let call = talk.asks(talk.id(1))
            let outcome = try await call.ends(.detached, in: 0...5)
            try talk.check(outcome.decidedBy == "hop", "\(outcome)")
        },
    ]
}
