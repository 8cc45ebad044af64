import ErrorBus

// What else a link's state decides: section 7 of docs/wire.md.
extension Script {
    static let linkStates: [Script] = [
        Script("A parent that is lost before its WELCOME is given up for the next", .between) {
            talk in
            talk.up.repliesToHello = false
            try await talk.restartParent()
            try await talk.up.hears("HELLO", in: 0...250)
            talk.reset(talk.up)
            try await talk.second.isLinked(within: 240)
            try talk.check(talk.up.helloCount == 2, "the first one is given up")
        },
        Script("While one PING is outstanding no other comes, whatever is asked", .between) {
            talk in
            try await talk.up.isLinked()
            talk.cut(talk.up, .down)
            for number in 1...5 {
                try await talk.pause(2_000)
                _ = try await talk.asksNow(number)
            }
            try talk.check(talk.up.pingCount == 1, "one PING is outstanding")
            for number in 1...5 {
                _ = try await talk.up.hearsAmong("PRESENT", "id: \(talk.id(number))", within: 1)
            }
            try await talk.second.isLinked()
            for number in 1...5 { try await talk.second.takes(talk.id(number)) }
            talk.up.heard.clear()
        },
        Script("A WELCOME without a path stands for a way of its node alone") {
            talk in
            talk.up.repliesToHello = false
            try await talk.restartParent()
            try await talk.up.hears("HELLO", in: 0...250)
            talk.up.say("WELCOME", "node: top", "boot: 0c", "version: EB1")
            let kid = try await talk.peer("kid")
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME", "path: hop,top")
        },
        Script("While a parent is full, nothing is sent for the first time though others end") {
            talk in
            try await talk.up.isLinked()
            let call = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            _ = try await talk.asksNow(2)
            try await talk.up.isAsked(talk.id(2))
            talk.up.refuse(talk.id(2), 429, retry: 3_000)
            try await talk.pause(5)
            _ = try await talk.asksNow(3)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
            try await talk.up.isAsked(talk.id(2), "attempt: 2", in: 2_900...4_505)
        },
        Script("What is asked again keeps its place at a parent that has no more room") { talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let former = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            _ = try await talk.asksNow(2)
            try await talk.pause(5)
            _ = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...5)
            try await former.ends(.withdrawn)
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script("Without a link the limits of the former parent do not count") { talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-payload: 20", "max-header: 30")
            talk.up.die()
            try await talk.pause(100)
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING", "state: unreachable")
            talk.up.welcome = []
            talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
            try await talk.up.takes(talk.id(1), "attempt: 1", in: 0...6_000)
            try await kid.hears("PENDING", "state: relayed")
        },
        Script("Of last words for unknown ids the oldest is dropped above the limit") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for number in 1...3 {
                kid.say(
                    "SETTLED",
                    ["id: \(talk.id(number))", "answer: \(talk.id(9))", "result: recovered"]
                        + Talk.asked("kid"))
                try await kid.hears("OK")
                try await talk.up.hears("SETTLED", "id: \(talk.id(number))")
                talk.up.say("OK", "id: \(talk.id(number))")
                try await talk.pause(10)
            }
            try await talk.restarted()
            for number in [3, 2] {
                try await talk.up.hears("SETTLED", "id: \(talk.id(number))", "origin: kid")
                talk.up.say("OK", "id: \(talk.id(number))")
            }
            try await talk.up.hearsNothing(for: 3_000)
        }.at(Hop.relay.made { parts, _ in parts.limits.rememberedMax = 2 }),
        Script("A last word on what is open here under another report or answer goes no further") {
            talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1), attemptLasts: 500)
            try await talk.up.isAsked(talk.id(1))
            let kid = try await talk.child("kid")
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(8))", "result: recovered"]
                    + Talk.asked("kid"))
            try await kid.hears("OK")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered", in: 400...600)
            try await call.ends(.answered, didRecover: true)
            kid.say(
                "SETTLED",
                ["id: \(talk.id(1))", "answer: \(talk.id(8))", "result: failed"]
                    + Talk.asked("kid"))
            try await kid.hears("OK")
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script(
            "The status has a parent that is tried beside the one in use, and what it says",
            .between
        ) { talk in
            try await talk.goesOver()
            talk.up.repliesToHello = false
            try await talk.up.hears("HELLO", in: returnsIn)
            try await talk.pause(500)
            var parents = await talk.node.status.parents
            try talk.check(parents.map(\.state) == [.connecting, .up], "the first is tried")
            talk.up.say("REJECT", "code: 403", "reason: so")
            try await talk.pause(5)
            parents = await talk.node.status.parents
            try talk.check(parents.map(\.state) == [.refused, .up], "the first refuses")
            try talk.check(parents[0].reason == "refused: 403 so", "the reason")
            // It has been down since its BYE.
            try talk.check(parents[0].sinceMilliseconds > 30_000, "since its BYE")
            talk.up.repliesToHello = true
            try await talk.up.isLinked(within: 38_000)
            try await talk.second.hears("BYE")
            try await talk.pause(100)
            parents = await talk.node.status.parents
            try talk.check(parents.map(\.state) == [.up, .standby], "the child is back")
            try talk.check(parents[0].reason == nil, "no reason")
            try talk.check(parents.allSatisfy { $0.sinceMilliseconds < 200 }, "since the move")
        },
        Script("What was released is not presented to the parent that is left", .between) { talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            for number in 1...2 {
                _ = try await talk.asksNow(number)
                try await talk.second.takes(talk.id(number))
            }
            try await talk.up.isLinked(within: 8_600)
            for _ in 1...2 { try await talk.second.hears("WITHDRAW", in: 0...3) }
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hears("WITHDRAW", "id: \(talk.id(2))", in: 900...1_250)
            // A late state, or a late acceptance, is no release.
            talk.second.pending(talk.id(2), "presented")
            talk.second.accept(talk.id(2), "1")
            try await talk.second.hearsNothing(for: 500)
            talk.second.say("OK", "id: \(talk.id(2))")
            try await talk.second.hears("BYE", in: 0...3)
            for number in 1...2 { try await talk.up.takes(talk.id(number), "attempt: 2") }
        },
    ]
}
