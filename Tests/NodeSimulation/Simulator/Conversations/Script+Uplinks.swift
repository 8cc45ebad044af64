import ErrorBus

// How a link to a parent opens, lives and ends: section 7 of docs/wire.md.
extension Script {
    static let uplinks: [Script] = openings + lives

    private static let openings: [Script] = [
        Script("HELLO comes every second; the socket is rebuilt after 5, 10, 20, 40 and 40 s") {
            talk in
            let boot = talk.up.hello?["boot"] ?? ""
            talk.up.repliesToHello = false
            try await talk.restartParent()
            try await talk.up.hears("HELLO", "from: hop", "boot: \(boot)", "versions: EB1")
            let rounds: [(count: Int, pause: UInt64)] = [
                (5, 100), (10, 200), (20, 400), (40, 800), (40, 1_600),
            ]
            for (count, pause) in rounds {
                for _ in 1..<count { try await talk.up.hears("HELLO", in: 1_000...1_001) }
                let longest = 1_000 + pause + pause / 4 + 45
                try await talk.up.hears("HELLO", in: (1_000 + pause)...longest)
            }
        },
        Script(
            "With two parents a round of greetings lasts up to 40 s, half of it for each", .between
        ) { talk in
            talk.up.repliesToHello = false
            talk.second.repliesToHello = false
            try await talk.restartParent()
            for count in [5, 10, 20, 20] {
                for parent in [talk.up, talk.second] {
                    try await parent.hears("HELLO", in: 0...4_500)
                    for _ in 1..<count { try await parent.hears("HELLO", in: 1_000...1_001) }
                    try await talk.pause(999)
                }
            }
        },
        Script("The pause before the next socket doubles up to 3.5 s while connections fail") {
            talk in
            talk.up.repliesToHello = false
            try await talk.restartParent()
            try await talk.up.hears("HELLO", in: 0...250)
            for pause: UInt64 in [100, 200, 400, 800, 1_600, 3_200, 3_500, 3_500] {
                talk.reset(talk.up)
                try await talk.up.hears("HELLO", in: pause...(pause + pause / 4 + 110))
            }
            talk.up.repliesToHello = true
            talk.reset(talk.up)
            try await talk.pause(4_500)
            // A live link has ended the doubling.
            talk.up.repliesToHello = false
            talk.up.say("BYE")
            try await talk.up.hears("HELLO", in: 100...170)
        },
        Script("BYE ends the link, and the next one opens after 0.1 s") { talk in
            try await talk.up.isLinked()
            for _ in 0..<4 {
                let from = talk.now
                talk.up.say("BYE", "reason: so")
                try await talk.up.isLinked(within: 170)
                try talk.check(talk.now - from >= 100, "the node waits 0.1 s")
            }
        },
        Script("A child that is refused waits retry-ms, else 5 s, from 0.1 to 60 s") { talk in
            talk.up.repliesToHello = false
            try await talk.restartParent()
            try await talk.up.hears("HELLO")
            let refusals: [(code: Int, retry: UInt64?, pause: UInt64)] = [
                (403, 3_000, 3_000), (503, nil, 5_000), (505, 10, 100), (429, 90_000, 60_000),
                (400, nil, 5_000),
            ]
            for (code, retry, pause) in refusals {
                talk.up.say(
                    "REJECT",
                    ["code: \(code)", "reason: so"] + (retry.map { ["retry-ms: \($0)"] } ?? []))
                try await talk.up.hears("HELLO", in: pause...(pause + 45))
            }
        },
        Script("REJECT without an id ends a live link too, and the next parent is tried", .between)
        {
            talk in
            try await talk.up.isLinked()
            talk.up.say("REJECT", "code: 429", "reason: so", "retry-ms: 700")
            try await talk.pause(650)
            try talk.check(talk.second.helloCount == 0, "the node waits")
            try await talk.second.isLinked(within: 100)
        },
        Script("Before WELCOME a child sends nothing but HELLO, and heeds nothing else") { talk in
            talk.up.repliesToHello = false
            try await talk.restartParent()
            try await talk.up.hears("HELLO")
            let call = talk.asks(talk.id(1))
            try await talk.pause(10)
            talk.up.say("PING", "n: 7")
            talk.up.answer(talk.id(1), as: talk.id(9))
            talk.up.say("WITHDRAWN", "id: \(talk.id(1))")
            talk.up.refuse(talk.id(1), 400)
            try await talk.up.hears("HELLO", in: 900...1_000)
            talk.up.say("WELCOME", "node: up", "boot: 0c", "version: EB1")
            try await talk.up.isAsked(talk.id(1), "attempt: 1", in: 0...5)
            try await call.waits(for: 100)
        },
        Script("A lost connection is opened again to the same parent first", .between) { talk in
            try await talk.up.isLinked()
            talk.reset(talk.up)
            try await talk.up.isLinked(within: 230)
            try talk.check(talk.second.helloCount == 0, "the second parent is not tried")
        },
        Script("A parent that cannot be connected to is given up after 5 s for the next", .between)
        {
            talk in
            try await talk.up.isLinked()
            talk.up.die()
            let from = talk.now
            try await talk.second.isLinked(within: 5_500)
            try talk.check(talk.now - from >= 5_200, "the first parent is tried for 5 s")
        },
    ]

