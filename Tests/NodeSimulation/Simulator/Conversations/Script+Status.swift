import ErrorBus

// What a node says of itself: section 15 of docs/wire.md.
extension Script {
    static let status: [Script] = [
        Script("STATE tells what the node has, without a link and on one", .top) { talk in
            let kid = try await talk.child("kid")
            let peer = try await talk.peer()
            kid.present(talk.id(1))
            try await talk.desk.shows(talk.id(1))
            try await kid.hears("ACCEPTED")
            try await kid.hears("PENDING")
            try await talk.pause(500)
            peer.say("STATUS")
            let state = try await peer.hears("STATE")
            for piece in [
                #""node":"hop""#, #""open":1"#, #""presentedBelow":1"#, #""answeredBelow":0"#,
                #""name":"kid""#, #""state":"live""#, #""answered":0"#, #""childrenLeftOut":0"#,
                #""parents":[]"#, #""faults":[]"#,
            ] {
                try talk.check(state.payload.contains(piece), "\(piece) in \(state.payload)")
            }
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            let answer = try await kid.hears("ANSWER")["answer"] ?? ""
            kid.say("STATUS")
            let answered = try await kid.hears("STATE").payload
            try talk.check(
                answered.contains(#""open":0"#) && answered.contains(#""answered":1"#)
                    && answered.contains(#""answeredBelow":1"#), answered)
            kid.say("SETTLED", "id: \(talk.id(1))", "answer: \(answer)", "result: recovered")
            kid.say("STATUS")
            let settled = try await kid.hears("STATE").payload
            try talk.check(settled.contains(#""settledBelow":1"#), settled)
            kid.say("BYE")
            try await talk.pause(20)
            peer.say("STATUS")
            let left = try await peer.hears("STATE").payload
            try talk.check(left.contains(#""state":"left""#), left)
        },
        Script("More than 20 STATUS in a second get 429 with the rest of the second") { talk in
            let peer = try await talk.peer()
            let other = try await talk.peer("other")
            for _ in 1...20 { peer.say("STATUS") }
            for _ in 1...20 { try await peer.hears("STATE") }
            other.say("STATUS")
            let refusal = try await other.hears("REJECT", "code: 429", "no id")
            let retry = UInt64(refusal["retry-ms"] ?? "") ?? 0
            try talk.check((900...1_000).contains(retry), "retry-ms: \(retry)")
            try await talk.pause(retry + 5)
            other.say("STATUS")
            try await other.hears("STATE")
        },
        Script("STATE has the refusals sent and got, and what was dropped") { talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.say("AWAIT", "id: \(talk.id(1))")
            try await kid.hears("REJECT", "code: 404")
            kid.say("WITHDRAWN", "id: \(talk.id(1))")
            try await kid.hears("REJECT", "code: 403")
            kid.send(["EB9", "", "", ""])
            try await kid.hears("REJECT", "code: 505")
            let call = talk.asks(talk.id(2))
            try await talk.up.takes(talk.id(2))
            talk.up.say("REJECT", "id: \(talk.id(2))", "code: 410", "reason: it is gone")
            try await call.ends(.rejected)
            kid.say("STATUS")
            let state = try await kid.hears("STATE").payload
            for piece in [
                #""text":"to kid: 404 no such id""#, #""source":"sent""#,
                #""text":"410 it is gone""#, #""source":"got""#, #""refusedBelow":3"#,
                #""refusedAbove":1"#, #""presentedAbove":1"#, #""malformed":1"#,
                #""wrongDirection":1"#, #""state":"up""#, #""node":"up""#,
            ] {
                try talk.check(state.contains(piece), "\(piece) in \(state)")
            }
        },
        Script("A node that stops refuses STATUS", .top) { talk in
            let peer = try await talk.peer()
            talk.stop()
            try await talk.pause(20)
            peer.say("STATUS")
            try await peer.hears("REJECT", "code: 503", "retry-ms: 1000")
        },
        Script("STATE that was not asked for is dropped") { talk in
            try await talk.up.isLinked()
            talk.up.say("STATE", payload: "{}")
            try await talk.up.hearsNothing(for: 500)
        },
    ]
}
