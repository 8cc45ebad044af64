import ErrorBus

// Results and withdrawals from below: rules 4 to 7 and 12 of section 8 of docs/wire.md.
extension Script {
    static let lastWordsBelow: [Script] = [
        Script("A result that ends one path alone leaves another path to the answer") { talk in
            try await talk.up.isLinked()
            let (kid, other) = (try await talk.child("kid"), try await talk.child("other"))
            for (number, result) in ["invalid", "late", "withdrawn"].enumerated() {
                let id = try await talk.relayed(number, by: kid, origin: "far")
                other.settle(id, "\(talk.id(8))", result, origin: "far")
                try await other.hears("OK")
                talk.up.answer(id, as: talk.id(9))
                try await kid.hears("ANSWER", "id: \(id)", "option: retry")
                kid.settle(id, "\(talk.id(9))", "recovered")
                try await talk.up.hears("SETTLED", "id: \(id)", "result: recovered")
            }
        },
        Script("SETTLED of an unknown answer is passed on with its digest, until OK") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let (id, answer) = (talk.id(1), "\(talk.id(8))")
            kid.settle(id, answer, "recovered", origin: "kid")
            try await kid.hears("OK", "id: \(id)", in: 2...2)
            try await talk.up.hears(
                "SETTLED", "id: \(id)", "answer: \(answer)", "result: recovered", "origin: kid",
                "digest: \(Talk.digest())", in: 0...0)
            try await talk.up.hears("SETTLED", "origin: kid", in: 1_000...1_250)
            talk.up.say("OK", "id: \(id)")
            try await talk.up.hearsNothing(for: 5_000)
        },
        Script("SETTLED of an unknown answer goes no further as unknown, or without a digest") {
            talk in
            try await talk.up.isLinked()
            let (kid, peer) = (try await talk.child("kid"), try await talk.peer())
            let (id, answer) = (talk.id(1), "\(talk.id(8))")
            kid.settle(id, answer, "unknown", origin: "kid")
            try await kid.hears("OK", "id: \(id)")
            kid.settle(id, answer, "recovered")
            try await kid.hearsNothing(for: 100)
            peer.settle(id, answer, "recovered")
            try await peer.hears("REJECT", "id: \(id)", "code: 404", "no retry-ms", in: 2...2)
            peer.settle(id, answer, "recovered", origin: "peer")
            try await peer.hears("OK", "id: \(id)")
            try await talk.up.hears("SETTLED", "origin: peer", "result: recovered")
            talk.up.say("OK", "id: \(id)")
        },
        Script("SETTLED recovered or failed for what is open ends it, ANSWER before OK") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, result) in ["recovered", "failed"].enumerated() {
                let id = try await talk.relayed(number, by: kid)
                kid.settle(id, "\(talk.id(8))", result, origin: "kid")
                try await kid.hears(
                    "ANSWER", "id: \(id)", "answer: \(talk.id(8))", "no option",
                    "did-recover: \(result == "recovered")", in: 2...2)
                try await kid.hears("OK", "id: \(id)", in: 0...0)
                try await talk.up.hears(
                    "SETTLED", "id: \(id)", "answer: \(talk.id(8))", "result: \(result)",
                    "origin: kid", "digest: \(Talk.digest())")
                talk.up.say("OK", "id: \(id)")
                try await talk.up.hearsNothing(for: 5_000)
                kid.await(id)
                try await kid.hears("ANSWER", "did-recover: \(result == "recovered")")
            }
        },
        Script("SETTLED unknown for what is open leaves it open") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            kid.settle(id, "\(talk.id(8))", "unknown", origin: "kid")
            try await kid.hears("OK", "id: \(id)")
            try await talk.up.hearsNothing(for: 3_000)
            let answer = try await talk.passedDown(id, to: kid)
            kid.settle(id, answer, "recovered")
            try await talk.up.hears("SETTLED", "answer: \(answer)", "result: recovered")
        },
        Script("People learn the result that another path has brought", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            kid.settle(id, "\(talk.id(8))", "recovered", origin: "kid")
            try await kid.hears("ANSWER", "did-recover: true", "by: hop", "via: handler")
            try await kid.hears("OK", in: 0...0)
            try await talk.desk.hides(id)
            try talk.desk.refuses("an answer") { try talk.desk.answer(id) }
        },
        Script("An answer that is being recorded is late when the origin has ended", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            talk.notebook.latency = 100
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            kid.settle(id, "\(talk.id(8))", "failed", origin: "kid")
            try await kid.hears("ANSWER", "answer: \(talk.id(8))", "did-recover: false")
            try await kid.hears("OK", in: 0...0)
            try await kid.hearsNothing(for: 2_000)
            try talk.check(talk.notebook.result(of: id) == .late, "it is late on record")
        },
        Script("An answer that is being recorded is withdrawn with its origin", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            talk.notebook.latency = 100
            try talk.desk.answer(id)
            try await talk.desk.hides(id)
            kid.withdraw(id, "origin", origin: "kid")
            try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await kid.hearsNothing(for: 2_000)
            try talk.check(talk.notebook.result(of: id) == .withdrawn, "so it is on record")
        },
        Script("An answer that is being recorded as a hop gives up goes down when asked", .top) {
            talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(by: rel, origin: "kid")
            talk.notebook.latency = 100
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            rel.withdraw(id, "abandoned")
            try await rel.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await rel.hearsNothing(for: 2_000)
            talk.notebook.latency = 0
            rel.present(id, origin: "kid")
            try await rel.hears("ANSWER", "answer: \(answer.id)", "option: retry", "no did-recover")
            rel.settle(id, "\(answer.id)", "recovered")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: id) == .recovered, "it is on record")
        },
        Script("WITHDRAW of an unknown id is remembered, and passed on with its digest") { talk in
            try await talk.up.isLinked()
            let (kid, peer) = (try await talk.child("kid"), try await talk.peer())
            let (one, two, three) = (talk.id(1), talk.id(2), talk.id(3))
            kid.withdraw(one, "origin", origin: "kid")
            try await kid.hears("WITHDRAWN", "id: \(one)", in: 2...2)
            try await talk.up.hears(
                "WITHDRAW", "id: \(one)", "reason: origin", "origin: kid",
                "digest: \(Talk.digest())", in: 0...0)
            talk.up.say("WITHDRAWN", "id: \(one)")
            kid.withdraw(two)
            try await kid.hears("WITHDRAWN", "id: \(two)", in: 2...2)
            peer.withdraw(three, "else")
            try await peer.hears("OK", "id: \(three)", in: 2...2)
            for id in [one, two] {
                kid.present(id)
                try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
                kid.await(id)
                try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            }
            peer.present(three)
            try await peer.hears("WITHDRAWN", "id: \(three)", in: 2...2)
            peer.await(two)
            try await peer.hears("REJECT", "id: \(two)", "code: 403")
            try await talk.up.hearsNothing(for: 1_000)
        },
        Script("WITHDRAW abandoned of an unknown id is confirmed and forgotten", .top) { talk in
            let kid = try await talk.child("kid")
            kid.withdraw(talk.id(1), "abandoned")
            try await kid.hears("WITHDRAWN", "id: \(talk.id(1))", in: 2...2)
            try await talk.shown(1, by: kid)
        },
        Script("A withdrawal is final for 10 minutes, and gets WITHDRAWN each time", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            for _ in 1...2 {
                kid.withdraw(id)
                try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            }
            try await talk.desk.hides(id)
            kid.present(id)
            try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await talk.pause(601_000)
            try await talk.shown(by: kid)
        },
        Script("WITHDRAW by the origin settles what is answered as withdrawn") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            let answer = try await talk.passedDown(id, to: kid)
            kid.withdraw(id, "abandoned")
            try await kid.hears("WITHDRAWN", "id: \(id)")
            try await talk.up.hearsNothing(for: 100)
            kid.withdraw(id, "origin", origin: "kid")
            try await kid.hears("WITHDRAWN", "id: \(id)")
            try await talk.up.hears(
                "SETTLED", "answer: \(answer)", "result: withdrawn", in: 0...0)
            try await kid.hearsNothing(for: 3_000)
        },
        Script("WITHDRAW by the origin through a hop leaves the answer to the hop") { talk in
            try await talk.up.isLinked()
            let rel = try await talk.child("rel")
            let (one, two) = (
                try await talk.relayed(1, by: rel, origin: "kid"),
                try await talk.relayed(2, by: rel, origin: "kid")
            )
            let answer = try await talk.passedDown(one, as: 8, to: rel)
            let other = try await talk.passedDown(two, as: 9, to: rel)
            rel.ignores = ["ANSWER"]
            for id in [one, two] {
                rel.withdraw(id, "origin", origin: "kid")
                try await rel.hears("WITHDRAWN", "id: \(id)")
            }
            try await talk.up.hearsNothing(for: 1_000)
            rel.settle(one, answer, "recovered")
            try await talk.up.hears("SETTLED", "id: \(one)", "result: recovered")
            rel.settle(two, other, "unknown")
            try await talk.up.hears("SETTLED", "id: \(two)", "result: withdrawn")
        },
        Script("SETTLED of another answer with its digest settles this one as withdrawn") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            let answer = try await talk.passedDown(id, to: kid)
            kid.settle(id, "\(talk.id(7))", "recovered")
            try await kid.hearsNothing(for: 100)
            kid.settle(id, "\(talk.id(7))", "unknown", origin: "kid")
            try await kid.hears("OK", "id: \(id)")
            try await talk.up.hearsNothing(for: 100)
            kid.settle(id, "\(talk.id(7))", "failed", origin: "kid")
            try await kid.hears("OK", "id: \(id)", in: 2...2)
            try await talk.up.hears(
                "SETTLED", "answer: \(answer)", "result: withdrawn", in: 0...0)
        },
        Script("WITHDRAW by the origin of what was abandoned is passed on") { talk in
            try await talk.up.isLinked()
            let rel = try await talk.child("rel")
            let id = try await talk.relayed(by: rel, origin: "kid")
            rel.withdraw(id, "abandoned")
            try await rel.hears("WITHDRAWN")
            try await talk.up.hears("WITHDRAW", "reason: abandoned", in: 2_000...2_002)
            talk.up.say("WITHDRAWN", "id: \(id)")
            try await talk.up.hearsNothing(for: 1_000)
            rel.withdraw(id, "origin", origin: "kid")
            try await rel.hears("WITHDRAWN")
            try await talk.up.hears(
                "WITHDRAW", "id: \(id)", "reason: origin", "origin: kid",
                "digest: \(Talk.digest())", in: 0...0)
            talk.up.say("WITHDRAWN", "id: \(id)")
            rel.present(id, origin: "kid")
            try await rel.hears("WITHDRAWN", "id: \(id)", in: 2...2)
        },
        Script("A child's answers by another path or with a second one above are late") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            let answer = try await talk.passedDown(id, to: kid)
            talk.up.answer(id, as: talk.id(7))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(7))", "result: late")
            kid.settle(id, answer, "recovered")
            try await talk.up.hears("SETTLED", "answer: \(answer)", "result: recovered")
        },
    ]
}
