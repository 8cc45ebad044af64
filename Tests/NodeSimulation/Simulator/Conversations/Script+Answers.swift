import ErrorBus

// Answers on their way down, and their results: sections 7 and 9 of docs/wire.md, and rules 2 to 7
// of section 8.
extension Script {
    static let answers: [Script] = [
        Script("ACCEPTED and the latest state come 50 ms after a new PRESENT, once") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = talk.id(1)
            kid.present(id, ["attempt-was: 6"])
            talk.up.accept(
                try await talk.up.hears("PRESENT", "attempt: 1", "attempt-was: 6", in: 2...2))
            talk.up.say("PENDING", "id: \(id)", "state: queued", "by: up")
            talk.up.say("PENDING", "id: \(id)", "state: presented", "since-ms: 900", "by: desk")
            try await kid.hears("ACCEPTED", "id: \(id)", "attempt: 1", in: 50...50)
            let said = try await kid.hears(
                "PENDING", "state: presented", "by: desk", in: 0...0)
            try talk.check((940...950).contains(Int(said["since-ms"] ?? "") ?? 0), "with its age")
            talk.up.say("PENDING", "id: \(id)", "state: presented", "by: desk")
            try await kid.hearsNothing(for: 100)
            talk.up.say("PENDING", "id: \(id)", "state: presented", "by: desk2")
            try await kid.hears("PENDING", "state: presented", "by: desk2", in: 2...2)
        },
        Script("The ACCEPTED of a later attempt has that attempt", .top) { talk in
            let kid = try await talk.child("kid")
            let id = talk.id(1)
            kid.say(
                "PRESENT",
                ["id: \(id)", "attempt: 7", "origin: kid", "path: kid"], payload: Talk.report)
            try await talk.desk.shows(id)
            try await kid.hears("ACCEPTED", "attempt: 7", in: 45...52)
            try await kid.hears("PENDING")
            kid.present(id)
            try await kid.hears("ACCEPTED", "attempt: 1", in: 2...2)
            try await kid.hears("PENDING", in: 0...0)
        },
        Script("What ends within 50 ms takes the place of ACCEPTED and PENDING") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, verb) in ["ANSWER", "REJECT", "WITHDRAWN"].enumerated() {
                let id = talk.id(number)
                kid.present(id)
                try await talk.up.hears("PRESENT", "id: \(id)")
                talk.up.say("PENDING", "id: \(id)", "state: presented", "by: desk")
                switch verb {
                case "ANSWER": talk.up.answer(id, as: talk.id(9))
                case "REJECT": talk.up.say("REJECT", "id: \(id)", "code: 410", "reason: lost")
                default:
                    kid.withdraw(id)
                    try await talk.up.hears("WITHDRAW", "id: \(id)", "reason: origin")
                    talk.up.say("WITHDRAWN", "id: \(id)")
                }
                try await kid.hears(verb, "id: \(id)", in: 0...4)
                if verb == "ANSWER" {
                    kid.settle(id, "\(talk.id(9))", "failed")
                    try await talk.up.hears("SETTLED", "result: failed")
                }
                try await kid.hearsNothing(for: 200)
            }
        },
        Script("A PRESENT without a digest gets one here, and the ANSWER has it") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = talk.id(1)
            kid.present(id)
            let said = try await talk.up.hears("PRESENT", "digest: \(Talk.digest())", "no wait-ms")
            try talk.check(said.payload == Talk.report, "byte for byte")
            talk.up.accept(said)
            try await kid.hears("ACCEPTED")
            try await talk.passedDown(id, to: kid)
            kid.settle(id, "\(talk.id(9))", "recovered")
            try await talk.up.hears("SETTLED", "result: recovered", "no origin", "no digest")
        },
        Script("An ANSWER is sent again after 1, 2, 4, 8, 16, 30 and 30 s, until SETTLED", .top) {
            talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            let answer = try await talk.answered(id, to: kid)
            for seconds: UInt64 in [1, 2, 4, 8, 16, 30, 30] {
                try await kid.hears(
                    "ANSWER", "answer: \(answer)", "option: retry",
                    in: seconds * 1_000...seconds * 1_250)
            }
            kid.settle(id, answer, "failed")
            try await kid.hearsNothing(for: 40_000)
            try talk.check(talk.notebook.result(of: id) == .failed, "it is on record")
        },
        Script("PRESENT and AWAIT for what is answered get the ANSWER at once", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            let answer = try await talk.answered(id, to: kid)
            kid.await(id)
            try await kid.hears("ANSWER", "answer: \(answer)", "option: retry", in: 2...2)
            kid.present(id)
            try await kid.hears("ANSWER", "answer: \(answer)", "option: retry", in: 2...2)
            try await kid.hears("ANSWER", in: 4_000...5_000)
        },
        Script("A new link of the same life gets each unsettled ANSWER at once", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            let answer = try await talk.answered(id, to: kid)
            try await kid.hears("ANSWER", in: 1_000...1_250)
            let again = try await talk.child("kid")
            try await again.hears("ANSWER", "answer: \(answer)", in: 0...1)
            try await again.hears("ANSWER", "answer: \(answer)", in: 4_000...5_000)
            again.settle(id, answer, "recovered")
            let third = try await talk.child("kid")
            try await third.hearsNothing(for: 10_000)
        },
        Script("A new life of a hop gets an ANSWER after the pause that it had come to", .top) {
            talk in
            let rel = try await talk.child("rel")
            let id = try await talk.shown(by: rel, origin: "kid")
            let answer = try await talk.answered(id, to: rel)
            try await rel.hears("ANSWER", in: 1_000...1_250)
            try await rel.hears("ANSWER", in: 2_000...2_500)
            rel.close()
            let again = try await talk.peer("rel")
            again.greet(boot: "02")
            try await again.hears("WELCOME")
            try await again.hears("ANSWER", "answer: \(answer)", in: 4_000...5_000)
            again.settle(id, answer, "unknown")
            try await talk.pause(100)
            try talk.check(talk.notebook.result(of: id) == .unknown, "it is on record")
        },
        Script("The ANSWER for a lost child waits for its next frame", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(by: kid)
            kid.say("BYE")
            try await talk.pause(10)
            let answer = try talk.desk.answer(id)
            try await talk.desk.hides(id)
            try await kid.hearsNothing(for: 100_000)
            kid.say("PONG", "n: 1")
            try await kid.hears("ANSWER", "answer: \(answer.id)", in: 2...2)
        },
        Script("Delivery is given up 4 minutes after the last word of a lost child") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            let answer = try await talk.passedDown(id, to: kid)
            try await talk.pause(100_000)
            kid.say("BYE")
            try await talk.up.hears(
                "SETTLED", "id: \(id)", "answer: \(answer)", "result: unknown",
                in: 240_000...240_002)
            // Sent again until then, once perhaps as the BYE was under way.
            kid.heard.clear()
            kid.present(id)
            try await kid.hears("ANSWER", "answer: \(answer)", "option: retry", "no did-recover")
            try await kid.hears("ANSWER", "option: retry", in: 1_000...60_000)
            kid.settle(id, answer, "recovered")
            try await talk.up.hears("SETTLED", "answer: \(answer)", "result: recovered")
            talk.up.say("OK", "id: \(id)")
        },
        Script("Delivery to a live child is not given up, however long the attempt takes") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(by: kid)
            let answer = try await talk.passedDown(id, to: kid)
            kid.ignores = ["ANSWER"]
            try await talk.up.hearsNothing(for: 500_000)
            kid.settle(id, answer, "recovered")
            try await talk.up.hears("SETTLED", "result: recovered")
        },
        Script("What is settled gets did-recover, and without its values, for 10 minutes") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            for (number, result) in ["recovered", "failed", "late", "invalid"].enumerated() {
                let id = try await talk.relayed(number, by: kid)
                talk.up.say(
                    "ANSWER",
                    ["id: \(id)", "answer: \(talk.id(9))", "by: ann", "via: person", "option: a"],
                    payload: "{\"comment\": \"Go.\",\"values\":{\"path\":\"/a\"}}")
                let said = try await kid.hears("ANSWER", "id: \(id)", "no did-recover", in: 2...2)
                try talk.check(said.payload.contains("{\"comment\": \"Go.\""), "byte for byte")
                kid.settle(id, "\(talk.id(9))", result)
                try await talk.up.hears("SETTLED", "id: \(id)", "result: \(result)")
                kid.present(id)
                let told = try await kid.hears(
                    "ANSWER", "id: \(id)", "did-recover: \(result == "recovered")", in: 2...2)
                try talk.check(told.payload.contains("Go."), "the comment stays")
                try talk.check(!told.payload.contains("/a"), "the values do not")
            }
            try await talk.pause(599_000)
            kid.await(talk.id(0))
            try await kid.hears("ANSWER", "id: \(talk.id(0))", "did-recover: true")
            try await talk.pause(1_500)
            kid.await(talk.id(0))
            try await kid.hears("REJECT", "id: \(talk.id(0))", "code: 404")
        },
        Script("The first result counts, and what is settled as withdrawn gets WITHDRAWN") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            let id = try await talk.relayed(1, by: kid)
            let answer = try await talk.passedDown(id, to: kid)
            kid.settle(id, answer, "withdrawn")
            try await talk.up.hears("SETTLED", "result: withdrawn")
            kid.settle(id, answer, "recovered", origin: "kid")
            try await kid.hears("OK", "id: \(id)", in: 2...2)
            kid.present(id)
            try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            kid.await(id)
            try await kid.hears("WITHDRAWN", "id: \(id)", in: 2...2)
            try await talk.up.hearsNothing(for: 100)
        },
        Script(
            "Above the limit of undelivered answers the child with the most loses its oldest",
            .relay.made { parts, _ in parts.limits.undeliveredMax = 3 }
        ) { talk in
            try await talk.up.isLinked()
            let (one, two) = (try await talk.child("one"), try await talk.child("two"))
            let id = try await talk.relayed(1, by: two)
            try await talk.passedDown(id, as: 11, to: two)
            for number in [2, 3] {
                let id = try await talk.relayed(number, by: one)
                try await talk.passedDown(id, as: 10 + number, to: one)
            }
            try await talk.up.hearsNothing(for: 100)
            let last = try await talk.relayed(4, by: one)
            talk.up.answer(last, as: talk.id(14))
            try await one.hears("ANSWER", "id: \(last)", in: 2...2)
            try await talk.up.hears(
                "SETTLED", "id: \(talk.id(2))", "answer: \(talk.id(12))", "result: unknown",
                in: 0...0)
            try await talk.up.hearsNothing(for: 100)
            one.settle(talk.id(2), "\(talk.id(12))", "recovered")
            try await talk.up.hears("SETTLED", "id: \(talk.id(2))", "result: recovered")
            talk.up.say("OK", "id: \(talk.id(2))")
        },
    ]
}
