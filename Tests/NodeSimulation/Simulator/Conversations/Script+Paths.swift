import ErrorBus

// Several children that ask for one presentation: rule 11 of section 8 of docs/wire.md.
extension Script {
    static let paths: [Script] = [
        Script("The child that asked last gets the answer, another when it asks", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            let answer = try await talk.answered(id, to: two)
            try await one.hearsNothing(for: 500)
            one.await(id)
            try await one.hears("ANSWER", "answer: \(answer)", "option: retry", in: 2...2)
            two.settle(id, answer, "recovered")
            one.await(id)
            try await one.hears("ANSWER", "answer: \(answer)", "did-recover: true", in: 2...2)
            try await one.hearsNothing(for: 2_000)
        },
        Script("A path that takes over within 50 ms leaves the former one its ACCEPTED", .top) {
            talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = talk.id(1)
            one.present(id, origin: "kid")
            try await talk.desk.shows(id)
            two.present(id, origin: "kid")
            try await one.hears("ACCEPTED", "attempt: 1", in: 2...2)
            try await one.hears("PENDING", "state: presented", in: 0...0)
            try await two.hears("ACCEPTED", "attempt: 1", in: 0...0)
            try await two.hears("PENDING", "state: presented", in: 0...0)
            try await one.hearsNothing(for: 200)
        },
        Script("Changes of the state go to the child that gets the answer, others ask") { talk in
            try await talk.up.isLinked()
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.relayed(by: one, origin: "kid")
            two.present(id, origin: "kid")
            try await two.hears("ACCEPTED", in: 2...2)
            talk.up.say("PENDING", "id: \(id)", "state: queued", "by: up")
            try await two.hears("PENDING", "state: queued", "by: up", in: 2...2)
            one.await(id)
            try await one.hears("PENDING", "state: queued", "by: up", in: 2...2)
            try await talk.passedDown(id, to: two)
        },
        Script("PRESENT with reachable: false takes no other child's place", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid", "reachable: false")
            try talk.showsOrigin(id, reachable: true)
            try await talk.answered(id, to: one)
            two.present(id, ["reachable: false"], origin: "kid")
            try await two.hears("ANSWER", "option: retry", in: 2...2)
            try await one.hears("ANSWER", in: 900...1_250)
        },
        Script("The prompt shows that the only path has lost the origin, until it has it", .top) {
            talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(by: rel, origin: "kid", "reachable: false")
            try talk.showsOrigin(id, reachable: false)
            try await talk.joins(id, by: rel, origin: "kid")
            try talk.showsOrigin(id, reachable: true)
            try await talk.joins(id, by: rel, origin: "kid", "reachable: false")
            try talk.showsOrigin(id, reachable: false)
            rel.say("BYE")
            rel.await(id)
            try await rel.hears("PENDING")
            try talk.showsOrigin(id, reachable: false)
        },
        Script("A child that loses the origin leaves its place to the path that has it", .top) {
            talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid", "reachable: false")
            try talk.showsOrigin(id, reachable: true)
            let answer = try await talk.answered(id, to: one)
            one.present(id, ["reachable: false"], origin: "kid")
            try await one.hears("ANSWER", "answer: \(answer)", in: 2...2)
            try await two.hearsNothing(for: 500)
        },
        Script("A lost child leaves its place to the last path that is live", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let (three, four) = (try await talk.child("three"), try await talk.child("four"))
            let id = try await talk.shown(by: one, origin: "kid")
            for child in [two, three, four] {
                try await talk.joins(id, by: child, origin: "kid")
            }
            four.say("BYE")
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: true)
            let answer = try await talk.answered(id, to: three)
            three.say("BYE")
            try await two.hears("ANSWER", "answer: \(answer)", in: 2...2)
            two.say("BYE")
            try await one.hears("ANSWER", "answer: \(answer)", in: 2...2)
            one.settle(id, answer, "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "it is on record")
        },
        Script("Only the last path that gives up ends the prompt", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            two.withdraw(id, "abandoned")
            try await two.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try talk.showsOrigin(id, reachable: true)
            two.await(id)
            try await two.hears("REJECT", "id: \(id)", "code: 403", "no retry-ms", in: 2...2)
            try await talk.joins(id, by: two, origin: "kid")
            one.withdraw(id, "abandoned")
            try await one.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await talk.desk.seesNothing(for: 100)
            two.say("BYE")
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: false)
            try await two.isServed()
            two.withdraw(id, "abandoned")
            try await two.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await talk.desk.hides(id)
        },
        Script("WITHDRAW by the origin counts from every path", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            one.withdraw(id)
            try await one.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await talk.desk.hides(id)
            two.await(id)
            try await two.hears("WITHDRAWN", "id: \(id)", in: 2...2)
        },
        Script("Where the asker sends unknown or invalid, the answer goes to another path", .top) {
            talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            for (number, result) in ["unknown", "invalid"].enumerated() {
                let id = try await talk.shown(number, by: one, origin: "kid")
                try await talk.joins(id, by: two, origin: "kid")
                let answer = try await talk.answered(id, to: two)
                two.settle(id, answer, result)
                try await one.hears("ANSWER", "answer: \(answer)", "no did-recover", in: 2...2)
                try talk.check(talk.notebook.result(of: id) == nil, "no result yet")
                one.settle(id, answer, "failed")
                try await talk.pause(10)
                try talk.check(talk.notebook.result(of: id) == .failed, "the other's result")
            }
            try await one.hearsNothing(for: 5_000)
            try await two.hearsNothing(for: 100)
        },
        Script("The last path that sends unknown or invalid ends it, as invalid if one did", .top) {
            talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(1, by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            let answer = try await talk.answered(id, to: two)
            two.settle(id, answer, "invalid")
            try await one.hears("ANSWER", in: 2...2)
            one.settle(id, answer, "unknown")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .invalid, "one did not know the option")
            let other = try await talk.shown(2, by: one, origin: "kid")
            let last = try await talk.answered(other, to: one)
            one.settle(other, last, "unknown")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: other) == .unknown, "the only one has ended")
        },
        Script("Unknown of a path beside the asker ends that path alone", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            let answer = try await talk.answered(id, to: two)
            one.settle(id, answer, "unknown", origin: "kid")
            try await one.hears("OK", "id: \(id)", in: 2...2)
            try talk.check(talk.notebook.result(of: id) == nil, "no result yet")
            two.withdraw(id, "abandoned")
            try await two.hears("WITHDRAWN")
            try await one.hearsNothing(for: 500)
            two.settle(id, answer, "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "the asker's result")
        },
        Script("A path that is cut off or lost gets the answer once no other can have it", .top) {
            talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid", "reachable: false")
            let answer = try await talk.answered(id, to: one)
            one.settle(id, answer, "unknown")
            try await two.hears("ANSWER", "answer: \(answer)", in: 2...2)
            two.settle(id, answer, "recovered")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "it is on record")
            let other = try await talk.shown(2, by: two, origin: "kid")
            try await talk.joins(other, by: one, origin: "kid")
            two.say("BYE")
            let last = try await talk.answered(other, to: one)
            one.settle(other, last, "unknown")
            try await talk.pause(500)
            try talk.check(talk.notebook.result(of: other) == nil, "it waits for the lost one")
            two.say("PONG", "n: 1")
            try await two.hears("ANSWER", "answer: \(last)", in: 2...2)
        },
        Script("A path that has not asked for 3 minutes takes no place, but for its AWAIT", .top) {
            talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            try await talk.pause(120_000)
            two.await(id)
            try await two.hears("PENDING")
            try await talk.pause(61_000)
            two.say("BYE")
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: false)
            one.await(id)
            try await one.hears("PENDING", "state: presented", in: 2...2)
            try talk.showsOrigin(id, reachable: true)
            try await talk.answered(id, to: one)
        },
        Script("AWAIT of another path takes no place of a child within reach", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            try await talk.pause(100_000)
            one.await(id)
            try await one.hears("PENDING", in: 2...2)
            try await talk.pause(60_000)
            two.await(id)
            try await two.hears("PENDING", in: 2...2)
            try await talk.pause(100_000)
            // Its AWAIT, 160 s ago, is a word of its path.
            two.say("BYE")
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: true)
            try await talk.answered(id, to: one)
        },
        Script("A new life of a child is no path of its former one", .top) { talk in
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.shown(by: one, origin: "kid")
            try await talk.joins(id, by: two, origin: "kid")
            one.close()
            let again = try await talk.child("one", boot: "02")
            two.say("BYE")
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: false)
            try await talk.joins(id, by: again, origin: "kid")
            try talk.showsOrigin(id, reachable: true)
        },
        Script("At most 8 paths are kept beside the asker: the least recent goes", .top) { talk in
            var children: [Speaker] = []
            for number in 1...10 { children.append(try await talk.child("c\(number)")) }
            let id = try await talk.shown(by: children[0], origin: "kid")
            for child in children[1...] { try await talk.joins(id, by: child, origin: "kid") }
            children[0].await(id)
            try await children[0].hears(
                "REJECT", "id: \(id)", "code: 403", "no retry-ms", in: 2...2)
            children[1].await(id)
            try await children[1].hears("PENDING", "id: \(id)", in: 2...2)
        },
        Script("A path other than the origin's own live link gets 403 for its last word", .top) {
            talk in
            let (rel, two) = (try await talk.child("rel"), try await talk.child("two"))
            let id = try await talk.shown(by: rel, origin: "kid")
            let kid = try await talk.child("kid")
            try await talk.joins(id, by: kid)
            rel.withdraw(id)
            try await rel.hears("REJECT", "id: \(id)", "code: 403", "retry-ms: 2000", in: 2...2)
            let answer = try await talk.answered(id, to: kid)
            rel.settle(id, answer, "recovered")
            try await rel.hears("REJECT", "id: \(id)", "code: 403", "retry-ms: 2000", in: 2...2)
            two.settle(id, answer, "recovered", origin: "kid")
            try await two.hears("REJECT", "id: \(id)", "code: 403", "retry-ms: 2000", in: 2...2)
            rel.settle(id, answer, "unknown")
            try await rel.hearsNothing(for: 100)
            try talk.check(talk.notebook.result(of: id) == nil, "no result yet")
            kid.settle(id, answer, "failed")
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .failed, "the origin's result")
        },
        Script("Once it is settled, the word of a former path changes nothing", .top) { talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(by: rel, origin: "kid")
            let answer = try await talk.answered(id, to: rel)
            let kid = try await talk.child("kid")
            kid.present(id)
            try await kid.hears("ANSWER", in: 2...2)
            kid.settle(id, answer, "recovered")
            try await talk.pause(10)
            rel.settle(id, answer, "recovered")
            try await rel.hearsNothing(for: 100)
            rel.withdraw(id)
            try await rel.hears("WITHDRAWN", in: 2...2)
        },
        Script("A child that does not ask may not await, settle or withdraw", .top) { talk in
            let (kid, sib) = (try await talk.child("kid"), try await talk.child("sib"))
            let id = try await talk.shown(by: kid)
            sib.await(id)
            try await sib.hears("REJECT", "id: \(id)", "code: 403", "no retry-ms", in: 2...2)
            sib.withdraw(id)
            try await sib.hears("REJECT", "id: \(id)", "code: 403", "no retry-ms", in: 2...2)
            let answer = try await talk.answered(id, to: kid)
            sib.settle(id, answer, "recovered")
            try await sib.hears("REJECT", "id: \(id)", "code: 403", "no retry-ms", in: 2...2)
            let dropped = try await talk.peer().status()["dropped"]
            try talk.check(dropped?["notTheAsker"] == 3, "all are counted")
            kid.say("BYE")
            sib.settle(id, answer, "recovered", origin: "kid")
            try await sib.hears("OK", "id: \(id)", in: 2...2)
            try await talk.pause(10)
            try talk.check(talk.notebook.result(of: id) == .recovered, "with a digest it counts")
        },
    ]
}
