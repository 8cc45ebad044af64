import ErrorBus

// The room at a parent, and reports that it has not read: section 7 of docs/wire.md.
extension Script {
    static let rooms: [Script] = knownRooms + refusedRooms

    private static let knownRooms: [Script] = [
        Script("A child keeps at most max-open at its parent, and sends each as another ends") {
            talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 2")
            var calls: [OwnCall] = []
            for number in 1...5 { calls.append(try await talk.asksNow(number)) }
            try await talk.up.takes(talk.id(1))
            try await talk.up.takes(talk.id(2))
            try await calls[2].learns(.queued)
            try await talk.up.hearsNothing(for: 2_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.takes(talk.id(3), "attempt: 1")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await calls[0].ends(.answered, didRecover: true)
            calls[1].cancel()
            try await calls[1].ends(.withdrawn)
            try await talk.up.hears("WITHDRAW", "id: \(talk.id(2))")
            try await talk.up.hearsNothing(for: 500)
            talk.up.say("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.up.takes(talk.id(4))
            // What was never sent needs no WITHDRAW.
            calls[4].cancel()
            try await calls[4].ends(.withdrawn)
            talk.up.refuse(talk.id(3), 400)
            talk.up.refuse(talk.id(4), 400)
            try await calls[2].ends(.rejected)
            try await calls[3].ends(.rejected)
            try await talk.up.hearsNothing(for: 2_600)
        },
        Script("A parent that takes none by max-open: 0 is asked for one at a time") { talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 0")
            _ = try await talk.asksNow(1)
            _ = try await talk.asksNow(2)
            try await talk.up.takes(talk.id(1))
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script("What waits for room is sent each origin in turn, the oldest of each first") {
            talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let (a, b) = (try await talk.child("a"), try await talk.child("b"))
            a.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await a.hears("ACCEPTED", "id: \(talk.id(1))")
            for (number, child) in [(2, a), (3, a), (4, a), (5, b), (6, b)] {
                child.present(talk.id(number))
                try await child.hears("ACCEPTED", "id: \(talk.id(number))")
                try await child.hears(
                    "PENDING", "id: \(talk.id(number))", "state: queued", "by: hop")
            }
            var former = (1, a)
            for (number, child) in [(2, a), (5, b), (3, a), (6, b), (4, a)] {
                talk.up.refuse(talk.id(former.0), 400)
                try await former.1.hears("REJECT", "id: \(talk.id(former.0))")
                try await talk.up.isAsked(talk.id(number), "attempt: 1")
                former = (number, child)
            }
        },
        Script("What a parent refuses for now takes no room there, and then waits in line") {
            talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let (a, b) = (try await talk.child("a"), try await talk.child("b"))
            a.present(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            try await a.hears("ACCEPTED", "id: \(talk.id(1))")
            b.present(talk.id(2))
            try await b.hears("ACCEPTED", "id: \(talk.id(2))")
            try await b.hears("PENDING", "id: \(talk.id(2))", "state: queued", "by: hop")
            talk.up.refuse(talk.id(1), 403, retry: 2_000)
            try await talk.up.takes(talk.id(2), "attempt: 1", in: 0...5)
            try await b.hears("PENDING", "id: \(talk.id(2))", "state: relayed")
            try await a.hears(
                "PENDING", "id: \(talk.id(1))", "state: queued", "by: hop", in: 1_900...3_010)
            talk.up.refuse(talk.id(2), 400)
            try await b.hears("REJECT", "id: \(talk.id(2))")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...5)
            try await a.hears("PENDING", "id: \(talk.id(1))", "state: relayed")
        },
        Script("What a child withdraws while it waits for room goes up only as its WITHDRAW") {
            talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let kid = try await talk.child("kid")
            for number in 1...4 {
                kid.present(talk.id(number))
                if number == 1 { try await talk.up.takes(talk.id(1)) }
                try await kid.hears("ACCEPTED", "id: \(talk.id(number))")
                if number > 1 { try await kid.hears("PENDING", "state: queued") }
            }
            kid.say("WITHDRAW", "id: \(talk.id(2))", "reason: origin")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears(
                "WITHDRAW", "id: \(talk.id(2))", "reason: origin", "origin: kid")
            talk.up.say("WITHDRAWN", "id: \(talk.id(2))")
            kid.say("WITHDRAW", "id: \(talk.id(3))", "reason: abandoned")
            try await kid.hears("WITHDRAWN")
            try await talk.up.hearsNothing(for: 2_600)
            talk.up.refuse(talk.id(1), 400)
            try await kid.hears("REJECT")
            try await talk.up.takes(talk.id(4))
            try await kid.hears("PENDING", "id: \(talk.id(4))", "state: relayed")
        },
        Script("After a new link what the parent had held comes before all other") { talk in
            try await talk.up.isLinked()
            var calls: [OwnCall] = []
            for number in 1...3 {
                calls.append(try await talk.asksNow(number))
                try await talk.up.isAsked(talk.id(number))
            }
            talk.up.accept(talk.id(3), "1")
            try await talk.pause(5)
            try await talk.restarted("max-open: 1")
            try await talk.up.takes(talk.id(3), "attempt: 2")
            try await calls[0].learns(.unreachable)
            try await calls[0].learns(.queued)
            talk.up.refuse(talk.id(3), 400)
            try await calls[2].ends(.rejected)
            try await talk.up.takes(talk.id(1), "attempt: 2")
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script(
            "The grace does not run while room is waited for, and begins with the sending",
            Hop.relay.bearing(500)
        ) { talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let first = try await talk.asksNow(1)
            try await talk.up.takes(talk.id(1))
            let (second, third) = (try await talk.asksNow(2), try await talk.asksNow(3))
            try await second.learns(.queued)
            try await second.waits(for: 5_000)
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.isAsked(talk.id(2), "attempt: 1")
            try await talk.up.learns(talk.id(1), talk.id(9), "recovered")
            try await first.ends(.answered, didRecover: true)
            try await second.ends(.unreachable, in: 500...552)
            try await talk.up.hears("WITHDRAW", "id: \(talk.id(2))", "reason: origin")
            talk.up.say("WITHDRAWN", "id: \(talk.id(2))")
            try await talk.up.takes(talk.id(3), "attempt: 1")
            try await third.waits(for: 1_000)
        },
        Script("A further WELCOME of the same boot grows max-open, and nothing else shrinks it") {
            talk in
            try await talk.up.isLinked()
            try await talk.restarted("max-open: 1")
            let first = try await talk.asksNow(1)
            for number in 2...6 { _ = try await talk.asksNow(number) }
            try await talk.up.takes(talk.id(1))
            func welcome(_ boot: String, _ most: Int) {
                talk.up.say(
                    "WELCOME", "node: up", "boot: \(boot)", "version: EB1", "max-open: \(most)")
            }
            welcome("0f", 9)
            try await talk.up.hearsNothing(for: 500)
            welcome("0c", 3)
            try await talk.up.takes(talk.id(2), in: 0...3)
            try await talk.up.takes(talk.id(3), in: 0...3)
            welcome("0c", 1)
            try await talk.up.hearsNothing(for: 500)
            talk.up.refuse(talk.id(1), 400)
            try await talk.up.takes(talk.id(4), in: 0...3)
            try await first.ends(.rejected)
            try await talk.up.hearsNothing(for: 500)
            welcome("0c", 4)
            try await talk.up.takes(talk.id(5), in: 0...3)
            try await talk.up.hearsNothing(for: 500)
        },
    ]

    private static let refusedRooms: [Script] = [
        Script("After 429 nothing is sent for the first time until retry-ms, then one, then two") {
            talk in
            try await talk.up.isLinked()
            _ = try await talk.asksNow(1)
            try await talk.up.isAsked(talk.id(1))
            let refused = try await talk.asksNow(2)
            try await talk.up.isAsked(talk.id(2), "attempt: 1")
            talk.up.refuse(talk.id(2), 429, retry: 1_500)
            try await refused.learns(.queued)
            let third = try await talk.asksNow(3)
            for number in 4...8 { _ = try await talk.asksNow(number) }
            // What was sent is sent again meanwhile.
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 900...1_250)
            try await talk.up.isAsked(talk.id(2), "attempt: 2", in: 200...1_300)
            try await talk.up.hearsNothing(for: 300)
            talk.up.accept(talk.id(2), "2")
            try await talk.up.isAsked(talk.id(3), "attempt: 1", in: 0...3)
            try await talk.up.isAsked(talk.id(4), "attempt: 1", in: 0...3)
            try await talk.up.hearsNothing(for: 300)
            talk.up.answer(talk.id(3), as: talk.id(9))
            // The place that it leaves, and two more.
            for number in 5...7 { try await talk.up.isAsked(talk.id(number), in: 0...3) }
            try await talk.up.learns(talk.id(3), talk.id(9), "recovered")
            try await third.ends(.answered, didRecover: true)
        },
        Script("429 without retry-ms makes a child wait a second, and tells below that it waits") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.isAsked(talk.id(1))
            try await kid.hears("ACCEPTED")
            talk.up.refuse(talk.id(1), 429)
            try await kid.hears("PENDING", "id: \(talk.id(1))", "state: queued", "by: hop")
            kid.present(talk.id(2))
            try await kid.hears("ACCEPTED", "id: \(talk.id(2))")
            try await kid.hears("PENDING", "id: \(talk.id(2))", "state: queued", "by: hop")
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 800...1_505)
            try await kid.hears("PENDING", "id: \(talk.id(1))", "state: relayed")
            try await talk.up.takes(talk.id(2), "attempt: 1", in: 0...3)
            try await kid.hears("PENDING", "id: \(talk.id(2))", "state: relayed")
        },
        Script("A parent that is full has room again on a new link, at once") { talk in
            try await talk.up.isLinked()
            _ = try await talk.asksNow(1)
            try await talk.up.isAsked(talk.id(1))
            talk.up.refuse(talk.id(1), 429, retry: 50_000)
            try await talk.pause(5)
            _ = try await talk.asksNow(2)
            try await talk.restarted()
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 0...3)
            try await talk.up.takes(talk.id(2), "attempt: 1", in: 0...3)
        },
        Script("Two that a full parent refuses are tried one after the other") { talk in
            try await talk.up.isLinked()
            for number in 1...3 {
                _ = try await talk.asksNow(number)
                try await talk.up.isAsked(talk.id(number))
            }
            for number in 1...3 { talk.up.refuse(talk.id(number), 429, retry: 2_000) }
            try await talk.up.isAsked(talk.id(1), "attempt: 2", in: 2_000...3_005)
            talk.up.refuse(talk.id(1), 429, retry: 2_000)
            try await talk.up.isAsked(talk.id(1), "attempt: 3", in: 2_000...3_005)
            talk.up.accept(talk.id(1), "3")
            try await talk.up.isAsked(talk.id(2), "attempt: 2", in: 0...3)
            try await talk.up.isAsked(talk.id(3), "attempt: 2", in: 0...3)
        },
    ]
}
