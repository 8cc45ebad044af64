import ErrorBus

// The limits of a parent: sections 7, "Room", and 11 of docs/wire.md.
extension Script {
    static let limits: [Script] = [
        Script(
            "A child has at most max-open presentations, those answered not counted",
            .limited { $0.openPerChildMax = 2 }
        ) { talk in
            let kid = try await talk.peer("kid")
            kid.greet()
            try await kid.hears("WELCOME", "max-open: 2")
            try await talk.shown(1, by: kid)
            try await talk.shown(2, by: kid)
            kid.present(talk.id(3))
            try await kid.hears(
                "REJECT", "id: \(talk.id(3))", "code: 429", "retry-ms: 1000", in: 2...2)
            try await talk.joins(talk.id(2), by: kid)
            try await talk.answered(talk.id(1), to: kid)
            kid.ignores = ["ANSWER"]
            try await talk.shown(3, by: kid)
            kid.withdraw(talk.id(2))
            try await kid.hears("WITHDRAWN")
            try await talk.desk.hides(talk.id(2))
            try await talk.shown(4, by: kid)
            kid.present(talk.id(5))
            try await kid.hears("REJECT", "code: 429")
        },
        Script(
            "WELCOME once more gives a child the same room for each further origin",
            .limited { $0.openPerChildMax = 2 }
        ) { talk in
            let rel = try await talk.child("rel")
            try await talk.shown(1, by: rel, origin: "one")
            rel.present(talk.id(2), origin: "two")
            try await rel.hears("WELCOME", "max-open: 4", in: 2...2)
            try await talk.desk.shows(talk.id(2))
            try await rel.hears("ACCEPTED")
            try await rel.hears("PENDING")
            try await talk.shown(3, by: rel, origin: "two")
            rel.withdraw(talk.id(1))
            try await rel.hears("WITHDRAWN")
            try await talk.desk.hides(talk.id(1))
            try await talk.shown(4, by: rel, origin: "three")
            let again = try await talk.peer("rel")
            again.greet()
            try await again.hears("WELCOME", "max-open: 4")
            try await talk.shown(5, by: again, origin: "two")
            again.present(talk.id(6), origin: "two")
            try await again.hears("REJECT", "id: \(talk.id(6))", "code: 429")
        },
        Script(
            "A plain key gets no more room for the origins that it names",
            .limited { $0.openPerChildMax = 2 }
        ) { talk in
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            for number in 1...2 {
                kid.present(talk.id(number), origin: "kid-\(number)", path: "kid")
                try await talk.desk.shows(talk.id(number))
                try await kid.hears("ACCEPTED")
                try await kid.hears("PENDING")
            }
            let rel = try await talk.child("rel", key: Talk.holder("rel", isRelay: true))
            try await talk.shown(3, by: rel, origin: "one")
            rel.present(talk.id(4), origin: "two")
            try await rel.hears("WELCOME", "max-open: 4", in: 2...2)
            try await talk.desk.shows(talk.id(4))
            try await rel.hears("ACCEPTED")
            try await rel.hears("PENDING")
        },
        Script(
            "A plain key has a limit over all its links and programs, a relay's key none",
            .limited { $0.openPerKeyMax = 2 }
        ) { talk in
            let one = try await talk.child("kid-1", key: Talk.holder("kid"))
            let two = try await talk.child("kid-2", key: Talk.holder("kid"))
            let peer = try await talk.peer("peer", key: Talk.holder("kid"))
            try await talk.shown(1, by: one)
            try await talk.shown(2, by: two)
            two.present(talk.id(3))
            try await two.hears(
                "REJECT", "id: \(talk.id(3))", "code: 429", "retry-ms: 1000", in: 2...2)
            peer.present(talk.id(4), origin: "kid", path: "kid")
            try await peer.hears("REJECT", "id: \(talk.id(4))", "code: 429", in: 2...2)
            peer.send([Talk.bare(talk.id(5))])
            try await peer.hearsBare("\"outcome\":\"rejected\"", "\"code\":429", in: 2...2)
            try await talk.answered(talk.id(1), to: one)
            one.ignores = ["ANSWER"]
            try await talk.shown(3, by: two)
            let rel = try await talk.child("rel", key: Talk.holder("rel", isRelay: true))
            for number in 11...13 { try await talk.shown(number, by: rel, origin: "far") }
        },
        Script(
            "Of the last eighth of the node's room each has an equal share of what is free",
            .limited { $0.openPerNodeMax = 64 }
        ) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let peer = try await talk.peer()
            one.ignores = ["ACCEPTED", "PENDING"]
            for number in 1...56 { one.present(talk.id(number)) }
            try await talk.pause(200)
            talk.desk.seen.clear()
            one.present(talk.id(57))
            try await one.hears(
                "REJECT", "id: \(talk.id(57))", "code: 429", "retry-ms: 2000", in: 2...2)
            for number in 61...62 { try await talk.shown(number, by: two) }
            two.present(talk.id(63))
            try await two.hears("REJECT", "id: \(talk.id(63))", "code: 429", in: 2...2)
            peer.present(talk.id(71))
            try await talk.desk.shows(talk.id(71))
            try await peer.hears("PENDING", "id: \(talk.id(71))")
            peer.present(talk.id(73))
            try await peer.hears("REJECT", "id: \(talk.id(73))", "code: 429", in: 2...2)
            try talk.check(try await peer.status()["open"] == 59, "59 are open")
        },
        Script(
            "The reports of a plain key have a limit of bytes until they are settled",
            .limited { $0.reportBytesPerKeyMax = 2 * Talk.report.utf8.count }
        ) { talk in
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            let id = try await talk.shown(1, by: kid)
            try await talk.shown(2, by: kid)
            kid.present(talk.id(3))
            try await kid.hears(
                "REJECT", "id: \(talk.id(3))", "code: 429", "retry-ms: 1000", in: 2...2)
            // Its report is kept until the attempt has ended.
            let answer = try await talk.answered(id, to: kid)
            kid.present(talk.id(3))
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 429", in: 2...2)
            kid.settle(id, answer, "recovered")
            try await talk.pause(10)
            try await talk.shown(3, by: kid)
            let rel = try await talk.child("rel", key: Talk.holder("rel", isRelay: true))
            for number in 11...13 { try await talk.shown(number, by: rel, origin: "far") }
        },
        Script(
            "A plain key may present so many bytes in large reports, and some more each second",
            .limited {
                let size = Talk.report.utf8.count
                ($0.largeReportBytesMin, $0.largeReportBytesMax) = (size - 1, 2 * size)
                $0.largeReportBytesPerSecond = size
            }
        ) { talk in
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            for number in 1...2 {
                let id = try await talk.shown(number, by: kid)
                kid.withdraw(id)
                try await kid.hears("WITHDRAWN")
                try await talk.desk.hides(id)
            }
            kid.present(talk.id(3))
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 429", in: 2...2)
            try await talk.pause(1_000)
            try await talk.shown(3, by: kid)
        },
        Script(
            "Of the last eighth of the bytes for reports each has an equal share of what is free",
            .limited { $0.reportBytesPerNodeMax = 64 * Talk.report.utf8.count }
        ) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            one.ignores = ["ACCEPTED", "PENDING"]
            for number in 1...56 { one.present(talk.id(number)) }
            try await talk.pause(200)
            talk.desk.seen.clear()
            one.present(talk.id(57))
            try await one.hears(
                "REJECT", "id: \(talk.id(57))", "code: 429", "retry-ms: 2000", in: 2...2)
            for number in 61...62 { try await talk.shown(number, by: two) }
            two.present(talk.id(63))
            try await two.hears("REJECT", "id: \(talk.id(63))", "code: 429", in: 2...2)
        },
        Script(
            "Of the results that are kept the child with the most loses its oldest",
            .limited { $0.rememberedMax = 2 }
        ) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            for (number, child) in [two, one, one].enumerated() {
                let id = try await talk.shown(number, by: child)
                child.settle(id, try await talk.answered(id, to: child), "recovered")
                try await talk.pause(10)
            }
            one.await(talk.id(1))
            try await one.hears("REJECT", "id: \(talk.id(1))", "code: 404", in: 2...2)
            one.await(talk.id(2))
            try await one.hears("ANSWER", "id: \(talk.id(2))", "did-recover: true", in: 2...2)
            two.await(talk.id(0))
            try await two.hears("ANSWER", "id: \(talk.id(0))", "did-recover: true", in: 2...2)
        },
        Script(
            "Withdrawals of what was never asked have a limit of their own",
            .limited { limits in
                limits.rememberedMax = 1
                limits.unaskedMax = 2
            }
        ) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(0, by: kid)
            kid.settle(id, try await talk.answered(id, to: kid), "recovered")
            for number in 1...3 {
                kid.withdraw(talk.id(number))
                try await kid.hears("WITHDRAWN", "id: \(talk.id(number))", in: 2...2)
            }
            kid.await(id)
            try await kid.hears("ANSWER", "did-recover: true", in: 2...2)
            for number in 2...3 {
                kid.present(talk.id(number))
                try await kid.hears("WITHDRAWN", "id: \(talk.id(number))", in: 2...2)
            }
            try await talk.shown(1, by: kid)
        },
        Script(
            "Last words of a plain key for unknown ids are limited, a relay's are not",
            Hop.relay.made { parts, _ in parts.limits.lastWordsMax = 2 }
        ) { talk in
            try await talk.up.isLinked()
            talk.up.ignores = ["SETTLED", "WITHDRAW"]
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            kid.settle(talk.id(1), "\(talk.id(8))", "recovered", origin: "kid")
            try await kid.hears("OK", "id: \(talk.id(1))", in: 2...2)
            kid.withdraw(talk.id(2), origin: "kid")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(2))", in: 2...2)
            kid.settle(talk.id(4), "\(talk.id(8))", "recovered", origin: "kid")
            try await kid.hears(
                "REJECT", "id: \(talk.id(4))", "code: 429", "retry-ms: 10000", in: 2...2)
            kid.withdraw(talk.id(5), origin: "kid")
            try await kid.hears("REJECT", "id: \(talk.id(5))", "code: 429", in: 2...2)
            kid.settle(talk.id(6), "\(talk.id(8))", "unknown", origin: "kid")
            try await kid.hears("OK", "id: \(talk.id(6))", in: 2...2)
            try await talk.pause(51)
            kid.settle(talk.id(4), "\(talk.id(8))", "recovered", origin: "kid")
            try await kid.hears("OK", "id: \(talk.id(4))", in: 2...2)
            let dropped = try await talk.peer().status()["dropped"]
            try talk.check(dropped?["excess"] == 2, "both are counted")
            let rel = try await talk.child("rel", key: Talk.holder("rel", isRelay: true))
            for number in 11...14 {
                rel.settle(talk.id(number), "\(talk.id(8))", "recovered", origin: "far")
                try await rel.hears("OK", "id: \(talk.id(number))", in: 2...2)
            }
        },
        Script(
            "A further child takes the place of one that is away with nothing asked",
            .limited { $0.childrenMax = 2 }
        ) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let three = try await talk.peer("three")
            try await talk.shown(by: one)
            one.say("BYE")
            three.greet()
            try await three.hears("REJECT", "no id", "code: 429", "retry-ms: 5000", in: 2...2)
            two.say("BYE")
            try await talk.pause(10)
            three.greet()
            try await three.hears("WELCOME", in: 2...2)
            try talk.showsOrigin(talk.id(1), reachable: false)
            let status = try await talk.peer().status()
            try talk.check(status["children"]?.arrayValue?.count == 2, "two children are known")
            let four = try await talk.peer("four")
            four.greet()
            try await four.hears("REJECT", "no id", "code: 429", in: 2...2)
            one.withdraw(talk.id(1))
            try await one.hears("WITHDRAWN")
            try await talk.desk.hides(talk.id(1))
            one.say("BYE")
            try await talk.pause(10)
            four.greet()
            try await four.hears("WELCOME", in: 2...2)
        },
        Script(
            "A key has so many children, and the one that left first makes room",
            .limited { $0.childrenPerKeyMax = 2 }
        ) { talk in
            let key = Talk.holder("kid")
            let one = try await talk.child("kid-1", key: key)
            let two = try await talk.child("kid-2", key: key)
            let (other, peer) = (
                try await talk.peer("other", key: Talk.holder("other")),
                try await talk.peer("kid-3", key: key)
            )
            peer.greet()
            try await peer.hears("REJECT", "no id", "code: 429", "retry-ms: 5000", in: 2...2)
            other.greet()
            try await other.hears("WELCOME", in: 2...2)
            two.say("BYE")
            try await talk.pause(10)
            one.say("BYE")
            try await talk.pause(10)
            peer.greet()
            try await peer.hears("WELCOME", in: 2...2)
            let status = try await talk.peer().status()
            let names = status["children"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            try talk.check(names?.sorted() == ["kid-1", "kid-3", "other"], "the first one went")
        },
        Script("STATUS gets 20 replies in a second for each key, and then 429", .top) { talk in
            let (one, two) = (
                try await talk.peer("one", key: Talk.holder("one")),
                try await talk.peer("two", key: Talk.holder("two"))
            )
            let peer = try await talk.peer()
            for _ in 1...20 { _ = try await one.status() }
            let from = talk.now
            one.say("STATUS")
            let said = try await one.hears("REJECT", "no id", "code: 429", in: 2...2)
            let retry = UInt64(said["retry-ms"] ?? "") ?? 0
            try talk.check((500...999).contains(retry), "it says when the second is over")
            for speaker in [two, peer] {
                for _ in 1...20 { _ = try await speaker.status() }
                speaker.say("STATUS")
                try await speaker.hears("REJECT", "code: 429")
            }
            try await talk.until(from + retry + 1)
            for speaker in [one, two, peer] { _ = try await speaker.status() }
        },
        Script("Large messages to one client are 16 MiB at once, and 256 KiB each second") { talk in
            try await talk.up.isLinked()
            let (one, two) = (try await talk.peer("one"), try await talk.peer("two"))
            let id = talk.id(1)
            one.present(id, ["wait-ms: 1000"], origin: "one", path: "peer")
            try await talk.up.hears("PRESENT")
            let text = String(repeating: "x", count: 2_050)
            let values = (1...125).map { "\"v\($0)\":\"\(text)\"" }.joined(separator: ",")
            talk.up.say(
                "ANSWER",
                ["id: \(id)", "answer: \(talk.id(9))", "by: ann", "via: person", "option: retry"],
                payload: "{\"values\":{\(values)}}")
            var count = 0
            while let said = await one.heard.next(within: 5), said.verb == "ANSWER" {
                count += 1
                one.await(id)
            }
            try talk.check((64...66).contains(count), "64 and those that came back: \(count)")
            one.await(id)
            try await one.hears("REJECT", "id: \(id)", "code: 429", "retry-ms: 8000", in: 2...2)
            two.await(id)
            try await two.hears("ANSWER", "id: \(id)", in: 2...2)
            try await talk.pause(1_100)
            one.await(id)
            try await one.hears("ANSWER", "id: \(id)", in: 2...2)
            one.await(id)
            try await one.hears("REJECT", "id: \(id)", "code: 429", in: 2...2)
            one.settle(id, "\(talk.id(9))", "failed")
            try await one.hears("OK", "id: \(id)", in: 2...2)
            try await talk.up.hears("SETTLED", "result: failed")
        },
    ]
}

extension Hop {
    /// A node with people and with other limits.
    fileprivate static func limited(
        _ change: @escaping @Sendable (inout LinkLimits) -> Void
    ) -> Hop {
        top.made { parts, _ in change(&parts.limits) }
    }
}
