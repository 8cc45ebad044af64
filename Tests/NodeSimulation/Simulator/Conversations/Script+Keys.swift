import ErrorBus

// Links with keys: section 10 of docs/wire.md.
extension Script {
    static let keys: [Script] = [
        Script("A key has its own name, and that with a hyphen unless it stands for itself", .top) {
            talk in
            let key = KeyHolder(
                key: PublicKey(checked: "kid"), name: "kid", reserved: ["kid-a"], isRelay: false)
            let peer = try await talk.peer("peer", key: key)
            for name in ["kidb", "other", "kid-a"] {
                peer.greet(name)
                try await peer.hears("REJECT", "code: 403", "no id", "no retry-ms", in: 2...2)
            }
            peer.greet("kid-b")
            try await peer.hears("WELCOME", in: 2...2)
        },
        Script("A plain key presents for itself alone, and with a path of one name", .top) { talk in
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            kid.present(talk.id(1), origin: "other", path: "kid")
            try await kid.hears(
                "REJECT", "id: \(talk.id(1))", "code: 403", "no retry-ms", in: 2...2)
            kid.present(talk.id(2), path: "other")
            try await kid.hears(
                "REJECT", "id: \(talk.id(2))", "code: 403", "no retry-ms", in: 2...2)
            kid.present(talk.id(3), origin: "kid", path: "kid,kid-1")
            try await kid.hears(
                "REJECT", "id: \(talk.id(3))", "code: 403", "no retry-ms", in: 2...2)
            kid.present(talk.id(4), origin: "kid-1", path: "kid-2")
            try await talk.desk.shows(talk.id(4))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
        },
        Script("A relay's key presents for others, but as the last name of the path", .top) {
            talk in
            let rel = try await talk.child("rel", key: Talk.holder("rel", isRelay: true))
            rel.present(talk.id(1), origin: "kid", path: "kid,other")
            try await rel.hears("REJECT", "id: \(talk.id(1))", "code: 403", in: 2...2)
            rel.present(talk.id(2), origin: "kid", path: "rel")
            try await rel.hears("REJECT", "id: \(talk.id(2))", "code: 403", in: 2...2)
            let id = try await talk.shown(3, by: rel, origin: "kid")
            let answer = try await talk.answered(id, to: rel)
            rel.settle(id, answer, "recovered", origin: "kid")
            try await rel.hears("OK", "id: \(id)", in: 2...2)
        },
        Script("A plain key sends no last word for another origin") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            kid.settle(talk.id(1), "\(talk.id(8))", "recovered", origin: "other")
            try await kid.hears(
                "REJECT", "id: \(talk.id(1))", "code: 403", "no retry-ms", in: 2...2)
            kid.withdraw(talk.id(2), origin: "other")
            try await kid.hears(
                "REJECT", "id: \(talk.id(2))", "code: 403", "no retry-ms", in: 2...2)
            kid.withdraw(talk.id(3), origin: "kid-1")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(3))", in: 2...2)
            try await talk.up.hears("WITHDRAW", "id: \(talk.id(3))", "origin: kid-1")
            talk.up.say("WITHDRAWN", "id: \(talk.id(3))")
            let rel = try await talk.child("rel", key: Talk.holder("rel", isRelay: true))
            rel.settle(talk.id(4), "\(talk.id(8))", "recovered", origin: "other")
            try await rel.hears("OK", in: 2...2)
            try await talk.up.hears("SETTLED", "id: \(talk.id(4))", "origin: other")
            talk.up.say("OK", "id: \(talk.id(4))")
        },
        Script("AWAIT, SETTLED and WITHDRAW count from every program of the key that asked", .top) {
            talk in
            let one = try await talk.peer("one", key: Talk.holder("kid"))
            let two = try await talk.peer("two", key: Talk.holder("kid"))
            let other = try await talk.peer("other", key: Talk.holder("other"))
            let id = talk.id(1)
            one.present(id, origin: "kid", path: "kid")
            try await one.hears("PENDING")
            try await talk.desk.shows(id)
            other.await(id)
            try await other.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            other.withdraw(id)
            try await other.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            two.await(id, wait: 20_000)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await two.hears("ANSWER", "answer: \(answer.id)", in: 2...3)
            other.settle(id, "\(answer.id)", "failed")
            try await other.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
            two.settle(id, "\(answer.id)", "recovered")
            try await two.hears("OK", in: 2...2)
            try talk.check(talk.notebook.result(of: id) == .recovered, "it is on record")
            one.await(id)
            try await one.hears("ANSWER", "id: \(id)", "did-recover: true", in: 2...2)
            other.await(id)
            try await other.hears("REJECT", "id: \(id)", "code: 403", in: 2...2)
        },
        Script("One frame of JSON has the key in its path, and its id belongs to the key") { talk in
            try await talk.up.isLinked()
            let one = try await talk.peer("one", key: Talk.holder("kid"))
            let two = try await talk.peer("two", key: Talk.holder("other"))
            let id = talk.id(1)
            one.send([Talk.bare(id)])
            talk.up.accept(
                try await talk.up.hears("PRESENT", "origin: bare", "path: bare,kid,hop"))
            two.send([Talk.bare(id)])
            try await two.hearsBare("\"code\":409", in: 2...2)
            talk.up.answer(id, as: talk.id(9))
            try await one.hearsBare("\"option\":\"retry\"")
            try await talk.up.hears("SETTLED", "result: unknown")
        },
        Script("A child whose key is revoked loses its link, and its claim on a name", .top) {
            talk in
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            let sib = try await talk.child("sib", key: Talk.holder("sib"))
            sib.repliesToPing = false
            let id = try await talk.shown(by: kid)
            let other = KeyHolder(
                key: PublicKey(checked: "old"), name: "sib", reserved: [], isRelay: false)
            let claimant = try await talk.peer("sib", key: other)
            claimant.greet(boot: "02")
            try await talk.pause(10)
            talk.knows(["sib"])
            try await talk.pause(10)
            try talk.showsOrigin(id, reachable: false)
            try await claimant.hearsNothing(for: 2_500)
            try await sib.isServed()
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await kid.hearsNothing(for: 2_000)
        },
        Script("What a program without a link asks goes with its key", .top) { talk in
            let one = try await talk.peer("one", key: Talk.holder("kid"))
            let two = try await talk.peer("two", key: Talk.holder("other"))
            one.present(talk.id(1), ["wait-ms: 20000"], origin: "kid", path: "kid")
            try await talk.desk.shows(talk.id(1))
            two.present(talk.id(2), ["wait-ms: 20000"], origin: "other", path: "other")
            try await talk.desk.shows(talk.id(2))
            one.send([Talk.bare(talk.id(3))])
            try await talk.desk.shows(talk.id(3))
            talk.knows(["other"])
            try await talk.pause(10)
            try talk.check(talk.desk.seen.unread.count == 2, "two prompts go")
            talk.desk.seen.clear()
            try await one.hearsNothing(for: 100)
            try talk.desk.answer(talk.id(2))
            try await talk.desk.hides(talk.id(2))
            try await two.hears("ANSWER", "id: \(talk.id(2))")
        },
    ]
}

extension Talk {
    /// The node's keys are replaced: it knows these names' from here on.
    func knows(_ names: [NodeName]) {
        guard let own = KeyPair(secret: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6") else { return }
        let known = names.map { ($0, PublicKey(checked: "\($0)")) }
        let keys = LinkKeys(own: own, known: Dictionary(uniqueKeysWithValues: known))
        network.replaced(KeyRing(keys), at: endpoint)
    }
}
