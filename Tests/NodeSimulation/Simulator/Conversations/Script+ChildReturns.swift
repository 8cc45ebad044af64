import ErrorBus

// Requests that come again, later or by another way: sections 7 to 9 and 13 of docs/wire.md.
extension Script {
    static let childReturns: [Script] = [
        Script("A refusal from above is passed on, and the id can be presented anew") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            talk.up.say("REJECT", "id: \(id)", "code: 413", "reason: too large")
            try await kid.hears(
                "REJECT", "id: \(id)", "code: 413", "reason: too large", "no retry-ms", in: 2...2)
            kid.await(id)
            try await kid.hears("REJECT", "id: \(id)", "code: 404", in: 2...2)
            try await talk.relayed(by: kid)
            try await talk.passedDown(id, to: kid)
        },
        Script("A refusal is kept for a program for 3 minutes") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            for (number, pause) in [UInt64(178_000), 182_000].enumerated() {
                let id = talk.id(number)
                peer.present(id)
                try await peer.hears("PENDING")
                try await talk.up.hears("PRESENT", "id: \(id)")
                talk.up.say("REJECT", "id: \(id)", "code: 410", "reason: lost")
                try await talk.pause(pause)
                peer.await(id)
                try await peer.hears(
                    "REJECT", "id: \(id)", "code: \(number == 0 ? 410 : 404)", in: 2...2)
            }
        },
        Script("onExpiry of one frame of JSON is applied when the parent sends 408") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.send([Talk.bare(id, "\"onExpiry\":\"skip\",\"deadlineMilliseconds\":2000")])
            talk.up.accept(try await talk.up.hears("PRESENT"))
            try await talk.pause(1_900)
            talk.up.say("REJECT", "id: \(id)", "code: 408", "reason: over")
            try await peer.hearsBare("\"option\":\"skip\"", "\"via\":\"expiry\"", in: 2...2)
        },
        Script("A request that ends in the second after the deadline gets PENDING") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id, ["left-ms: 2000", "wait-ms: 2500"])
            talk.up.accept(try await talk.up.hears("PRESENT"))
            try await peer.hears("PENDING", "id: \(id)", in: 2_480...2_500)
            peer.await(id, wait: 20_000)
            try await peer.hears("REJECT", "id: \(id)", "code: 408", in: 480...510)
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 1_990...2_002)
            talk.up.say("WITHDRAWN", "id: \(id)")
        },
        Script("A hop without a parent in reach sends the expiry, and says so above later") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid, "left-ms: 20000")
            talk.up.die()
            try await kid.hears("PENDING", "state: unreachable", in: 0...13_000)
            let said = try await kid.hears(
                "ANSWER", "id: \(id)", "no option", "via: expiry", "did-recover: false",
                "reason: expired", "by: hop", in: 5_000...20_000)
            kid.settle(id, said["answer"] ?? "", "failed")
            try await talk.restartParent()
            try await talk.up.isLinked(within: 10_000)
            try await talk.up.hears(
                "WITHDRAW", "id: \(id)", "reason: origin", "origin: kid",
                "digest: \(Talk.digest())", in: 0...200)
            talk.up.say("WITHDRAWN", "id: \(id)")
        },
        Script("A program's result of what is open is unknown, and its hop may give up", .top) {
            talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id)
            try await peer.hears("PENDING")
            try await talk.desk.shows(id)
            peer.settle(id, "\(talk.id(9))", "recovered")
            try await peer.hears("REJECT", "id: \(id)", "code: 404", in: 2...2)
            peer.withdraw(id, "abandoned")
            try await peer.hears("OK", "id: \(id)", in: 2...2)
            try await talk.desk.hides(id)
            peer.present(id)
            try await peer.hears("PENDING")
            try await talk.desk.shows(id)
        },
        Script("An answer that a program does not settle is given up after 4 minutes", .top) {
            talk in
            let peer = try await talk.peer()
            let id = talk.id(1)
            peer.present(id)
            try await peer.hears("PENDING")
            try await talk.desk.shows(id)
            try await talk.pause(60_000)
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await talk.pause(120_000)
            peer.await(id)
            try await peer.hears("ANSWER", "option: retry", in: 2...2)
            try await talk.pause(239_900)
            try talk.check(talk.notebook.result(of: id) == nil, "not sooner")
            try await talk.pause(200)
            try talk.check(talk.notebook.result(of: id) == .unknown, "it is on record")
        },
        Script("What was abandoned counts against the limit when it comes again", .narrow) { talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(1, by: rel, origin: "kid")
            rel.withdraw(id, "abandoned")
            try await rel.hears("WITHDRAWN")
            try await talk.desk.hides(id)
            try await talk.shown(2, by: rel, origin: "kid")
            rel.present(id, origin: "kid")
            try await rel.hears("REJECT", "id: \(id)", "code: 429", "retry-ms: 1000", in: 2...2)
            rel.await(id)
            try await rel.hears("REJECT", "id: \(id)", "code: 404", in: 2...2)
            rel.withdraw(talk.id(2))
            try await rel.hears("WITHDRAWN")
            try await talk.desk.hides(talk.id(2))
            try await talk.shown(1, by: rel, origin: "kid")
        },
        Script("A path of what was abandoned has to present again itself", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            try await talk.desk.hides(id, in: 179_900...180_000)
            two.present(id, origin: "kid")
            try await talk.desk.shows(id)
            try await two.hears("ACCEPTED")
            try await two.hears("PENDING")
            one.await(id)
            try await one.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            try await talk.joins(id, by: one, origin: "kid")
        },
        Script("AWAIT of a new life of a child asks for what its former one asked", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            kid.close()
            let again = try await talk.child("kid", boot: "02")
            try talk.showsOrigin(id, reachable: false)
            again.await(id)
            try await again.hears("PENDING", "state: presented", in: 2...2)
            try talk.showsOrigin(id, reachable: true)
            try await talk.pause(70_000)
            try await talk.answered(id, to: again)
        },
        Script("AWAIT of a path that has lost the origin takes no place", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid", "reachable: false")
            one.say("BYE")
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: false)
            two.await(id)
            try await two.hears("PENDING", "state: presented", in: 2...2)
            try talk.showsOrigin(id, reachable: false)
            try await one.isServed()
            try talk.showsOrigin(id, reachable: true)
            try await talk.answered(id, to: one)
        },
        Script("A child that was away is live since its return", .top) { talk in
            let kid = try await talk.child("kid")
            try await talk.pause(5_000)
            kid.say("BYE")
            try await talk.pause(5_000)
            kid.say("PONG", "n: 1")
            try await talk.pause(1_000)
            let child = try await talk.peer().status()["children"]?.arrayValue?.first
            try talk.check(child?["state"] == "live", "it is live")
            let since = child?["sinceMilliseconds"]?.integerValue ?? 0
            try talk.check((1_000...1_100).contains(since), "since its return")
        },
        Script(
            "A node that stops leaves the result of what a live child has to its next life", .top
        ) { talk in
            let (kid, gone) = (try await talk.child("kid"), try await talk.child("gone"))
            let (one, two) = (try await talk.shown(1, by: kid), try await talk.shown(2, by: gone))
            gone.say("BYE")
            try await talk.pause(10)
            let answer = try await talk.answered(one, to: kid)
            try talk.desk.answer(two)
            try await talk.desk.hides(two)
            talk.stop()
            try await kid.hears("BYE")
            try await talk.pause(150)
            try talk.check(talk.notebook.result(of: one) == nil, "the child reports it")
            try talk.check(talk.notebook.result(of: two) == .unknown, "it was not delivered")
            try await talk.bootAgain()
            let again = try await talk.child("kid")
            again.settle(one, answer, "recovered", origin: "kid")
            try await again.hears("OK", "id: \(one)")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: one) == .recovered, "it is on record")
        },
        Script("An answer for the asking before goes down once, by the asking after it", .top) {
            talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(by: rel, origin: "kid")
            talk.notebook.latency = 100
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            rel.withdraw(id, "abandoned")
            try await rel.hears("WITHDRAWN", in: 2...2)
            rel.present(id, origin: "kid")
            try await rel.hears("ACCEPTED", "attempt: 2", in: 50...52)
            try await rel.hears("ANSWER", "answer: \(answer.id)", "option: retry", in: 0...1_000)
            rel.settle(id, "\(answer.id)", "failed")
            try await talk.pause(500)
            try talk.check(talk.notebook.result(of: id) == .failed, "it is on record")
        },
        Script("The state that changes while a child is away is told when it asks") { talk in
            try await talk.up.isLinked()
            talk.up.ignores = ["PRESENT"]
            let kid = try await talk.child("kid")
            let id = talk.id(1)
            kid.present(id)
            try await kid.hears("ACCEPTED")
            kid.say("BYE")
            try await talk.pause(10)
            talk.up.say("PENDING", "id: \(id)", "state: claimed", "since-ms: 5000", "by: ann")
            try await kid.hearsNothing(for: 500)
            kid.say("PONG", "n: 1")
            try await kid.hearsNothing(for: 500)
            kid.await(id)
            let said = try await kid.hears("PENDING", "state: claimed", "by: ann", in: 2...2)
            try talk.check((5_900...6_100).contains(Int(said["since-ms"] ?? "") ?? 0), "its age")
        },
        Script("A program may send the last word of one frame of JSON no more than a child", .top) {
            talk in
            let (one, two) = (try await talk.peer("one"), try await talk.child("two"))
            let id = talk.id(1)
            one.send([Talk.bare(id)])
            try await talk.desk.shows(id)
            one.withdraw(id, origin: "bare")
            try await one.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            two.withdraw(id, origin: "bare")
            try await two.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            two.await(id)
            try await two.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await one.hearsBare("\"option\":\"retry\"")
        },
    ]
}

extension Hop {
    /// A node with people that takes one presentation of each child.
    fileprivate static let narrow = top.made { parts, _ in parts.limits.openPerChildMax = 1 }
}
