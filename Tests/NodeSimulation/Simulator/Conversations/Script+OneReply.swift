import ErrorBus

// Peers that get one reply for each request: sections 13 and 14 of docs/wire.md, and deadlines.
extension Script {
    static let oneReply: [Script] = [
        Script("PRESENT without wait-ms gets PENDING at once, AWAIT the state or the ANSWER", .top)
        { talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id)
            try await peer.hears("PENDING", "id: \(id)", "state: relayed", in: 2...2)
            try await talk.desk.shows(id)
            peer.await(id)
            try await peer.hears("PENDING", "id: \(id)", "state: presented", in: 2...2)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await peer.hearsNothing(for: 1_000)
            peer.await(id)
            try await peer.hears(
                "ANSWER", "id: \(id)", "answer: \(answer.id)", "digest: \(Talk.digest())",
                "option: retry", in: 2...2)
            try await peer.hearsNothing(for: 5_000)
            peer.settle(id, "\(answer.id)", "recovered")
            try await peer.hears("OK", "id: \(id)", in: 2...2)
            peer.settle(id, "\(answer.id)", "recovered")
            try await peer.hears("OK", "id: \(id)", in: 2...2)
            peer.present(id)
            try await peer.hears("ANSWER", "did-recover: true", in: 2...2)
        },
        Script("wait-ms is the time until PENDING, at most 20 s", .top) { talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id, ["wait-ms: 3000"])
            try await talk.desk.shows(id)
            try await peer.hears("PENDING", "state: presented", in: 2_900...3_002)
            peer.await(id, wait: 20_001)
            try await peer.hears("PENDING", in: 20_002...20_002)
            peer.await(id, wait: 1_500)
            try await peer.hears("PENDING", in: 1_502...1_502)
            peer.present(id, ["wait-ms: 60000"])
            try await peer.hears("PENDING", in: 20_002...20_002)
            peer.present(id, ["wait-ms: 9000"])
            try await talk.pause(4_000)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await peer.hears("ANSWER", "answer: \(answer.id)", in: 0...5)
        },
        Script("A second request takes the place of the first, which gets PENDING", .top) { talk in
            let (one, two) = (try await talk.peer("one"), try await talk.peer("two"))
            let id = talk.id(1)
            one.present(id, ["wait-ms: 20000"], path: "peer")
            try await talk.desk.shows(id)
            two.await(id, wait: 20_000)
            try await one.hears("PENDING", "id: \(id)", "state: presented", in: 2...2)
            one.say(
                "PRESENT",
                [
                    "id: \(id)", "attempt: 2", "origin: one", "path: peer", "wait-ms: 20000",
                ], payload: Talk.report)
            try await two.hears("PENDING", "id: \(id)", "state: presented", in: 2...2)
            two.withdraw(id)
            try await one.hears("PENDING", "id: \(id)", in: 2...2)
            try await two.hears("OK", "id: \(id)", in: 0...0)
            try await talk.desk.hides(id)
            one.await(id)
            try await one.hears("WITHDRAWN", "id: \(id)", in: 2...2)
        },
        Script("A child that asks for what a program has asked gets the answer", .top) { talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id, ["wait-ms: 20000"], origin: "kid", path: "kid")
            try await talk.desk.shows(id)
            let kid = try await talk.child("kid")
            try await talk.joins(id, by: kid)
            try await peer.hears("PENDING", "id: \(id)", in: 0...2)
            peer.await(id)
            try await peer.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            try await talk.answered(id, to: kid)
        },
        Script("Each request without a link gets one reply, as PING, BYE and STATUS", .top) {
            talk in
            let peer = try await talk.peer()
            try await peer.isServed()
            peer.say("BYE", "reason: done")
            try await peer.hears("OK", "no id", in: 2...2)
            peer.await(talk.id(1))
            try await peer.hears("REJECT", "id: \(talk.id(1))", "code: 404", in: 2...2)
            peer.withdraw(talk.id(1))
            try await peer.hears("OK", "id: \(talk.id(1))", in: 2...2)
            peer.send(["EB1", "NONSENSE", "", ""])
            try await peer.hears("REJECT", "code: 505", in: 2...2)
            peer.send(["EB1", "PING"])
            try await peer.hears("REJECT", "code: 400", in: 2...2)
            try talk.check(try await peer.status()["node"] == "hop", "its name")
        },
        Script("A program that asks no more is given up after 3 minutes", .top) { talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id)
            try await peer.hears("PENDING")
            try await talk.desk.shows(id)
            try await talk.pause(100_000)
            peer.await(id, wait: 10_000)
            try await peer.hears("PENDING", in: 10_002...10_002)
            try await talk.desk.hides(id, in: 169_990...170_000)
            peer.await(id)
            try await peer.hears("REJECT", "id: \(id)", "code: 404", in: 2...2)
            peer.present(id, ["wait-ms: 20000"])
            try await talk.desk.shows(id)
            talk.desk.seen.clear()
            try talk.desk.answer(id)
            try await peer.hears("ANSWER", "option: retry", in: 0...5)
            try await talk.desk.hides(id)
        },
        Script("A refusal waits for the program's next request, and is told once") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id)
            try await peer.hears("PENDING", in: 2...2)
            try await talk.up.hears("PRESENT", "id: \(id)", "no wait-ms")
            talk.up.say("REJECT", "id: \(id)", "code: 413", "reason: too large")
            try await peer.hearsNothing(for: 100)
            peer.await(id)
            try await peer.hears("REJECT", "id: \(id)", "code: 413", in: 2...2)
            peer.await(id)
            try await peer.hears("REJECT", "id: \(id)", "code: 404", in: 2...2)
            peer.present(id, ["wait-ms: 20000"])
            try await talk.up.hears("PRESENT", "id: \(id)")
            talk.up.say("REJECT", "id: \(id)", "code: 409", "reason: another")
            try await peer.hears("REJECT", "id: \(id)", "code: 409", in: 2...2)
        },
        Script("What is refused at the deadline gets 408 one second later, and each time") { talk in
            try await talk.up.isLinked()
            let (kid, peer) = (try await talk.child("kid"), try await talk.peer())
            for (number, speaker) in [kid, peer].enumerated() {
                let id = talk.id(number)
                speaker.present(id, ["left-ms: 5000", "wait-ms: 20000"])
                let said = try await talk.up.hears("PRESENT", "id: \(id)", "left-ms: 5000")
                talk.up.accept(said)
                if speaker === kid { try await kid.hears("ACCEPTED", in: 40...52) }
                speaker.heard.clear()
                try await speaker.hears("REJECT", "id: \(id)", "code: 408", in: 5_900...6_002)
                try await talk.up.hears(
                    "WITHDRAW", "id: \(id)", "reason: abandoned", in: 2_000...2_002)
                talk.up.say("WITHDRAWN", "id: \(id)")
                for _ in 1...2 {
                    speaker.present(id, ["left-ms: 5000"])
                    try await speaker.hears("REJECT", "id: \(id)", "code: 408", in: 2...2)
                    speaker.await(id)
                    try await speaker.hears("REJECT", "id: \(id)", "code: 408", in: 2...2)
                }
                speaker.withdraw(id, "origin", origin: speaker.name)
                try await speaker.hears(speaker === kid ? "WITHDRAWN" : "OK", in: 2...2)
                try await talk.up.hears("WITHDRAW", "reason: origin")
                talk.up.say("WITHDRAWN", "id: \(id)")
            }
        },
        Script("left-ms: 0 opens nothing, and the first left-ms counts") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = talk.id(1)
            kid.present(id, ["left-ms: 0"])
            try await kid.hears("REJECT", "id: \(id)", "code: 408", in: 2...2)
            try await talk.relayed(1, by: kid, "left-ms: 3000")
            kid.present(id, ["left-ms: 0"])
            try await kid.hears("ACCEPTED", "attempt: 3", in: 2...2)
            kid.present(id, ["left-ms: 90000"])
            try await kid.hears("ACCEPTED", "attempt: 4", in: 2...2)
            try await kid.hears("REJECT", "code: 408", in: 3_900...4_000)
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 2_000...2_002)
            talk.up.say("WITHDRAWN", "id: \(id)")
        },
        Script("A child gets the answer of the expiry at its deadline", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid, "left-ms: 5000")
            try await kid.hears(
                "ANSWER", "id: \(id)", "no option", "via: expiry", "did-recover: false",
                "reason: expired", in: 4_900...5_000)
            try await talk.desk.hides(id)
        },
        Script(
            "One frame of JSON gets one, with the answer, and the same when it comes again", .top
        ) { talk in
            let (one, two) = (try await talk.peer("one"), try await talk.peer("two"))
            let id = talk.id(1)
            one.send([Talk.bare(id)])
            try await talk.desk.shows(id)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await one.hearsBare(
                "\"id\":\"\(id)\"", "\"outcome\":\"answered\"", "\"option\":\"retry\"",
                "\"didRecover\":null", "\"by\":\"ann\"", "\"via\":\"person\"")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: id) == .unknown, "its result is never known")
            two.send([Talk.bare(id)])
            try await two.hearsBare("\"option\":\"retry\"", "\"didRecover\":null", in: 2...2)
            two.settle(id, "\(answer.id)", "recovered")
            try await two.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
        },
        Script("A newer frame of JSON takes the place of the first, which gets 409", .top) { talk in
            let (one, two) = (try await talk.peer("one"), try await talk.peer("two"))
            let id = talk.id(1)
            one.send([Talk.bare(id)])
            try await talk.desk.shows(id)
            two.send([Talk.bare(id)])
            try await one.hearsBare("\"outcome\":\"rejected\"", "\"code\":409", in: 2...2)
            one.send([Talk.bare(id, "\"deadlineMilliseconds\":5000", code: 8)])
            try await one.hearsBare("\"outcome\":\"rejected\"", "\"code\":409", in: 2...2)
            try talk.desk.answer(id, "skip")
            try await talk.desk.hides(id)
            try await two.hearsBare("\"option\":\"skip\"")
        },
        Script("One frame of JSON waits for ten minutes, and then has expired", .top) { talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.send([Talk.bare(id)])
            try await talk.desk.shows(id)
            try await peer.hearsBare(
                "\"outcome\":\"expired\"", "\"option\":null", in: 599_900...600_002)
            try await talk.desk.hides(id)
        },
        Script("onExpiry of one frame of JSON is applied here at the deadline", .top) { talk in
            let peer = try await talk.peer()
            let more = "\"onExpiry\":\"skip\",\"deadlineMilliseconds\""
            for (number, time) in [UInt64(0), 2_000].enumerated() {
                let id = talk.id(number)
                peer.send([Talk.bare(id, "\(more):\(time)")])
                if time > 0 { try await talk.desk.shows(id) }
                try await peer.hearsBare(
                    "\"outcome\":\"answered\"", "\"option\":\"skip\"", "\"via\":\"expiry\"",
                    "\"by\":\"hop\"", in: time...time + 2)
                if time > 0 { try await talk.desk.hides(id) }
            }
            peer.send([Talk.bare(talk.id(3), "\"deadlineMilliseconds\":0")])
            try await peer.hearsBare("\"outcome\":\"expired\"", "\"code\":408", in: 2...2)
        },
        Script("A hop applies onExpiry of one frame of JSON when its parent is silent") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.send([Talk.bare(id, "\"onExpiry\":\"skip\",\"deadlineMilliseconds\":2000")])
            talk.up.accept(
                try await talk.up.hears(
                    "PRESENT", "origin: bare", "path: bare,hop", "left-ms: 2000"))
            try await peer.hearsBare(
                "\"option\":\"skip\"", "\"via\":\"expiry\"", in: 2_990...3_002)
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 2_000...2_002)
            talk.up.say("WITHDRAWN", "id: \(id)")
        },
        Script("One frame of JSON gets no option that it does not offer") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.send([Talk.bare(id)])
            talk.up.accept(try await talk.up.hears("PRESENT", "id: \(id)"))
            talk.up.answer(id, "else", as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: invalid")
            try await peer.hearsBare("\"didRecover\":false", "\"reason\":\"noAttempter\"")
        },
    ]
}
