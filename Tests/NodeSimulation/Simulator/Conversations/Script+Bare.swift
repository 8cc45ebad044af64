import ErrorBus

// Programs that send one frame of JSON and get one back: section 14 of docs/wire.md.
extension Script {
    static let bare: [Script] = bareAnswers + bareRefusals + bareDeadlines + bareRelayed

    private static let bareAnswers: [Script] = [
        Script("A bare client gets all eight keys of its answer, and no further one", .top) {
            talk in
            let client = try await talk.peer("client")
            client.send([talk.request(1)])
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.origin == .bare && prompt.path == [.bare], "the path is bare")
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            let reply = try await client.hearsBare(
                "\"id\":\"\(talk.id(1))\"", #""outcome":"answered""#, #""option":"retry""#,
                #""didRecover":null"#, #""reason":"answered""#, #""by":"ann""#,
                #""via":"person""#, #""code":null"#)
            for key in ["values", "second", "comment"] {
                try talk.check(!reply.contains("\"\(key)\""), "the reply has no \(key)")
            }
            try await talk.pause(50)
            try talk.check(talk.notebook.result(of: talk.id(1)) == .unknown, "settled as unknown")
            client.send([talk.request(1)])
            let again = try await client.hearsBare()
            try talk.check(again == reply, "the same one again gets the same answer")
        },
        Script("A bare client without options gets OK", .top) { talk in
            let client = try await talk.peer("client")
            client.send([" \n" + talk.request(1, options: "") + "\t"])
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.report.options.map(\.id) == ["ok"], "OK is offered")
            try talk.desk.answer(talk.id(1), "ok")
            try await talk.desk.hides(talk.id(1))
            try await client.hearsBare(
                #""option":"ok""#, #""outcome":"answered""#, #""reason":"answered""#,
                #""didRecover":null"#)
        },
        Script("A bare client gets its values, its secrets and the comment", .top) { talk in
            let client = try await talk.peer("client")
            let fields = """
                {"id": "retry", "title": "Retry", "fields": [
                {"name": "count", "label": "Count", "kind": "number", "default": 3},
                {"name": "pin", "label": "PIN", "kind": "secret", "required": true}]}
                """
            client.send([talk.request(1, options: fields)])
            try await talk.desk.shows(talk.id(1))
            try talk.desk.refuses("an answer without a secret") {
                _ = try talk.desk.inbox.answer(talk.id(1), option: "retry", by: "ann")
            }
            _ = try talk.desk.inbox.answer(
                talk.id(1), option: "retry", by: "ann", values: ["pin": "4711"],
                comment: "The disk is full.")
            try await talk.desk.hides(talk.id(1))
            try await client.hearsBare(
                #""count":3"#, #""pin":"4711""#, #""comment":"The disk is full.""#)
            let kept = talk.notebook.answer(to: talk.id(1))
            try talk.check(kept?.lacksSecrets == true, "the journal has no secret")
            try talk.check(kept?.comment == "The disk is full.", "the journal has the comment")
        },
        Script("A client without an id gets one that the hop makes", .top) { talk in
            let client = try await talk.peer("client")
            client.send([Talk.report()])
            try await talk.pause(20)
            guard let (_, prompt, _) = await talk.desk.seen.next(within: 100) else {
                throw Misspoken(description: "people see nothing")
            }
            try talk.desk.answer(prompt.id, "skip")
            try await talk.desk.hides(prompt.id)
            try await client.hearsBare("\"id\":\"\(prompt.id)\"", #""option":"skip""#)
        },
        Script("Of two requests under one id the first gets 409, the other report too", .top) {
            talk in
            let client = try await talk.peer("client")
            let again = try await talk.peer("again")
            let other = try await talk.peer("other")
            client.send([talk.request(1)])
            try await talk.desk.shows(talk.id(1))
            again.send([talk.request(1)])
            try await client.hearsBare(#""outcome":"rejected""#, #""code":409"#)
            other.send([talk.request(1, #""severity": "info""#)])
            try await other.hearsBare(
                #""outcome":"rejected""#, #""code":409"#, "\"id\":\"\(talk.id(1))\"")
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await again.hearsBare(#""option":"retry""#)
        },
        Script("A user cancellation of a bare client is withheld", .top) { talk in
            let client = try await talk.peer("client")
            client.send([
                """
                {"domain": "NSCocoaErrorDomain", "code": 3072, "description": "Cancelled."}
                """
            ])
            try await client.hearsBare(
                #""outcome":"withheld""#, #""reason":"userCancelled""#, #""didRecover":false"#,
                #""option":null"#, #""code":null"#)
        },
    ]

    /// What the one frame is, and what the reason has to name.
    private static let malformed: [(frame: String, reason: String)] = [
        ("[]", "array"), ("hello", "reason"), ("", "reason"),
        ("\u{FEFF}" + Talk.report(), "reason"),
        (#"{"domain": "d"}"#, "description"),
        (Talk.report(#""id": 7"#), "id is not a string"),
        (Talk.report(#""id": "seven""#), "seven"),
        (Talk.report(#""code": 7"#), "code"),
    ]

    private static let bareRefusals: [Script] = [
        Script("One frame of anything else gets 400, without an id", .top) { talk in
            let client = try await talk.peer("client")
            for (frame, reason) in malformed {
                client.send([frame])
                try await client.hearsBare(
                    #""id":null"#, #""outcome":"rejected""#, #""option":null"#,
                    #""didRecover":null"#, #""by":null"#, #""via":null"#, #""code":400"#, reason)
            }
        },
        Script("What a bare request may not ask for gets 400 with its id", .top) { talk in
            let client = try await talk.peer("client")
            for more in [
                #""deadlineMilliseconds": 86400001"#, #""deadlineMilliseconds": -1"#,
                #""deadlineMilliseconds": 1.5"#, #""deadlineMilliseconds": "9""#,
                #""onExpiry": "wait""#,
            ] {
                client.send([talk.request(1, more)])
                try await client.hearsBare(
                    "\"id\":\"\(talk.id(1))\"", #""outcome":"rejected""#, #""code":400"#)
            }
            let needy = """
                {"id": "retry", "title": "Retry", "fields": [
                {"name": "word", "label": "Word", "kind": "text", "required": true}]}
                """
            client.send([talk.request(1, #""onExpiry": "retry""#, options: needy)])
            try await client.hearsBare("\"id\":\"\(talk.id(1))\"", #""code":400"#, "word")
        },
        Script("A bare request above the limit of a payload gets 413", .top) { talk in
            let client = try await talk.peer("client")
            let filler = 262_144 - talk.request(1, #""helpAnchor": """#).utf8.count
            let most = String(repeating: "x", count: filler)
            client.send([talk.request(1, "\"helpAnchor\": \"\(most)x\"")])
            try await client.hearsBare(#""id":null"#, #""outcome":"rejected""#, #""code":413"#)
            client.send([talk.request(1, "\"helpAnchor\": \"\(most)\"")])
            try await talk.desk.shows(talk.id(1))
        },
    ]

    private static let bareDeadlines: [Script] = [
        Script("A bare client gets its declared option at its deadline", .top) { talk in
            let client = try await talk.peer("client")
            client.send([
                talk.request(1, #""deadlineMilliseconds": 500"#, #""onExpiry": "skip""#)
            ])
            let prompt = try await talk.desk.shows(talk.id(1))
            try talk.check(prompt.report.onExpiry == "skip", "the prompt shows it")
            try await talk.desk.hides(talk.id(1), in: 450...510)
            try await client.hearsBare(
                #""outcome":"answered""#, #""option":"skip""#, #""reason":"answered""#,
                #""by":"hop""#, #""via":"expiry""#, #""didRecover":null"#, #""code":null"#)
            try talk.check(talk.notebook.ending(of: talk.id(1)) == .expired, "recorded as over")
        },
        Script("A bare client that declares nothing for its deadline gets: expired", .top) { talk in
            let client = try await talk.peer("client")
            client.send([talk.request(1, #""deadlineMilliseconds": 500"#)])
            try await talk.desk.shows(talk.id(1))
            try await talk.desk.hides(talk.id(1), in: 450...510)
            try await client.hearsBare(
                #""outcome":"expired""#, #""option":null"#, #""via":"expiry""#,
                #""didRecover":false"#, #""reason":"expired""#, #""by":"hop""#)
        },
        Script("A bare client without any time gets its declared option, else 408", .top) { talk in
            let client = try await talk.peer("client")
            client.send([talk.request(1, #""deadlineMilliseconds": 0"#, #""onExpiry": "skip""#)])
            try await client.hearsBare(#""option":"skip""#, #""via":"expiry""#, #""code":null"#)
            client.send([talk.request(2, #""deadlineMilliseconds": 0"#)])
            try await client.hearsBare(#""outcome":"expired""#, #""code":408"#)
        },
        Script("A bare client may wait for a day, and by default for ten minutes", .top) { talk in
            let client = try await talk.peer("client")
            let other = try await talk.peer("other")
            client.send([talk.request(1, #""deadlineMilliseconds": 86400000"#)])
            try await talk.desk.shows(talk.id(1))
            other.send([talk.request(2)])
            try await talk.desk.shows(talk.id(2))
            try await talk.desk.hides(talk.id(2), in: 599_900...600_010)
            try await other.hearsBare(#""outcome":"expired""#)
            try await client.hearsNothing(for: 1_000)
            try talk.desk.answer(talk.id(1))
            try await talk.desk.hides(talk.id(1))
            try await client.hearsBare(#""option":"retry""#)
        },
    ]

    private static let bareRelayed: [Script] = [
        Script("A hop is the origin's end of the protocol for a bare client") { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            client.send([talk.request(1, #""deadlineMilliseconds": 60000"#)])
            let present = try await talk.up.takes(
                talk.id(1), "origin: bare", "path: bare,hop", "attempt: 1", "no retry-of")
            let left = UInt64(present["left-ms"] ?? "") ?? 0
            try talk.check((59_900...60_000).contains(left), "left-ms: \(left)")
            try talk.check(
                present["digest"] == Talk.digest(present.payload), "the digest of what goes up")
            try talk.check(
                !present.payload.contains("deadlineMilliseconds")
                    && !present.payload.contains("\(talk.id(1))"), "without the request's keys")
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await client.hearsBare(#""option":"retry""#, #""didRecover":null"#)
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: unknown")
        },
        Script("A bare client reads that a node above handled its error") { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            client.send([talk.request(1)])
            try await talk.up.takes(talk.id(1))
            talk.up.say(
                "ANSWER", "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: rule",
                "via: handler", "did-recover: true", "reason: handled")
            try await client.hearsBare(
                #""outcome":"handled""#, #""option":null"#, #""didRecover":true"#,
                #""reason":"handled""#, #""by":"rule""#, #""via":"handler""#)
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: recovered")
            client.send([talk.request(2)])
            try await talk.up.takes(talk.id(2))
            talk.up.say(
                "ANSWER", "id: \(talk.id(2))", "answer: \(talk.id(8))", "by: ann",
                "via: person", "option: login", "did-recover: false", "second: bob",
                payload: #"{"values":{"a":1},"comment":"Why."}"#)
            let reply = try await client.hearsBare(
                #""outcome":"answered""#, #""option":"login""#, #""didRecover":false"#,
                #""second":"bob""#, #""comment":"Why.""#)
            try talk.check(!reply.contains("values"), "the values are not the client's")
            try await talk.up.hears("SETTLED", "answer: \(talk.id(8))", "result: failed")
        },
        Script("A bare client reads a refusal from above, its code and its words") { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            for (number, code, outcome) in [
                (1, 482, "rejected"), (2, 400, "rejected"), (3, 408, "expired"),
            ] {
                client.send([talk.request(number)])
                try await talk.up.takes(talk.id(number))
                talk.up.say(
                    "REJECT", "id: \(talk.id(number))", "code: \(code)", "reason: it is so")
                try await client.hearsBare(
                    "\"outcome\":\"\(outcome)\"", "\"code\":\(code)", #""reason":"it is so""#,
                    "\"id\":\"\(talk.id(number))\"", #""didRecover":null"#)
            }
        },
        Script("An option that a bare client did not offer is invalid") { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            client.send([talk.request(1)])
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), "wait", as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: invalid")
            try await client.hearsBare(#""reason":"noAttempter""#, #""didRecover":false"#)
        },
        Script("A bare client whose values are missing gets no option to run") { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            let needy = """
                {"id": "retry", "title": "Retry", "fields": [
                {"name": "word", "label": "Word", "kind": "text", "required": true}]}
                """
            client.send([talk.request(1, options: needy)])
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: invalid")
            try await client.hearsBare(#""didRecover":false"#)
        },
        Script("A bare client gets no option to run that one person chose for two") { talk in
            try await talk.up.isLinked()
            let client = try await talk.peer("client")
            let forTwo = #"{"id": "retry", "title": "Retry", "twoPeople": true}"#
            client.send([talk.request(1, options: forTwo)])
            try await talk.up.takes(talk.id(1))
            talk.up.answer(talk.id(1), as: talk.id(9))
            try await talk.up.hears("SETTLED", "answer: \(talk.id(9))", "result: invalid")
            try await client.hearsBare(#""didRecover":false"#)
        },
        Script("A bare client of a node that stops gets 503", .top) { talk in
            let client = try await talk.peer("client")
            client.send([talk.request(1)])
            try await talk.desk.shows(talk.id(1))
            talk.stop()
            try await client.hearsBare(#""outcome":"rejected""#, #""code":503"#)
            try await talk.desk.hides(talk.id(1))
            try talk.check(talk.notebook.ending(of: talk.id(1)) == nil, "it has not ended")
        },
    ]
}
