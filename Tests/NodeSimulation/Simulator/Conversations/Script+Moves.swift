import ErrorBus

// Going back to the first parent, and past one that has no way up: section 7 of docs/wire.md.
extension Script {
    static let moves: [Script] = wayBack + brokenReturns + ways

    /// When the node looks for the first parent, after its link to the second one.
    static let returnsIn: ClosedRange<UInt64> = 30_000...37_545

    private static let wayBack: [Script] = [
        Script(
            "A child goes back in order: WITHDRAW, WITHDRAWN, BYE, PRESENT; new ones wait", .between
        ) { talk in
            try await talk.goesOver()
            let start = talk.now
            try await talk.pause(29_000)
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.second.takes(talk.id(1), "attempt: 1")
            try await kid.hears("ACCEPTED")
            kid.present(talk.id(2))
            try await talk.second.takes(talk.id(2), "attempt: 1")
            try await kid.hears("ACCEPTED")
            try await talk.up.isLinked(within: 8_600)
            try talk.check(returnsIn.contains(talk.now - start), "after 30 to 37.5 s")
            for number in 1...2 {
                try await talk.second.hears(
                    "WITHDRAW", "id: \(talk.id(number))", "reason: abandoned", "no origin",
                    "no digest",
                    in: 0...3)
            }
            kid.present(talk.id(3))
            try await kid.hears("ACCEPTED", "id: \(talk.id(3))")
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hearsNothing(for: 300)
            talk.second.refuse(talk.id(2), 403)
            try await talk.second.hears("BYE", "reason: back to up", in: 0...3)
            try await talk.up.takes(talk.id(1), "attempt: 2", "path: kid,hop", in: 0...3)
            try await talk.up.takes(talk.id(2), "attempt: 2")
            try await talk.up.takes(talk.id(3), "attempt: 1")
            try await kid.hearsNothing(for: 500)
            try await talk.second.hearsNothing(for: 29_000)
            try talk.check(talk.second.helloCount == 1, "the second parent is not greeted again")
        },
        Script("WITHDRAW comes again, and after 5 s the child goes back all the same", .between) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            _ = try await talk.asksNow(1)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", in: 0...3)
            let start = talk.now
            try await talk.second.hears("WITHDRAW", "reason: abandoned", in: 1_000...1_250)
            try await talk.second.hears("WITHDRAW", in: 2_000...2_500)
            try await talk.second.hears("BYE", in: 1_000...2_100)
            try talk.check(4_998...5_002 ~= talk.now - start, "after 5 s")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...3)
        },
        Script("An ANSWER under way at the return is carried out, and settled before BYE", .between)
        {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            let call = talk.asks(talk.id(1), attemptLasts: 700)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", in: 0...3)
            talk.second.answer(talk.id(1), as: talk.id(9))
            try await talk.second.learns(talk.id(1), talk.id(9), "recovered", in: 690...710)
            try await call.ends(.answered, didRecover: true)
            try await talk.second.hears("BYE", in: 0...3)
            // A life that has not sent the answer gets the result as well.
            try await talk.up.hears("SETTLED", "result: recovered", "origin: hop", in: 0...3)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 1_500)
        },
        Script("An attempt that lasts longer than 1 s is settled on the new link", .between) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            let call = talk.asks(talk.id(1), attemptLasts: 3_000)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", in: 0...3)
            let start = talk.now
            talk.second.answer(talk.id(1), as: talk.id(9))
            try await talk.second.hears("BYE", in: 0...1_010)
            try talk.check(998...1_003 ~= talk.now - start, "after 1 s")
            try talk.check(talk.up.heard.unread.isEmpty, "the attempt goes on")
            let said = try await talk.up.hears(
                "SETTLED", "answer: \(talk.id(9))", "result: recovered", "origin: hop",
                in: 1_900...2_100)
            try talk.check(said["digest"] != nil, "with its digest")
            try await call.ends(.answered, didRecover: true)
            talk.up.say("OK", "id: \(talk.id(1))")
            try await talk.up.hearsNothing(for: 2_000)
        },
        Script("The return is put off while an attempt runs, and ten times at most", .between) {
            talk in
            try await talk.goesOver()
            let start = talk.now
            let call = talk.asks(talk.id(1), attemptLasts: 500_000)
            try await talk.second.takes(talk.id(1))
            talk.second.answer(talk.id(1), as: talk.id(9))
            try await talk.up.isLinked(within: 415_000)
            try talk.check(talk.now - start >= 330_000, "the return is put off ten times")
            try await talk.second.hears("BYE", in: 1_000...1_003)
            try await call.ends(.answered, didRecover: true, in: 80_000...200_000)
            try await talk.up.hears("SETTLED", "origin: hop", "result: recovered")
        },
        Script("The return is put off by 30 to 37.5 s", .between) { talk in
            try await talk.goesOver()
            let start = talk.now
            let call = talk.asks(talk.id(1), attemptLasts: 40_000)
            try await talk.second.takes(talk.id(1))
            talk.second.answer(talk.id(1), as: talk.id(9))
            try await talk.second.learns(talk.id(1), talk.id(9), "recovered", in: 39_900...40_100)
            try await call.ends(.answered, didRecover: true)
            try await talk.up.isLinked(within: 40_000)
            try talk.check(60_000...75_100 ~= talk.now - start, "once")
            try await talk.second.hears("BYE", in: 0...3)
            try await talk.up.hears("SETTLED", "result: recovered", "origin: hop", in: 0...3)
        },
    ]

    private static let brokenReturns: [Script] = [
        Script("A first parent that refuses or is silent costs the child no link", .between) {
            talk in
            try await talk.goesOver()
            talk.up.repliesToHello = false
            let call = talk.asks(talk.id(1))
            try await talk.second.takes(talk.id(1))
            try await talk.up.hears("HELLO", in: returnsIn)
            talk.up.say("REJECT", "code: 403", "reason: so", "retry-ms: 100")
            try await talk.up.hears("HELLO", "from: hop", in: returnsIn)
            talk.up.say("BYE")
            // Without a reply, HELLO comes every second, for twice as long at each try, up to 40 s.
            for count in [20, 40, 40] {
                try await talk.up.hears("HELLO", in: returnsIn)
                talk.up.say("PING", "n: 5")
                try await talk.up.hears("PONG", "n: 5", in: 0...3)
                talk.up.answer(talk.id(1), as: talk.id(8))
                talk.up.refuse(talk.id(1), 400)
                try await talk.up.hears("HELLO", in: 900...1_001)
                for _ in 2..<count { try await talk.up.hears("HELLO", in: 1_000...1_001) }
                try await talk.pause(1_000)
            }
            try talk.check(talk.second.helloCount == 1, "the link is kept")
            talk.second.answer(talk.id(1), as: talk.id(9))
            try await talk.second.hearsAmong("SETTLED", "result: recovered", within: 150)
            try await call.ends(.answered, didRecover: true)
        },
        Script(
            "The first parent is lost while the second is left: the link to that stays", .between
        ) { talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            _ = try await talk.asksNow(1)
            _ = try await talk.asksNow(2)
            try await talk.second.takes(talk.id(1))
            try await talk.second.isAsked(talk.id(2))
            try await talk.up.isLinked(within: 8_600)
            for _ in 1...2 { try await talk.second.hearsAmong("WITHDRAW", within: 1_300) }
            _ = try await talk.asksNow(3)
            talk.second.say("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.second.hearsNothing(for: 100)
            talk.up.say("BYE")
            for number in 1...2 {
                let said = try await talk.second.takes(talk.id(number), in: 0...3)
                try talk.check(said["attempt"] != "1", "it was asked before")
            }
            try await talk.second.takes(talk.id(3), "attempt: 1", in: 0...3)
            // A late word of the release ends nothing.
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hearsNothing(for: 3_000)
            try talk.check(talk.second.helloCount == 1, "the link is kept")
        },
        Script(
            "What is asked while a parent is left in vain learns that it waits for room", .between
        ) { talk in
            talk.second.welcome = ["max-open: 1"]
            try await talk.goesOver()
            try await talk.pause(29_000)
            _ = try await talk.asksNow(1)
            try await talk.second.takes(talk.id(1))
            let second = try await talk.asksNow(2)
            try await second.learns(.queued)
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", "id: \(talk.id(1))", in: 0...3)
            let third = try await talk.asksNow(3)
            talk.up.say("BYE")
            try await talk.second.takes(talk.id(1), "attempt: 2", in: 0...3)
            try await third.learns(.queued)
        },
        Script("The second parent is lost while it is left: the first one is next", .between) {
            talk in
            try await talk.goesOver()
            try await talk.pause(29_000)
            _ = try await talk.asksNow(1)
            try await talk.second.takes(talk.id(1))
            try await talk.up.isLinked(within: 8_600)
            try await talk.second.hears("WITHDRAW", in: 0...3)
            talk.reset(talk.second)
            try await talk.up.isLinked(within: 230)
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...3)
            try await talk.second.hearsNothing(for: 3_000)
            try talk.check(talk.second.helloCount == 1, "the second parent is not tried")
        },
    ]

    private static let ways: [Script] = [
        Script(
            "A child goes past a parent that is unreachable 10 s for each name of its path",
            .between
        ) { talk in
            try await talk.up.isLinked()
            talk.up.wayUp = ["top"]
            try await talk.restarted()
            talk.second.boot = "0d"
            _ = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.pause(1)
            let start = talk.now
            try await talk.second.isLinked(within: 20_100)
            try talk.check(20_000...20_045 ~= talk.now - start, "after 20 s")
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 0...5)
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.up.hears("BYE", "reason: over to second")
            try await talk.second.takes(talk.id(1), "attempt: 2")
            // The way that the first one had is gone: a WELCOME with itself alone does not count.
            talk.up.wayUp = []
            for _ in 1...2 {
                let from = talk.now
                try await talk.up.isLinked(within: 38_000)
                try talk.check(talk.now - from >= 29_990, "it is tried")
            }
            while talk.second.heard.unread.first?.verb == "AWAIT" {
                try await talk.second.hears("AWAIT")
            }
            talk.up.wayUp = ["top"]
            try await talk.up.isLinked(within: 38_000)
            try await talk.second.hearsAmong("WITHDRAW", within: 5)
            talk.second.say("WITHDRAWN", "id: \(talk.id(1))")
            try await talk.second.hears("BYE", "reason: back to up")
            try await talk.up.isAsked(talk.id(1), "attempt: 3")
        },
        Script(
            "A way that is regained in time, or a presentation that ends, keeps the parent",
            .between
        ) { talk in
            try await talk.up.isLinked()
            _ = try await talk.asksNow(1)
            let second = try await talk.asksNow(2)
            try await talk.up.takes(talk.id(1))
            try await talk.up.takes(talk.id(2))
            for state in ["relayed", "queued", "presented", "claimed"] {
                talk.up.pending(talk.id(1), "unreachable")
                try await talk.pause(9_000)
                talk.up.pending(talk.id(1), state)
                try await talk.pause(1)
            }
            // What is not open here says nothing about the way.
            talk.up.pending(talk.id(3), "unreachable")
            talk.up.answer(talk.id(2), as: talk.id(9))
            try await talk.up.hearsAmong("SETTLED", within: 5)
            try await second.ends(.answered, didRecover: true)
            talk.up.pending(talk.id(2), "unreachable")
            try await talk.pause(10_500)
            try talk.check(talk.second.helloCount == 0, "the second parent is not tried")
            // With the last open one its lack of a way ends.
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.pause(5_000)
            talk.up.answer(talk.id(1), as: talk.id(8))
            try await talk.up.hearsAmong("SETTLED", within: 5)
            try await talk.pause(6_000)
            try talk.check(talk.second.helloCount == 0, "the second parent is not tried")
        }.lenient,
        Script("A parent that has its way again while another is tried is kept", .between) { talk in
            try await talk.up.isLinked()
            talk.second.repliesToHello = false
            _ = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.second.hears("HELLO", in: 10_000...10_045)
            talk.up.pending(talk.id(1), "presented")
            try await talk.pause(5)
            talk.second.say("WELCOME", "node: second", "boot: 0d", "version: EB1")
            try await talk.second.hearsNothing(for: 12_000)
            try await talk.up.hearsNothing(for: 1)
        },
        Script(
            "Another parent that is silent is tried again 10 s after its last try began", .between
        ) { talk in
            try await talk.up.isLinked()
            talk.second.repliesToHello = false
            _ = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            talk.up.pending(talk.id(1), "unreachable")
            try await talk.second.hears("HELLO", in: 10_000...10_045)
            for _ in 1...4 { try await talk.second.hears("HELLO", in: 1_000...1_001) }
            try await talk.second.hears("HELLO", in: 5_950...6_045)
            talk.second.say("REJECT", "code: 503", "reason: so")
            try await talk.second.hears("HELLO", in: 9_950...10_045)
            _ = try await talk.up.hearsNothingBut("AWAIT", for: 1)
        },
        Script("A parent left twice for want of a way is tried again half as often", .between) {
            talk in
            try await talk.up.isLinked()
            talk.second.boot = "0d"
            for number in 1...2 {
                _ = try await talk.asksNow(number)
                try await talk.up.takes(talk.id(number))
                talk.up.pending(talk.id(number), "unreachable")
                try await talk.second.isLinked(within: 10_100)
                try await talk.up.hears("WITHDRAW", in: 0...5)
                talk.up.say("WITHDRAWN", "id: \(talk.id(number))")
                try await talk.up.hears("BYE")
                try await talk.second.isAsked(talk.id(number))
                talk.second.refuse(talk.id(number), 400)
                let start = talk.now
                talk.up.wayUp = ["top"]
                let factor = UInt64(number)
                try await talk.up.isLinked(within: 38_000 * factor)
                try talk.check(talk.now - start >= 29_990 * factor, "the pause doubles")
                try await talk.second.hears("BYE", in: 0...5)
                talk.up.wayUp = []
                try await talk.restarted(boot: "0\(number)")
            }
        }.lenient,
    ]
}
