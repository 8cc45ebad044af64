import ErrorBus

// Whose name is whose: section 7 of docs/wire.md, "One live link per name", and section 10.
extension Script {
    static let names: [Script] = [
        Script("WELCOME has the parent's name and boot, the limits, and the way up") { talk in
            try await talk.up.isLinked()
            try await talk.pause(10)
            let kid = try await talk.peer("kid")
            kid.greet()
            let said = try await kid.hears(
                "WELCOME", "node: hop", "version: EB1", "max-header: 8192", "max-payload: 262144",
                "max-open: 1024", "ping-ms: 4000", "path: hop,up", in: 2...2)
            try talk.check(said["boot"]?.count == 16, "a boot has 16 digits")
        },
        Script("The way up of a node without a parent is its own name", .top) { talk in
            let kid = try await talk.peer("kid")
            kid.greet()
            try await kid.hears("WELCOME", "path: hop")
        },
        Script("A link that was taken over is heard again once its successor is gone", .top) {
            talk in
            let kid = try await talk.child("kid")
            let again = try await talk.child("kid")
            kid.greet()
            kid.present(talk.id(1))
            kid.send(["EB1", "NONSENSE", "", ""])
            try await kid.hearsNothing(for: 100)
            let dropped = try await talk.peer().status()["dropped"]
            try talk.check(dropped?["supersededLink"] == 2, "both are counted")
            again.say("BYE")
            kid.greet()
            try await kid.hears("WELCOME")
            try await kid.isServed()
        },
        Script("A holder that answers the probe keeps its name, and the claim is over", .top) {
            talk in
            let kid = try await talk.child("kid")
            let other = try await talk.peer("kid")
            other.greet(boot: "02")
            try await other.hears("REJECT", "code: 403", "retry-ms: 5000", "no id", in: 4...4)
            try talk.check(kid.pingCount == 1, "it was probed")
            kid.repliesToPing = false
            try await other.hearsNothing(for: 3_000)
            try await kid.isServed()
        },
        Script("A holder that does not answer within 2 s loses name and link", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            kid.repliesToPing = false
            let other = try await talk.peer("kid")
            other.greet(boot: "02")
            try await other.hears("WELCOME", in: 2_002...2_002)
            try talk.check(kid.pingCount == 1, "it was probed once")
            try talk.showsOrigin(id, reachable: false)
            kid.say("PING", "n: 1")
            try await kid.hearsNothing(for: 100)
            try await talk.joins(id, by: other)
            try talk.showsOrigin(id, reachable: true)
        },
        Script("A claimant that repeats its HELLO waits no longer, and a second one gets 403", .top)
        { talk in
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            let (other, third) = (try await talk.peer("kid"), try await talk.peer("kid"))
            other.greet(boot: "02")
            third.greet(boot: "03")
            try await third.hears("REJECT", "code: 403", "retry-ms: 5000", "no id", in: 2...2)
            try await talk.pause(1_498)
            other.greet(boot: "02")
            try await other.hears("WELCOME", in: 502...502)
            try await other.hearsNothing(for: 3_000)
        },
        Script("Any frame of the holder ends the claim", .top) { talk in
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            let other = try await talk.peer("kid")
            other.greet(boot: "02")
            try await talk.pause(1_000)
            kid.say("AWAIT", "id: \(talk.id(1))")
            try await kid.hears("REJECT", "code: 404")
            try await other.hears("REJECT", "code: 403", "retry-ms: 5000", in: 0...0)
            other.greet(boot: "02")
            try await other.hears("WELCOME", in: 2_002...2_002)
        },
        Script("A holder whose connection is gone loses its name at the probe", .top) { talk in
            let kid = try await talk.child("kid")
            kid.close()
            let other = try await talk.peer("kid")
            other.greet(boot: "02")
            try await other.hears("WELCOME", in: 2...2)
            try await other.isServed()
        },
        Script("A claimant that took another name meanwhile does not get the first as well", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            let other = try await talk.peer("kid")
            other.greet(boot: "02")
            other.greet("sib", boot: "02")
            try await other.hears("WELCOME")
            try await other.hearsNothing(for: 3_000)
            let third = try await talk.peer("kid")
            third.greet(boot: "03")
            try await third.hears("WELCOME", in: 2...2)
            try await other.isServed()
        },
        Script("The claimant is refused when a new link of the holder's own life comes", .top) {
            talk in
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            let other = try await talk.peer("kid")
            other.greet(boot: "02")
            try await talk.pause(500)
            let again = try await talk.child("kid")
            try await other.hears("REJECT", "code: 403", "retry-ms: 5000")
            try await other.hearsNothing(for: 3_000)
            try await again.isServed()
        },
        Script("A link keeps its name, and no child has the node's own", .top) { talk in
            let kid = try await talk.child("kid")
            kid.greet("other")
            try await kid.hears("REJECT", "code: 403", "no retry-ms", "no id")
            try await kid.isServed()
            let other = try await talk.peer("other")
            other.greet("hop")
            try await other.hears("REJECT", "code: 403", "no retry-ms", "no id")
            try await talk.shown(by: kid)
        },
        Script("HELLO once more on a live link changes nothing", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            try await talk.pause(3_000)
            kid.greet()
            try await kid.hears("WELCOME")
            try talk.showsOrigin(id, reachable: true)
            let status = try await talk.peer().status()
            let child = status["children"]?.arrayValue?.first
            try talk.check(child?["state"] == "live", "it is live")
            try talk.check((child?["sinceMilliseconds"]?.integerValue ?? 0) > 3_000, "and was")
        },
        Script("A name that a live link holds is presented for by that link alone", .top) { talk in
            let kid = try await talk.child("kid")
            let rel = try await talk.child("rel")
            rel.present(talk.id(1), origin: "kid")
            try await rel.hears("REJECT", "id: \(talk.id(1))", "code: 403", "retry-ms: 2000")
            rel.present(talk.id(2), origin: "far", path: "far,kid")
            try await rel.hears("REJECT", "id: \(talk.id(2))", "code: 403", "retry-ms: 2000")
            let asker = try await talk.peer("asker")
            asker.present(talk.id(3), origin: "kid", path: "kid")
            try await asker.hears("REJECT", "id: \(talk.id(3))", "code: 403", "retry-ms: 2000")
            kid.say("BYE")
            try await talk.shown(1, by: rel, origin: "kid")
        },
        Script("A path through the node is a loop, and one of 17 names too long", .top) { talk in
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), origin: "hop", path: "kid")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 482", "no retry-ms")
            kid.present(talk.id(2), origin: "far", path: "far,hop,kid")
            try await kid.hears("REJECT", "id: \(talk.id(2))", "code: 482", "no retry-ms")
            let names = (1...15).map { "n\($0)," }.joined()
            kid.present(talk.id(3), origin: "n0", path: "n0,\(names)kid")
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 483", "no retry-ms")
            kid.present(talk.id(4), origin: "n1", path: "\(names)kid")
            try await talk.desk.shows(talk.id(4))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
        },
        Script("An id stands for one report of one origin", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid, origin: "one")
            kid.present(id, origin: "two")
            try await kid.hears("REJECT", "id: \(id)", "code: 409", "no retry-ms")
            let report = Talk.report.replacing("Trouble", with: "Worry")
            kid.present(id, origin: "one", report: report)
            try await kid.hears("REJECT", "id: \(id)", "code: 409")
            kid.settle(id, "\(talk.id(8))", "recovered", origin: "two")
            try await kid.hears("REJECT", "id: \(id)", "code: 409")
            kid.settle(
                id, "\(talk.id(8))", "recovered", origin: "one", digest: Talk.digest(report))
            try await kid.hears("REJECT", "id: \(id)", "code: 409")
            kid.withdraw(id, origin: "two")
            try await kid.hears("REJECT", "id: \(id)", "code: 409")
            try await talk.answered(id, to: kid)
        },
        Script("Only a parent says what a parent says, and REJECT and OK get no reply", .top) {
            talk in
            let (kid, peer) = (try await talk.child("kid"), try await talk.peer())
            for speaker in [kid, peer] {
                speaker.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
                try await speaker.hears("REJECT", "code: 403", "no id", "no retry-ms")
                speaker.say("OK")
                speaker.say("REJECT", "code: 403", "reason: no")
                speaker.say("REJECT", "reason: no code")
                try await speaker.hearsNothing(for: 100)
                try await speaker.isServed()
            }
            let dropped = try await peer.status()["dropped"]
            try talk.check(dropped?["wrongDirection"] == 6, "all are counted")
        },
        Script("What is malformed gets 400 with its id, and is a sign of life", .top) { talk in
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            try await talk.pause(10_000)
            kid.say("AWAIT", "id: \(talk.id(1))", "wait-ms: soon")
            try await kid.hears("REJECT", "id: \(talk.id(1))", "code: 400")
            try await talk.pause(11_900)
            let status = try await talk.peer().status()
            try talk.check(status["children"]?.arrayValue?.first?["state"] == "live", "it lives")
        },
        Script("A node that stops says BYE, and refuses what comes then with 503", .top) { talk in
            let (kid, gone) = (try await talk.child("kid"), try await talk.child("gone"))
            let (asker, late) = (try await talk.peer("asker"), try await talk.peer("late"))
            let id = try await talk.shown(by: kid)
            let answer = try await talk.answered(id, to: kid)
            gone.say("BYE")
            asker.present(talk.id(2), "wait-ms: 20000")
            try await talk.desk.shows(talk.id(2))
            talk.stop()
            try await kid.hears("BYE", "reason: shutdown")
            try await asker.hears(
                "REJECT", "id: \(talk.id(2))", "code: 503", "retry-ms: 1000", in: 0...5)
            try await talk.desk.hides(talk.id(2))
            kid.present(talk.id(3))
            try await kid.hears("REJECT", "id: \(talk.id(3))", "code: 503", "retry-ms: 1000")
            kid.settle(id, answer, "recovered", origin: "kid")
            kid.withdraw(id, origin: "kid")
            try await kid.hearsNothing(for: 20)
            asker.settle(id, answer, "recovered", origin: "kid")
            try await asker.hears("REJECT", "id: \(id)", "code: 503", "retry-ms: 1000")
            asker.withdraw(talk.id(2))
            try await asker.hears("REJECT", "id: \(talk.id(2))", "code: 503", "retry-ms: 1000")
            asker.say("STATUS")
            try await asker.hears("REJECT", "no id", "code: 503", "retry-ms: 1000")
            late.greet()
            try await late.hears("REJECT", "no id", "code: 503", "retry-ms: 1000")
        },
    ]
}