    private static let lives: [Script] = [
        Script("A link on which nothing is said lives on by a PING every 4 s") { talk in
            try await talk.up.isLinked()
            try await talk.pause(60_500)
            try talk.check(talk.up.helloCount == 1, "there is one link")
            // A PING and its reply take 2 ms.
            try talk.check(talk.up.pingCount == 15, "PING comes every 4 s")
        },
        Script("PING comes once after 4 s without a reply; after 12 s the link is lost", .between) {
            talk in
            try await talk.up.isLinked()
            talk.up.say("PONG", "n: 1")
            try await talk.pause(1)
            let from = talk.now
            talk.cut(talk.up, .down)
            try await talk.pause(3_999)
            try talk.check(talk.up.pingCount == 0, "no PING before 4 s")
            try await talk.pause(5)
            try talk.check(talk.up.pingCount == 1, "PING after 4 s")
            try await talk.second.isLinked(within: 9_000)
            try talk.check(talk.now - from >= 12_100, "the link is lost after 12 s")
            try talk.check(talk.now - from <= 12_180, "the link is lost after 12 s")
            try talk.check(talk.up.pingCount == 1, "one PING is outstanding")
        },
        Script("PING, PENDING, ANSWER and REJECT of a parent prove no life", .between) { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await talk.pause(1)
            talk.up.repliesToPing = false
            for n in 1...11 {
                try await talk.pause(1_000)
                talk.up.say("PING", "n: \(n)")
                try await talk.up.hears("PONG", "n: \(n)", in: 0...3)
                talk.up.pending(talk.id(1), n % 2 == 0 ? "presented" : "claimed")
                talk.up.answer(talk.id(77), as: talk.id(78))
                talk.up.refuse(talk.id(77), 404)
            }
            try await talk.second.takes(talk.id(1), "attempt: 2", in: 900...1_300)
            try await call.waits(for: 100)
        },
        Script("ACCEPTED, WITHDRAWN, OK and PONG of a parent prove that it lives") { talk in
            try await talk.up.isLinked()
            talk.up.repliesToPing = false
            for verb in ["ACCEPTED", "WITHDRAWN", "OK", "PONG"] {
                for _ in 1...3 {
                    try await talk.pause(3_900)
                    let more = verb == "ACCEPTED" ? ["attempt: 1"] : []
                    talk.up.say(verb, verb == "PONG" ? ["n: 0"] : ["id: \(talk.id(1))"] + more)
                }
            }
            try talk.check(talk.up.pingCount == 0, "there is no silence")
            try await talk.pause(3_995)
            try talk.check(talk.up.pingCount == 0, "no PING before 4 s")
            try await talk.pause(10)
            try talk.check(talk.up.pingCount == 1, "PING after 4 s")
        },
        Script("A child replies to the PING of its parent, and to no WELCOME more") { talk in
            try await talk.up.isLinked()
            talk.up.say("PING", "n: 41")
            try await talk.up.hears("PONG", "n: 41", in: 0...3)
            talk.up.say("WELCOME", "node: up", "boot: 0f", "version: EB1", "path: up,top")
            let kid = try await talk.peer("kid")
            kid.say("HELLO", "from: kid", "boot: 01", "versions: EB1")
            try await kid.hears("WELCOME", "path: hop,up")
        },
        Script("WELCOME names the way up, which ends here while no parent is linked") { talk in
            try await talk.up.isLinked()
            talk.up.wayUp = ["mid", "top"]
            try await talk.restarted()
            let names = ["hop,up,mid,top", "hop", "hop,up,mid,top"]
            for (number, path) in names.enumerated() {
                if number == 1 { talk.up.die() }
                if number == 2 {
                    talk.up.revive(on: try Endpoint("tcp://127.0.0.1:7701"), boot: "0e")
                }
                try await talk.pause(1_000)
                let kid = try await talk.peer("kid\(number)")
                kid.say("HELLO", "from: kid\(number)", "boot: 01", "versions: EB1")
                try await kid.hears("WELCOME", "path: \(path)")
            }
        },
        Script("A child hears that the link above is lost, and where it stands when it is back") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1))
            try await talk.up.takes(talk.id(1))
            try await kid.hears("ACCEPTED", "id: \(talk.id(1))")
            talk.up.pending(talk.id(1), "presented", "since-ms: 5000", "by: top")
            try await kid.hears(
                "PENDING", "id: \(talk.id(1))", "state: presented", "since-ms: 5000", "by: top")
            talk.up.say("BYE")
            try await kid.hears("PENDING", "state: unreachable", "by: up", "since-ms: 0", in: 0...3)
            try await talk.up.takes(talk.id(1), "attempt: 2", in: 100...180)
            try await kid.hears("PENDING", "state: relayed", "no by")
            kid.say("AWAIT", "id: \(talk.id(1))")
            try await kid.hears("PENDING", "state: relayed")
        },
    ]
}
