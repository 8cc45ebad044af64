import ErrorBus

// What happens to presentations while their parent is left: section 7 of docs/wire.md.
extension Script {
    static let releases: [Script] = [
        Script("What the parent that is left was never sent is not withdrawn from it", .between) {
            talk in
            talk.second.welcome = ["max-open: 1"]
            try await talk.goesOver()
            try await talk.pause(29_000)
            for number in 1...3 { _ = try await talk.asksNow(number) }
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", "id: \(talk.id(1))", in: 0...3)
            try await talk.second.hearsNothing(for: 300)
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hears("BYE", in: 0...3)
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...3)
            try await talk.up.takes(talk.id(2), "attempt: 1", in: 0...3)
            try await talk.up.takes(talk.id(3), "attempt: 1", in: 0...3)
        },
        Script("What is asked again while its parent is left stays withdrawn there", .between) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            let former = try await talk.asksNow(1)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", "id: \(talk.id(1))", in: 0...3)
            let call = talk.asks(talk.id(1))
            try await former.ends(.withdrawn)
            try await talk.second.hears("WITHDRAW", "reason: abandoned", in: 900...1_250)
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hears("BYE", in: 0...3)
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...3)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await call.ends(.answered, didRecover: true)
        },
        Script(
            "REJECT while a parent is left: those that wait change nothing, the final ones end",
            .between
        ) { talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            let calls = [try await talk.asksNow(1), try await talk.asksNow(2)]
            for number in 1...2 { try await talk.second.takes(talk.id(number)) }
            try await talk.up.isLinked(within: 8_600)
            for _ in 1...2 { try await talk.second.hears("WITHDRAW", in: 0...3) }
            talk.second.refuse(talk.id(1), 429)
            talk.second.refuse(talk.id(1), 404)
            talk.second.refuse(talk.id(1), 503, retry: 100)
            talk.second.refuse(talk.id(2), 409)
            try await calls[1].ends(.rejected)
            try await talk.second.hears("WITHDRAW", "id: \(talk.id(1))", in: 900...1_250)
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hears("BYE", in: 0...3)
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...3)
        },
        Script("A caller that gives up while its parent is left withdraws for good", .between) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            let call = try await talk.asksNow(1)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", "reason: abandoned", in: 0...3)
            call.cancel()
            try await call.ends(.withdrawn)
            try await talk.second.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...5)
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hears("BYE", in: 0...3)
            try await talk.up.hears("WITHDRAW", "reason: origin", "origin: hop", in: 0...3)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 3_000)
        },
        Script("The grace of what a parent has released begins then", Hop.between.bearing(3_000)) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            let (first, last) = (try await talk.asksNow(1), try await talk.asksNow(2))
            for number in 1...2 { try await talk.second.takes(talk.id(number)) }
            try await talk.up.isLinked(within: 8_600)
            for _ in 1...2 { try await talk.second.hears("WITHDRAW", in: 0...3) }
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            _ = try await talk.second.hearsNothingBut("WITHDRAW", for: 1_000)
            talk.second.say("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.second.hears("BYE", in: 0...3)
            for number in 1...2 { try await talk.up.isAsked(talk.id(number), in: 0...3) }
            try await first.ends(.unreachable, in: 2_035...2_055)
            try await talk.up.hearsAmong("WITHDRAW", "reason: origin", within: 5)
            try await last.ends(.unreachable, in: 990...1_005)
            try await talk.up.hearsAmong("WITHDRAW", "reason: origin", within: 5)
        },
        Script("PING on the new link counts from its WELCOME, not from the move", .between) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            _ = try await talk.asksNow(1)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            let pings = talk.up.pingCount
            _ = try await talk.second.hearsNothingBut("WITHDRAW", for: 4_998)
            try await talk.second.hears("BYE", in: 0...10)
            try await talk.up.isAsked(talk.id(1), in: 0...3)
            try await talk.pause(2)
            try talk.check(talk.up.pingCount == pings + 1, "PING at once")
        },
        Script("A parent left for want of a way counts as one that is not the root", .between) {
            talk in
            try await talk.up.isLinked()
            talk.second.boot = "0d"
            _ = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.second.isLinked(within: 10_100)
            try await talk.up.hears("WITHDRAW", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hears("BYE", "reason: over to second")
            try await talk.second.takes(talk.id(1))
            // Its WELCOME names itself alone, as before.
            for _ in 1...2 {
                try await talk.up.isLinked(within: 38_000)
                _ = try await talk.second.hearsNothingBut("AWAIT", for: 510)
            }
        },
        Script("The link is lost while the first parent is tried: that one is next", .between) {
            talk in
            try await talk.goesOver()
            talk.up.repliesToHello = false
            try await talk.up.hears("HELLO", in: returnsIn)
            talk.second.say("BYE")
            // The second socket is closed: nothing replies there. Then another one is opened.
            try await talk.pause(5)
            talk.up.say("PING", "n: 3")
            try await talk.up.hears("HELLO", in: 95...170)
            talk.up.say("WELCOME", "node: up", "boot: 0a", "version: EB1")
            try await talk.up.hearsNothing(for: 3_000)
            try talk.check(talk.second.helloCount == 1, "the second parent is not tried")
        },
    ]
}
