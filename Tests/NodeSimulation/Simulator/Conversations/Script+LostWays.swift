import ErrorBus

// What a node does while it has no way up, and for how long a caller bears that.
extension Script {
    static let lostWays: [Script] = graces + desks + statuses

    private static let graces: [Script] = [
        Script(
            "A caller bears no parent for its grace, which begins with its asking",
            Hop.relay.bearing(3_000)
        ) { talk in
            try await talk.up.isLinked()
            talk.up.die()
            try await talk.pause(500)
            let call = talk.asks(talk.id(1))
            try await call.learns(.unreachable)
            let outcome = try await call.ends(.unreachable, in: 2_990...3_005)
            try talk.check(
                outcome.detail?.contains("tcp://127.0.0.1:7701") == true, "what was tried")
            // It was not sent, and is not withdrawn.
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.isLinked(within: 6_000)
            try await talk.up.hearsNothing(for: 2_500)
        },
        Script(
            "The grace begins with the loss of the link, and what was sent is withdrawn",
            Hop.relay.bearing(3_000)
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await call.waits(for: 5_000)
            talk.up.die()
            try await call.ends(.unreachable, in: 3_000...3_065)
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...6_000)
        },
        Script(
            "A parent that accepts in time ends the grace, also after a loss",
            Hop.relay.bearing(3_000)
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            for _ in 1...3 {
                try await talk.pause(2_000)
                talk.reset(talk.up)
                try await talk.up.isLinked()
                try await talk.up.takes(talk.id(1))
            }
            try await call.waits(for: 10_000)
        },
        Script(
            "Each loss begins the grace anew, and a loss within it does not",
            Hop.relay.bearing(3_000)
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            try await talk.pause(1_500)
            talk.reset(talk.up)
            try await talk.up.isLinked()
            try await talk.up.hearsAmong("PRESENT", "id: \(talk.id(1))", within: 300)
            let outcome = try await call.ends(.unreachable, in: 1_000...1_600)
            try talk.check(outcome.isTooSoon, "only the time was too short")
            try await talk.up.hearsAmong("WITHDRAW", "reason: origin", within: 5)
        },
        Script(
            "A grace for what is asked on a live link ends 50 ms later, for ACCEPTED's sake",
            Hop.relay.bearing(500)
        ) { talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            try await first.ends(.unreachable, in: 547...552)
            try await talk.up.hears("WITHDRAW")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            let second = talk.asks(talk.id(2))
            try await talk.up.isAsked(talk.id(2))
            try await talk.pause(530)
            talk.up.accept(talk.id(2), "1")
            try await second.waits(for: 2_000)
        },
        Script(
            "A grace begins when the parent says that it has no way up", Hop.relay.bearing(3_000)
        ) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await talk.pause(5_000)
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.pause(2_900)
            talk.up.pending(talk.id(1), "presented")
            try await call.waits(for: 2_000)
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.pause(2_000)
            talk.up.pending(talk.id(1), "unreachable")
            try await call.ends(.unreachable, in: 995...1_005)
            try await talk.up.hears("WITHDRAW", "reason: origin")
        },
        Script(
            "A grace begins when the parent is busy, and the caller gets that as the code",
            Hop.relay.bearing(3_000)
        ) { talk in
            try await talk.up.isLinked()
            for (number, code) in [503, 429].enumerated() {
                let call = talk.asks(talk.id(number))
                try await talk.up.takes(talk.id(number))
                try await talk.pause(4_000)
                talk.up.refuse(talk.id(number), code, retry: 20_000)
                let outcome = try await call.ends(.unreachable, in: 2_995...3_060)
                try talk.check(outcome.refusalCode == UInt16(code), "the code is \(code)")
                try talk.check(!outcome.isTooSoon, "the parent is busy")
                try await talk.up.hears("WITHDRAW", "id: \(talk.id(number))", "reason: origin")
                talk.up.say("WITHDRAWN", "id: \(talk.id(number))")
            }
        },
        Script("A caller that holds bears any time without a parent") { talk in
            try await talk.up.isLinked()
            talk.up.die()
            try await talk.pause(100)
            let call = talk.asks(talk.id(1))
            try await call.waits(for: 100_000)
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.takes(talk.id(1), "attempt: 1", in: 0...6_000)
            try await call.waits(for: 1_000)
        },
        Script(
            "A child's presentation waits here without a link, however short the grace",
            Hop.relay.bearing(500)
        ) { talk in
            try await talk.up.isLinked()
            talk.up.die()
            try await talk.pause(100)
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: unreachable", "no by")
            try await kid.hearsNothing(for: 5_000)
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.takes(talk.id(1), "attempt: 1", in: 0...6_000)
            try await kid.hears("PENDING", "state: relayed")
        },
    ]

    private static let desks: [Script] = [
        Script(
            "People here are asked after the grace; what an earlier life may have sent ends",
            Hop.relay.withPeople
        ) { talk in
            try await talk.up.isLinked()
            talk.up.die()
            try await talk.pause(100)
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: unreachable")
            try await talk.desk.shows(talk.id(1), in: 1_900...2_000)
            try await kid.hears("PENDING", "state: presented")
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: abandoned", "no origin", in: 0...6_000)
            // The ANSWER to that earlier life crosses it: nothing here has asked for another one.
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 2_000)
            kid.say("WITHDRAW", "id: \(talk.id(1))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.desk.hides(talk.id(1))
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(1))", "reason: origin", "origin: kid")
        },
        Script(
            "Later than 72 s after its start a node withdraws nothing that it has not sent",
            Hop.relay.withPeople
        ) { talk in
            try await talk.up.isLinked()
            let born = talk.now - 60
            talk.up.die()
            let kid = try await talk.child("kid")
            for (number, time) in [UInt64(71_950), 72_050].enumerated() {
                try await talk.until(born + time)
                kid.present(talk.id(number))
                try await kid.hears("ACCEPTED")
                try await kid.hears("PENDING", "state: unreachable")
            }
            for number in 0...1 { try await talk.desk.shows(talk.id(number), in: 0...2_000) }
            for _ in 0...1 { try await kid.hears("PENDING", "state: presented") }
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(0))", "reason: abandoned", in: 0...6_000)
            talk.up.say("WITHDRAWN", "id: \(talk.id(0))")
            try await talk.up.hearsNothing(for: 2_000)
        },
        Script(
            "What people here are asked and the parent has is withdrawn there, 2 s later",
            Hop.relay.withPeople
        ) { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.pending(talk.id(1), "unreachable")
            try await kid.hears("PENDING", "state: unreachable")
            try await talk.desk.shows(talk.id(1), in: 1_990...2_005)
            try await kid.hears("PENDING", "state: presented")
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_995...2_010)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "unknown")
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            let answer = try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await kid.hears("ANSWER", "answer: \(answer.id)")
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer.id)", "result: recovered")
            try await talk.up.hearsNothing(for: 2_000)
        },
    ]

    private static let statuses: [Script] = [
        Script("The status says which parent is up, which was left, and why", .between) { talk in
            try await talk.up.isLinked()
            var parents = await talk.node.status.parents
            try talk.check(parents[0].state == .up && parents[1].state == .standby, "the first")
            try talk.check(parents[0].node == "up" && parents[1].node == nil, "their names")
            _ = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            try await talk.pause(2_000)
            parents = await talk.node.status.parents
            try talk.check(parents.map(\.openCount) == [1, 0], "one is open at the first")
            try talk.check(2_000...2_200 ~= parents[0].sinceMilliseconds, "since its WELCOME")
            talk.second.repliesToHello = false
            talk.up.say("BYE", "reason: so")
            try await talk.second.hears("HELLO", in: 0...200)
            try await talk.pause(500)
            parents = await talk.node.status.parents
            try talk.check(parents.map(\.state) == [.down, .connecting], "the second is tried")
            try talk.check(parents[0].reason == "parent left: so", "the reason")
            try talk.check(600...700 ~= parents[0].sinceMilliseconds, "since BYE")
            talk.second.say("WELCOME", "node: second", "boot: 0d", "version: EB1")
            try await talk.second.takes(talk.id(1), in: 0...3)
            parents = await talk.node.status.parents
            try talk.check(parents.map(\.state) == [.down, .up], "the second is up")
            try talk.check(parents.map(\.openCount) == [0, 1], "one is open at the second")
            talk.second.say("REJECT", "code: 403", "reason: so", "retry-ms: 9000")
            try await talk.pause(5)
            parents = await talk.node.status.parents
            try talk.check(parents.map(\.state) == [.connecting, .refused], "the second refuses")
            try talk.check(parents[1].reason == "refused: 403 so", "the reason")
            try await talk.up.takes(talk.id(1), in: 8_900...9_100)
            try await talk.pause(1_000)
            parents = await talk.node.status.parents
            try talk.check(parents[0].reason == nil && parents[0].state == .up, "the first is up")
            try talk.check(1_000...1_010 ~= parents[0].sinceMilliseconds, "since its WELCOME")
            try talk.check(10_000...10_200 ~= parents[1].sinceMilliseconds, "since its REJECT")
        },
        Script("The status counts what is asked, answered and refused above, and what waits") {
            talk in
            try await talk.up.isLinked()
            try await talk.hasSettled(1)
            let call = talk.asks(talk.id(2))
            try await talk.up.isAsked(talk.id(2))
            talk.up.refuse(talk.id(2), 400)
            try await call.ends(.rejected)
            _ = try await talk.asksNow(3)
            try await talk.up.isAsked(talk.id(3))
            talk.up.refuse(talk.id(3), 429, retry: 9_000)
            try await talk.pause(5)
            let status = await talk.node.status
            try talk.check(status.counters.presentedAbove == 3, "three are asked")
            try talk.check(status.counters.answeredAbove == 1, "one is answered")
            try talk.check(status.counters.refusedAbove == 1, "one is refused")
            try talk.check(status.parents[0].openCount == 1, "one is open")
            try talk.check(
                status.parents[0].reason == "no room: 1 presentations wait here", "it waits")
        },
    ]
}
