import ErrorBus

// What a malformed message gets, and what is none: sections 2 to 4 and 12 of docs/wire.md.
extension Script {
    static let frames: [Script] = shapes + headers + envelopes + verbs

    private static let id = "01920000-0000-7000-8000-00000000000a"

    private static let shapes: [Script] = [
        Script("Other than four frames, or one that begins with EB, gets 400") { talk in
            let peer = try await talk.peer()
            for frames in [
                [], ["EB1"], ["EB"], ["EBus"], ["EB1", "PING"], ["EB1", "PING", "n: 1\n"],
                ["EB1", "PING", "n: 1\n", "", ""], ["{}", "PING"],
            ] {
                peer.send(frames)
                try await peer.hears("REJECT", "code: 400", "no id")
            }
            peer.send(["EB1", "PING", "n: 1\n", ""])
            try await peer.hears("PONG", "n: 1")
        },
        Script("Another version or verb gets 505, another magic 400") { talk in
            let peer = try await talk.peer()
            for (magic, verb, code) in [
                ("EB2", "PING", 505), ("EB10", "PING", 505), ("EBX", "PING", 400),
                ("EB1a", "PING", 400), ("XX1", "PING", 400), ("", "PING", 400),
                ("EB1", "PINGS", 505), ("EB1", "ping", 505), ("EB1", "", 505),
            ] {
                peer.send([magic, verb, "n: 1\n", ""])
                try await peer.hears("REJECT", "code: \(code)", "no id")
            }
        },
        Script("Too large a header or payload gets 413; the largest is taken", .top) { talk in
            let kid = try await talk.child("kid")
            let start = "n: 1\nx: "
            let most = start + String(repeating: "x", count: 8_192 - start.utf8.count - 1)
            kid.send(["EB1", "PING", most + "xx", ""])
            try await kid.hears("REJECT", "code: 413")
            kid.send(["EB1", "PING", most + "\n", ""])
            try await kid.hears("PONG", "n: 1")
            let frame = Talk.report(#""helpAnchor": """#)
            let filler = String(repeating: "y", count: 262_144 - frame.utf8.count)
            kid.present(talk.id(1), report: Talk.report("\"helpAnchor\": \"\(filler)y\""))
            try await kid.hears("REJECT", "code: 413", "id: \(talk.id(1))")
            kid.present(talk.id(1), report: Talk.report("\"helpAnchor\": \"\(filler)\""))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED", "attempt: 2")
            try await kid.hears("PENDING")
        },
        Script("PRESENT without a report gets 400 with its id, and with a wrong one", .top) {
            talk in
            let kid = try await talk.child("kid")
            for report in ["", "[]", "{}", "no", #"{"domain": "d", "description": 1}"#] {
                kid.present(talk.id(1), report: report)
                try await kid.hears("REJECT", "code: 400", "id: \(talk.id(1))")
            }
        },
        Script("A relay that reads no reports passes on what is no report") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: "no")
            let said = try await talk.up.takes(talk.id(1))
            try talk.check(said.payload == "no", "byte for byte")
            try await kid.hears("ACCEPTED")
        },
        Script("A payload of other verbs is ignored") { talk in
            let peer = try await talk.peer()
            peer.say("PING", "n: 4", payload: "[")
            try await peer.hears("PONG", "n: 4")
        },
    ]

    private static let headers: [Script] = [
        Script("A header has lines of a name in lower case, a colon and a value") { talk in
            let peer = try await talk.peer()
            let long = String(repeating: "a", count: 64)
            for header in [
                "n: 1\nNo: 2\n", "n: 1\nno\n", "n: 1\n: 2\n", "n: 1\n1a: 2\n", "n: 1\n-a: 2\n",
                "n: 1\n\(long)a: 2\n", "n: 1\nn: 1\n", "n: 1\na: 2\na: 3\n", "n: 1\na: \t\n",
                "n: 1\na: \u{7F}\n", "n: 1\na: \u{85}\n", "n: 1\r\n", "n: 1\na_b: 1\n", "\nn: 1\n",
            ] {
                peer.send(["EB1", "PING", header, ""])
                try await peer.hears("REJECT", "code: 400")
            }
            for header in [
                "n:1\n", "n:    1   \n", "n: 1", "\(long): x\nn: 1\n",
                "n: 1\na-1: \u{E9}\u{1F600}\n",
                "a:\nn: 1\n", "n: 1\na: b:c\n",
            ] {
                peer.send(["EB1", "PING", header, ""])
                try await peer.hears("PONG", "n: 1")
            }
        },
        Script("A header that is no UTF-8 gets 400") { talk in
            let peer = try await talk.peer()
            for bytes: Frame in [[0xFF], [0xC3], [0xE2, 0x82]] {
                peer.sendFrames([
                    Frame("EB1".utf8), Frame("PING".utf8), Frame("n: 1\na: ".utf8) + bytes, [],
                ])
                try await peer.hears("REJECT", "code: 400")
            }
        },
        Script("A header has at most 64 fields") { talk in
            let peer = try await talk.peer()
            let fields = (1...63).map { "a\($0): 1\n" }.joined()
            peer.send(["EB1", "PING", fields + "n: 1\n", ""])
            try await peer.hears("PONG", "n: 1")
            peer.send(["EB1", "PING", fields + "n: 1", ""])
            try await peer.hears("PONG", "n: 1")
            peer.send(["EB1", "PING", fields + "n: 1\nb: 1\n", ""])
            try await peer.hears("REJECT", "code: 400")
            peer.send(["EB1", "PING", fields + "n: 1\nb: 1", ""])
            try await peer.hears("REJECT", "code: 400")
        },
        Script("Numbers are decimal, without sign and leading zeros, at most 2^53") { talk in
            let peer = try await talk.peer()
            for number in ["01", "00", "+1", "-1", "1.0", "", "0x1", "9007199254740993", "1 1"] {
                peer.say("PING", "n: \(number)")
                try await peer.hears("REJECT", "code: 400")
            }
            for number in ["0", "10", "9007199254740992"] {
                peer.say("PING", "n: \(number)")
                try await peer.hears("PONG", "n: \(number)")
            }
            peer.say("PING")
            try await peer.hears("REJECT", "code: 400")
        },
        Script("A field of PRESENT that is missing or wrong gets 400, with the id") { talk in
            let peer = try await talk.peer()
            let right = ["id: \(id)", "attempt: 1", "origin: kid", "path: kid"]
            for index in 1..<4 {
                var fields = right
                fields.remove(at: index)
                peer.say("PRESENT", fields, payload: Talk.report)
                try await peer.hears("REJECT", "code: 400", "id: \(id)")
            }
            for field in [
                "attempt: 0", "attempt: one", "origin: a b", "origin:", "path: kid,", "path: k/d",
                "path:", "id: 01920000", "id: 01920000-0000-7000-8000-00000000000",
            ] {
                let name = String(field.prefix { $0 != ":" })
                let others = right.filter { !$0.hasPrefix(name) }
                peer.say("PRESENT", others + [field], payload: Talk.report)
                let refused = name == "id" ? "no id" : "id: \(id)"
                try await peer.hears("REJECT", "code: 400", refused)
            }
            for field in [
                "digest: 12", "digest: 0123456789abcdeg", "left-ms: -1", "wait-ms: 1s",
                "retry-of: x", "reachable: no", "reachable: True",
            ] {
                peer.say("PRESENT", right + [field], payload: Talk.report)
                try await peer.hears("REJECT", "code: 400", "id: \(id)")
            }
        },
    ]

    private static let envelopes: [Script] = [
        Script("The envelope is kept in front of the reply") { talk in
            let peer = try await talk.peer()
            let ping = ["EB1", "PING", "n: 1\n", ""].map { Frame($0.utf8) }
            let proxies = (1...6).map { Frame("proxy\($0)".utf8) }
            peer.sendFrames(ping, behind: proxies + [[]])
            let said = try await peer.hears("PONG")
            try talk.check(
                said.front == (1...6).map { "proxy\($0)" } + [""], "in front: \(said.front)")
            peer.sendFrames(ping, behind: [Frame(repeating: 7, count: 255), []])
            try await peer.hears("PONG")
        },
        Script("A message without an envelope, or with a larger one, gets 400 or nothing") {
            talk in
            let peer = try await talk.peer()
            let ping = ["EB1", "PING", "n: 1\n", "x"].map { Frame($0.utf8) }
            let proxies = (1...7).map { Frame("proxy\($0)".utf8) }
            for front in [[], proxies + [[]], [Frame(repeating: 7, count: 256), []]] {
                peer.sendFrames(ping, behind: front)
                try await peer.hears("REJECT", "code: 400", "no id")
            }
            peer.say("STATUS")
            let state = try await peer.hears("STATE")
            try talk.check(state.payload.contains(#""malformed":3"#), "counted")
        },
    ]

    private static let verbs: [Script] = [
        Script("No link is called bare, and no node above") { talk in
            let peer = try await talk.peer()
            peer.say("HELLO", "from: bare", "boot: 01", "versions: EB1")
            try await peer.hears("REJECT", "code: 400", "no id")
        },
        Script("HELLO names versions by commas or spaces; without a known one it gets 505") {
            talk in
            let peer = try await talk.peer("kid")
            for versions in ["EB2", "EB2,EB3", "2", "eb1", "EB11"] {
                peer.say("HELLO", "from: kid", "boot: 01", "versions: \(versions)")
                try await peer.hears("REJECT", "code: 505")
            }
            for versions in ["EB1", "1", "EB2,EB1", "EB2 EB1 EB3", "EB2, 1"] {
                peer.say("HELLO", "from: kid", "boot: 01", "versions: \(versions)")
                try await peer.hears("WELCOME", "version: EB1")
            }
        },
        Script("A boot has 1 to 64 printable characters") { talk in
            let peer = try await talk.peer("kid")
            let long = String(repeating: "~", count: 64)
            for boot in ["", "a b", "\u{E9}", long + "~"] {
                peer.say("HELLO", "from: kid", "boot: \(boot)", "versions: EB1")
                try await peer.hears("REJECT", "code: 400")
            }
            for (name, boot) in [("kid", "!"), ("cat", long)] {
                let peer = try await talk.peer(name)
                peer.say("HELLO", "from: \(name)", "boot: \(boot)", "versions: EB1")
                try await peer.hears("WELCOME")
            }
        },
        Script("SETTLED and WITHDRAW have origin and digest both, or neither") { talk in
            let kid = try await talk.child("kid")
            let digest = Talk.digest()
            for one in ["origin: kid", "digest: \(digest)"] {
                kid.say("SETTLED", "id: \(id)", "answer: \(id)", "result: failed", one)
                try await kid.hears("REJECT", "code: 400", "id: \(id)")
                kid.say("WITHDRAW", "id: \(id)", "reason: origin", one)
                try await kid.hears("REJECT", "code: 400", "id: \(id)")
            }
            kid.say("SETTLED", "id: \(id)", "answer: \(id)", "result: perhaps")
            try await kid.hears("REJECT", "code: 400", "id: \(id)")
            kid.say("SETTLED", "id: \(id)", "result: failed")
            try await kid.hears("REJECT", "code: 400", "id: \(id)")
        },
        Script("A verb of a parent gets 403 from a parent, and 400 where it is malformed") { talk in
            let kid = try await talk.child("kid")
            kid.say("WITHDRAWN", "id: \(id)")
            try await kid.hears("REJECT", "code: 403")
            kid.say("ACCEPTED", "id: \(id)", "attempt: 1")
            try await kid.hears("REJECT", "code: 403")
            kid.say("PENDING", "id: \(id)", "state: presented")
            try await kid.hears("REJECT", "code: 403")
            kid.say("STATE", payload: "{}")
            try await kid.hears("REJECT", "code: 403")
            kid.say("STATE")
            try await kid.hears("REJECT", "code: 400")
            kid.say("PENDING", "id: \(id)", "state: lost")
            try await kid.hears("REJECT", "code: 400", "id: \(id)")
            kid.say("ANSWER", "id: \(id)", "answer: \(id)", "by: ann", "via: person")
            try await kid.hears("REJECT", "code: 400", "id: \(id)")
            kid.say("ANSWER", "id: \(id)", "answer: \(id)", "by: a", "via: fax", "option: retry")
            try await kid.hears("REJECT", "code: 400", "id: \(id)")
        },
        Script("REJECT and OK from below get no reply, also malformed ones") { talk in
            let kid = try await talk.child("kid")
            kid.say("REJECT", "id: \(id)", "code: 400", "reason: no")
            kid.say("REJECT", "code: four")
            kid.say("OK", "id: \(id)")
            kid.say("OK", "id: x")
            kid.send(["EB1", "OK", "A", ""])
            try await kid.hearsNothing(for: 1_000)
        },
        Script("What is malformed from a parent is dropped") { talk in
            try await talk.up.isLinked()
            let call = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            let answer = ["id: \(talk.id(1))", "answer: \(talk.id(9))", "by: ann"]
            talk.up.say("ANSWER", answer + ["via: person"])
            talk.up.say("ANSWER", answer + ["via: fax", "option: retry"])
            talk.up.say("ANSWER", answer + ["via: person", "option: a b"])
            talk.up.say("ANSWER", answer + ["via: person", "did-recover: yes"])
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 399", "reason: no")
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 600", "reason: no")
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 410")
            talk.up.send(["EB2", "WITHDRAWN", "id: \(talk.id(1))\n", ""])
            talk.up.send(["EB1", "WITHDRAWN", "id: \(talk.id(1))\n"])
            try await call.waits(for: 1_000)
            try await talk.up.hearsNothing(for: 100)
        },
        Script("Other codes count as 400 and as 503") { talk in
            try await talk.up.isLinked()
            let first = talk.asks(talk.id(1))
            try await talk.up.takes(talk.id(1))
            talk.up.say("REJECT", "id: \(talk.id(1))", "code: 499", "reason: no")
            try await first.ends(.rejected)
            let second = talk.asks(talk.id(2))
            try await talk.up.takes(talk.id(2))
            talk.up.say("REJECT", "id: \(talk.id(2))", "code: 599", "reason: no")
            try await second.ends(.detached)
        },
    ]
}
