import ErrorBus

// What a parent keeps, and for whom: sections 7, 8 and 11 of docs/wire.md.
extension Script {
    static let kept: [Script] = [
        Script(
            "An allowance that was left alone is no more than the whole one",
            Hop.relay.made { parts, _ in parts.limits.lastWordsMax = 2 }
        ) { talk in
            try await talk.up.isLinked()
            talk.up.ignores = ["SETTLED"]
            let kid = try await talk.child("kid", key: Talk.holder("kid"))
            func settle(_ number: Int) {
                kid.settle(talk.id(number), "\(talk.id(0))", "recovered", origin: "kid")
            }
            settle(1)
            try await kid.hears("OK", "id: \(talk.id(1))")
            try await talk.pause(10_000)
            for number in 2...4 { settle(number) }
            try await kid.hears("OK", "id: \(talk.id(2))", in: 2...2)
            try await kid.hears("OK", "id: \(talk.id(3))", in: 0...0)
            try await kid.hears("REJECT", "id: \(talk.id(4))", "code: 429", in: 0...0)
        },
        Script(
            "Of results of one moment the first goes first",
            Hop.top.made { parts, _ in parts.limits.rememberedMax = 2 }
        ) { talk in
            let kid = try await talk.child("kid")
            var answers: [String] = []
            for number in 1...4 {
                let id = try await talk.shown(number, by: kid)
                answers.append(try await talk.answered(id, to: kid))
            }
            for number in 1...4 { kid.settle(talk.id(number), answers[number - 1], "failed") }
            try await talk.pause(10)
            for number in 1...2 {
                kid.await(talk.id(number))
                try await kid.hears("REJECT", "id: \(talk.id(number))", "code: 404", in: 2...2)
            }
            for number in 3...4 {
                kid.await(talk.id(number))
                try await kid.hears("ANSWER", "id: \(talk.id(number))", in: 2...2)
            }
        },
        Script("A result after unknown counts, and then the values are not told again") { talk in
            try await talk.up.isLinked()
            let rel = try await talk.child("rel")
            let id = try await talk.relayed(by: rel, origin: "kid")
            talk.up.say(
                "ANSWER",
                ["id: \(id)", "answer: \(talk.id(9))", "by: ann", "via: person", "option: a"],
                payload: "{\"values\":{\"path\":\"/a\"}}")
            try await rel.hears("ANSWER", in: 2...2)
            rel.settle(id, "\(talk.id(9))", "unknown")
            try await talk.up.hears("SETTLED", "result: unknown")
            rel.settle(id, "\(talk.id(9))", "unknown")
            rel.present(id, origin: "kid")
            let said = try await rel.hears("ANSWER", "option: a", "no did-recover", in: 2...2)
            try talk.check(said.payload.contains("/a"), "the values are for the option")
            rel.settle(id, "\(talk.id(9))", "unknown")
            try await talk.pause(100)
            talk.up.heard.clear()
            rel.settle(id, "\(talk.id(9))", "recovered")
            try await talk.up.hears("SETTLED", "result: recovered")
            talk.up.say("OK", "id: \(id)")
            rel.present(id, origin: "kid")
            let told = try await rel.hears("ANSWER", "did-recover: true", in: 2...2)
            try talk.check(!told.payload.contains("/a"), "the values are not told again")
        },
        Script("An answer to another report under a withdrawn id is none to this one") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            kid.withdraw(id)
            try await kid.hears("WITHDRAWN")
            try await talk.up.hears("WITHDRAW", "reason: origin")
            talk.up.say("WITHDRAWN", "id: \(id)")
            talk.up.answer(id, as: talk.id(8), "digest: 0000000000000001")
            try await talk.up.hearsNothing(for: 500)
            talk.up.answer(id, as: talk.id(9), "digest: \(Talk.digest())")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: withdrawn")
        },
        Script("A presenter that restarts records a result, but not that a path has ended", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            let answer = try await talk.answered(id, to: kid)
            try await talk.bootAgain()
            let again = try await talk.child("kid")
            again.settle(id, answer, "unknown", origin: "kid")
            try await again.hears("OK", "id: \(id)", in: 2...2)
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: id) == nil, "no result yet")
            again.settle(id, answer, "recovered", origin: "kid")
            try await again.hears("OK", "id: \(id)", in: 2...2)
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: id) == .recovered, "it is on record")
        },
        Script(
            "What the parent carried out for a child that gave up is told when it asks again",
            Hop.top.made { parts, talk in
                parts.journal = nil
                parts.chain = { Adding(following: $0, scheduler: talk.scheduler) }
            }
        ) { talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(by: rel, origin: "kid")
            try talk.desk.answer(id, "login")
            try await talk.desk.hides(id)
            try await talk.pause(1_000)
            rel.withdraw(id, "abandoned")
            try await rel.hears("WITHDRAWN", in: 2...2)
            let said = try await rel.hears("ANSWER", "did-recover: true", in: 3_900...4_000)
            rel.settle(id, said["answer"] ?? "", "unknown")
            try await rel.hearsNothing(for: 10_000)
            rel.present(id, origin: "kid")
            try await rel.hears("ANSWER", "option: login", "did-recover: true", in: 2...2)
            rel.settle(id, said["answer"] ?? "", "recovered")
        },
        Script(
            "A child that is forgotten makes room for its key",
            Hop.top.made { parts, _ in parts.limits.childrenPerKeyMax = 2 }
        ) { talk in
            let key = Talk.holder("kid")
            let (one, two) = (
                try await talk.child("kid-1", key: key), try await talk.child("kid-2", key: key)
            )
            one.say("BYE")
            two.say("BYE")
            try await talk.pause(600_100)
            try await talk.child("kid-3", key: key).isServed()
            try await talk.child("kid-4", key: key).isServed()
            let peer = try await talk.peer("kid-5", key: key)
            peer.greet()
            try await peer.hears("REJECT", "code: 429", in: 2...2)
        },
        Script(
            "Withdrawals that come later stay when many earlier ones are forgotten",
            Hop.top.made { parts, _ in parts.limits.unaskedMax = 10_000 }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.ignores = ["WITHDRAWN"]
            let early = (0..<5_000).map { _ in talk.newID() }
            let late = (0..<760).map { _ in talk.newID() }
            for part in 0..<5 {
                for id in early[(part * 1_000)..<((part + 1) * 1_000)] { kid.withdraw(id) }
                try await talk.pause(1_000)
            }
            try await talk.pause(300_000)
            for id in late { kid.withdraw(id) }
            try await talk.pause(301_000)
            kid.ignores = []
            for id in late {
                kid.present(id)
                try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            }
            kid.await(early[0])
            try await kid.hears("REJECT", "code: 404")
        },
        Script(
            "A node returns memory to the system once after a burst of 1,000",
            Hop.top.made { parts, _ in parts.limits.unaskedMax = 10_000 }
        ) { talk in
            let kid = try await talk.child("kid")
            kid.ignores = ["WITHDRAWN"]
            for _ in 0..<1_000 { kid.withdraw(talk.newID()) }
            try await talk.pause(599_000)
            try talk.check(talk.memoryReturnCount == 0, "none while they are remembered")
            try await talk.pause(2_500)
            try talk.check(talk.memoryReturnCount == 1, "\(talk.memoryReturnCount) returns")
            try await talk.pause(5_000)
            try talk.check(talk.memoryReturnCount == 1, "\(talk.memoryReturnCount) returns")
        },
        Script("Messages of 4096 bytes and fewer are not counted as large") { talk in
            try await talk.up.isLinked()
            let peer = try await talk.peer()
            for (number, size) in [255_000, 3_800].enumerated() {
                let id = talk.id(number)
                peer.present(id)
                try await peer.hears("PENDING", "id: \(id)")
                try await talk.up.hears("PRESENT", "id: \(id)")
                let text = String(repeating: "x", count: size)
                talk.up.say(
                    "ANSWER",
                    ["id: \(id)", "answer: \(talk.id(9))", "by: ann", "via: person", "option: a"],
                    payload: "{\"note\":\"\(text)\"}")
                try await talk.pause(10)
            }
            repeat {
                peer.await(talk.id(0))
            } while await peer.heard.next(within: 5)?.verb
                == "ANSWER"
            for _ in 1...200 {
                peer.await(talk.id(1))
                try await peer.hears("ANSWER", "id: \(talk.id(1))", in: 2...2)
            }
        },
    ]
}

/// A responder of the node's own, which adds an option that takes 5 s.
private struct Adding: Responder {
    let following: any Responder
    let scheduler: Scheduler

    var next: (any Responder)? { get async { following } }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        error.addingRecoveryOptions {
            RecoveryOption("Log in", id: "login") { [scheduler] in
                await scheduler.sleep(5_000)
                return true
            }
        }
    }
}
