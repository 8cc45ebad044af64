import ErrorBus

// Links that are lost, and what their children have asked: section 7 of docs/wire.md, "Liveness"
// and "Loss", and rule 8 of section 8.
extension Script {
    static let losses: [Script] = [
        Script("After 4 s of silence comes one PING, and after 12 s the link is lost") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.repliesToPing = false
            let id = try await talk.relayed(by: kid)
            try await kid.isServed()
            try await talk.up.hearsNothing(for: 3_999)
            try talk.check(kid.pingCount == 0, "no PING before 4 s")
            try await talk.pause(2)
            try talk.check(kid.pingCount == 1, "a PING after 4 s")
            let lost = try await talk.up.hears(
                "PRESENT", "id: \(id)", "attempt: 2", "reachable: false", in: 7_999...7_999)
            talk.up.accept(lost)
            try await talk.up.hearsNothing(for: 10_000)
            try talk.check(kid.pingCount == 1, "one PING")
            try await kid.isServed()
            talk.up.accept(try await talk.up.hears("PRESENT", "attempt: 3", "no reachable"))
        },
        Script("A child that replies to PING keeps its link", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            try await talk.pause(60_000)
            try talk.check((14...15).contains(kid.pingCount), "a PING every 4 s")
            try talk.showsOrigin(id, reachable: true)
        },
        Script("A child that says BYE is out of reach, and back with its next frame") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            kid.say("BYE", "reason: over to second")
            talk.up.accept(
                try await talk.up.hears("PRESENT", "id: \(id)", "reachable: false", in: 2...2))
            try await kid.hearsNothing(for: 100)
            kid.say("PONG", "n: 1")
            talk.up.accept(
                try await talk.up.hears("PRESENT", "id: \(id)", "no reachable", in: 2...2))
        },
        Script("The status says which child is live, lost or has left, and since when", .top) {
            talk in
            let kid = try await talk.child("kid")
            let (gone, left) = (try await talk.child("gone"), try await talk.child("left"))
            let id = try await talk.shown(1, by: kid)
            try await talk.shown(2, by: kid)
            try await talk.answered(id, to: kid)
            kid.ignores = ["ANSWER"]
            gone.repliesToPing = false
            try await talk.pause(14_000)
            left.say("BYE")
            try await talk.pause(1_000)
            let status = try await talk.peer().status()
            func child(_ name: JSONValue) -> JSONValue? {
                status["children"]?.arrayValue?.first { $0["name"] == name }
            }
            func since(_ name: JSONValue) -> Int64 {
                child(name)?["sinceMilliseconds"]?.integerValue ?? -1
            }
            try talk.check(child("kid")?["state"] == "live", "live")
            try talk.check((15_000...16_000).contains(since("kid")), "since its HELLO")
            try talk.check(child("kid")?["open"] == 1, "one is open")
            try talk.check(child("kid")?["answered"] == 1, "one is answered")
            try talk.check(child("gone")?["state"] == "lost", "lost")
            try talk.check((2_000...4_000).contains(since("gone")), "since 12 s of silence")
            try talk.check(child("left")?["state"] == "left", "left")
            try talk.check((1_000...1_100).contains(since("left")), "since its BYE")
            try talk.check(status["open"] == 1, "one is open in all")
            try talk.check(status["counters"]?["presentedBelow"] == 2, "two were presented")
            try talk.check(status["counters"]?["answeredBelow"] == 1, "one was answered")
            try talk.check(status["counters"]?["settledBelow"] == 0, "none is settled")
        },
        Script("A child is forgotten ten minutes after its loss", .top) { talk in
            let kid = try await talk.child("kid")
            kid.say("BYE")
            let peer = try await talk.peer()
            try await talk.pause(599_900)
            try talk.check(
                try await peer.status()["children"]?.arrayValue?.count == 1, "not sooner")
            try await talk.pause(200)
            try talk.check(try await peer.status()["children"] == [], "no child is left")
        },
        Script("A child lost for 60 s is abandoned: PRESENT reopens, AWAIT gets 404", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            kid.say("BYE")
            try await talk.pause(1)
            try talk.showsOrigin(id, reachable: false)
            try await talk.desk.hides(id, in: 60_000...60_000)
            kid.await(id)
            try await kid.hears("REJECT", "id: \(id)", "code: 404", "no retry-ms")
            kid.present(id)
            try await talk.desk.shows(id)
            try talk.showsOrigin(id, reachable: true)
            try await kid.hears("ACCEPTED", "attempt: 2", in: 40...52)
            try await kid.hears("PENDING", "state: presented")
            try await talk.answered(id, to: kid)
        },
        Script("What is abandoned is withdrawn above 2 s later, with the reason abandoned") {
            talk in
            try await talk.up.isLinked()
            talk.up.ignores = ["AWAIT"]
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            kid.say("BYE")
            talk.up.accept(try await talk.up.hears("PRESENT", "reachable: false"))
            try await talk.up.hears(
                "WITHDRAW", "id: \(id)", "reason: abandoned", "no origin", in: 62_000...62_000)
            talk.up.say("WITHDRAWN", "id: \(id)")
            talk.up.say("PENDING", "id: \(id)", "state: presented", "by: up")
            kid.present(id)
            talk.up.accept(try await talk.up.hears("PRESENT", "no reachable", in: 2...2))
            try await kid.hears("ACCEPTED", "id: \(id)", in: 40...52)
            try await kid.hearsNothing(for: 100)
        },
        Script("What is abandoned and presented again within 2 s is not withdrawn above") { talk in
            try await talk.up.isLinked()
            talk.up.ignores = ["AWAIT"]
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid, "left-ms: 90000")
            talk.up.say("PENDING", "id: \(id)", "state: claimed", "by: ann")
            try await kid.hears("PENDING", "state: claimed", "by: ann")
            kid.say("BYE")
            talk.up.accept(try await talk.up.hears("PRESENT", "reachable: false"))
            try await talk.up.hearsNothing(for: 61_000)
            kid.present(id, "left-ms: 500000")
            let said = try await talk.up.hears("PRESENT", "id: \(id)", "no reachable", in: 2...2)
            try talk.check((Int(said["left-ms"] ?? "") ?? 0) >= 499_999, "a new deadline counts")
            talk.up.accept(said)
            try await kid.hears("ACCEPTED", in: 40...52)
            try await talk.up.hearsNothing(for: 10_000)
        },
        Script("An entry that no child has asked for in 3 minutes is abandoned", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            try await talk.desk.hides(id, in: 179_940...180_000)
            kid.await(id)
            try await kid.hears("REJECT", "id: \(id)", "code: 404")
        },
        Script("AWAIT begins the lease anew, and gets the state with its age", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            try await talk.pause(100_000)
            kid.await(id)
            let said = try await kid.hears("PENDING", "id: \(id)", "state: presented", in: 2...2)
            try talk.check((Int(said["since-ms"] ?? "") ?? 0) >= 100_000, "it has an age")
            try await talk.desk.hides(id, in: 179_990...180_000)
        },
        Script("The lease stands still while the child is out of reach", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            try await talk.pause(150_000)
            kid.say("BYE")
            try await talk.pause(40_000)
            try await kid.isServed()
            try talk.showsOrigin(id, reachable: true)
            try await talk.desk.hides(id, in: 29_900...30_000)
        },
        Script("Of a connection that is gone SETTLED counts, and PRESENT is dropped", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            let answer = try await talk.answered(id, to: kid)
            kid.say("PING", "n: 1")
            kid.present(talk.id(2))
            kid.send(["EB1", "NONSENSE", "", ""])
            kid.settle(id, answer, "recovered")
            kid.closeOnceSent()
            try await talk.desk.seesNothing(for: 100)
            try talk.check(talk.notebook.result(of: id) == .recovered, "it is on record")
            let status = try await talk.peer().status()
            try talk.check(status["dropped"]?["lostLink"] == 1, "the PRESENT is counted")
            try talk.check(status["children"]?.arrayValue?.first?["state"] == "lost", "it is lost")
        },
        Script("A connection that is gone is noticed when something is sent on it", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            kid.close()
            try await talk.pause(100)
            try talk.showsOrigin(id, reachable: true)
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            let status = try await talk.peer().status()
            try talk.check(status["children"]?.arrayValue?.first?["state"] == "lost", "it is lost")
            try await kid.connect()
            kid.greet()
            try await kid.hears("WELCOME")
            try await kid.hears("ANSWER", "id: \(id)", in: 0...1)
        },
        Script("A new life of a child leaves what the former one asked out of reach", .top) {
            talk in
            let kid = try await talk.child("kid")
            let (id, other) = (try await talk.shown(1, by: kid), try await talk.shown(2, by: kid))
            kid.close()
            let again = try await talk.child("kid", boot: "02")
            try talk.showsOrigin(id, reachable: false)
            try await talk.joins(id, by: again)
            try talk.showsOrigin(id, reachable: true)
            try talk.showsOrigin(other, reachable: false)
            try await talk.desk.hides(other, in: 59_000...60_000)
            try await talk.answered(id, to: again)
        },
    ]
}
