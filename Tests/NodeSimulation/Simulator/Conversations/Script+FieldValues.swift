import ErrorBus

// Values of an answer: section 20 of docs/wire.md.
extension Script {
    private static let path = """
        {"name": "path", "label": "Path", "kind": "text", "required": true, "minLength": 2,
        "maxLength": 5, "pattern": "/^[a-z/]+$/"}
        """
    private static let kind = """
        {"name": "kind", "label": "Kind", "kind": "choice", "choices": ["red", "blue"],
        "default": "blue"}
        """
    private static let flag = #"{"name": "flag", "label": "Flag", "kind": "boolean"}"#
    private static let pin = """
        {"name": "pin", "label": "PIN", "kind": "secret", "minLength": 4, "required": true}
        """
    private static let name = #"{"name": "name", "label": "Name", "kind": "text"}"#

    /// The answer with these values reaches the child with this payload.
    private static func given(
        _ number: Int, _ talk: Talk, _ kid: Speaker, _ fields: String,
        _ values: [String: JSONValue], _ payload: String, comment: String? = nil,
        line: Int = #line
    ) async throws {
        let id = try await talk.shown(number, by: kid, report: Talk.asking(fields), line: line)
        try talk.desk.inbox.answer(
            id, option: "set", by: "ann", values: values, comment: comment)
        try await talk.desk.hides(id, line: line)
        let said = try await kid.hears("ANSWER", "id: \(id)", "option: set", line: line)
        try talk.check(said.payload == payload, said.payload, line: line)
        kid.say(
            "SETTLED", "id: \(id)", "answer: \(said["answer"] ?? "")", "result: recovered")
        try await talk.pause(5)
    }

    /// None of these values are taken.
    private static func refused(
        _ number: Int, _ talk: Talk, _ kid: Speaker, _ fields: String,
        _ values: [[String: JSONValue]], line: Int = #line
    ) async throws {
        let id = try await talk.shown(number, by: kid, report: Talk.asking(fields), line: line)
        for values in values {
            try talk.desk.refuses(for: \.isBadValue, line: line) {
                try talk.desk.inbox.answer(id, option: "set", by: "ann", values: values)
            }
        }
        try talk.desk.reads(id, \.isOpen, line: line)
        try await talk.withdraws(number, by: kid, line: line)
    }

    /// The node's own option with these fields gets an answer with this payload.
    private static func owner(
        _ talk: Talk, _ payload: String, ends didRecover: Bool?, line: Int = #line
    ) async throws {
        let id = talk.newID()
        let call = talk.asksForValues(id)
        let said = try await talk.up.hears("PRESENT", "id: \(id)", line: line)
        talk.up.say("ACCEPTED", "id: \(id)", "attempt: \(said["attempt"] ?? "")")
        talk.up.say(
            "ANSWER",
            ["id: \(id)", "answer: \(talk.newID())", "by: ann", "via: person", "option: set"],
            payload: payload)
        let result = didRecover == nil ? "invalid" : "recovered"
        try await talk.up.hears("SETTLED", "id: \(id)", "result: \(result)", line: line)
        if didRecover == nil {
            call.cancel()
            _ = await call.outcomes.next(within: 100)
            try await talk.pause(50)
            talk.up.heard.clear()
        } else {
            try await call.ends(.answered, didRecover: true, line: line)
        }
    }

    static let fieldValues: [Script] = [
        Script("A number is within its bounds, whole where it has to be", .top) { talk in
            let kid = try await talk.child("kid")
            try await given(
                1, talk, kid, Talk.count, ["count": .integer(9)], #"{"values":{"count":9}}"#)
            try await given(
                2, talk, kid, Talk.count, ["count": .number(1)], #"{"values":{"count":1}}"#)
            try await refused(
                3, talk, kid, Talk.count,
                [
                    ["count": .integer(10)], ["count": .integer(0)], ["count": .number(1.5)],
                    ["count": .string("3")], ["count": .bool(true)],
                ])
            let any = #"{"name": "count", "label": "Count", "kind": "number"}"#
            try await given(
                4, talk, kid, any, ["count": .number(1.5)], #"{"values":{"count":1.5}}"#)
            try await given(
                5, talk, kid, any, ["count": .integer(1 << 53)],
                #"{"values":{"count":9007199254740992}}"#)
            try await refused(6, talk, kid, any, [["count": .integer(1 << 53 + 1)]])
        },
        Script("A text has its length and its pattern, and is one line", .top) { talk in
            let kid = try await talk.child("kid")
            try await given(
                1, talk, kid, path, ["path": .string("/srv")], #"{"values":{"path":"/srv"}}"#)
            try await refused(
                2, talk, kid, path,
                [
                    ["path": .string("/")], ["path": .string("/srv/x")],
                    ["path": .string("/SRV")], ["path": .integer(3)], [:], ["path": .null],
                ])
            try await refused(
                3, talk, kid, name,
                [
                    ["name": .string("a\nb")], ["name": .string("a\tb")], ["name": .string("")],
                    ["name": .string("e" + String(repeating: "\u{301}", count: 129))],
                ])
            try await given(
                4, talk, kid, name, ["name": .string("Änn")], #"{"values":{"name":"Änn"}}"#)
        },
        Script("A choice is one of its texts, and its default travels", .top) { talk in
            let kid = try await talk.child("kid")
            let both = kind + "," + flag
            try await given(1, talk, kid, both, [:], #"{"values":{"kind":"blue"}}"#)
            try await given(
                2, talk, kid, both, ["kind": .string("red"), "flag": .bool(false)],
                #"{"values":{"flag":false,"kind":"red"}}"#)
            try await refused(
                3, talk, kid, both,
                [["kind": .string("green")], ["kind": .bool(true)], ["flag": .string("true")]])
        },
        Script("A value that belongs to no field is refused", .top) { talk in
            let kid = try await talk.child("kid")
            try await refused(1, talk, kid, name, [["nam": .string("a")]])
            let id = try await talk.shown(2, by: kid)
            try talk.desk.refuses(for: \.isBadValue) {
                try talk.desk.inbox.answer(
                    id, option: "retry", by: "ann", values: ["a": .string("a")])
            }
            try await talk.withdraws(2, by: kid)
        },
        Script("Secrets travel apart, and neither journal nor people keep them", .top) { talk in
            let kid = try await talk.child("kid")
            let both = pin + "," + name
            try await given(
                1, talk, kid, both, ["pin": .string("47\n11"), "name": .string("a")],
                #"{"secrets":{"pin":"47\n11"},"values":{"name":"a"}}"#)
            try talk.desk.reads(talk.id(1)) {
                String(decoding: $0.answer?.extras.payload ?? [], as: UTF8.self)
                    == #"{"values":{"name":"a"},"withheld":["pin"]}"#
            }
            guard case .decided(let answer, _) = talk.notebook.states[talk.id(1)] else {
                return try talk.check(false, "it is on record")
            }
            try talk.check(
                String(decoding: answer.extras.payload, as: UTF8.self)
                    == #"{"values":{"name":"a"},"withheld":["pin"]}"#, "the record")
            try await refused(
                2, talk, kid, both, [["name": .string("a")], ["pin": .string("471")]])
        },
        Script("A held answer has its secrets when it leaves", .top) { talk in
            let kid = try await talk.child("kid")
            let id = try await talk.shown(1, by: kid, report: Talk.asking(pin))
            try talk.desk.inbox.answer(
                id, option: "set", by: "ann", undo: .seconds(2),
                values: ["pin": .string("4711")])
            try await talk.desk.hides(id, in: 1_900...2_100)
            let said = try await kid.hears("ANSWER", "option: set")
            try talk.check(said.payload == #"{"secrets":{"pin":"4711"}}"#, said.payload)
        },
        Script("A comment has no control characters but line breaks, and is cut", .top) { talk in
            let kid = try await talk.child("kid")
            try await given(
                1, talk, kid, name, [:], #"{"comment":"a b\nc"}"#, comment: "a\tb\nc")
            try await given(2, talk, kid, name, [:], "", comment: " \n ")
            let long = String(repeating: "é", count: 1_025)
            try await given(
                3, talk, kid, name, [:], "{\"comment\":\"\(long.dropLast())\"}", comment: long)
            try await given(
                4, talk, kid, name, ["name": .string("n")],
                #"{"comment":"why","values":{"name":"n"}}"#, comment: "why")
        },
        Script("A payload goes down byte for byte, with keys that the relay does not know") {
            talk in
            try await talk.up.isLinked()
            let kid = try await talk.child("kid")
            kid.present(talk.id(1), report: Talk.asking(pin))
            try await talk.up.hears("PRESENT")
            talk.up.say("ACCEPTED", "id: \(talk.id(1))", "attempt: 1")
            try await kid.hears("ACCEPTED")
            let payload = #"{"x": 1, "secrets": {"pin": "4711"}, "comment": 7}"#
            talk.up.say(
                "ANSWER",
                [
                    "id: \(talk.id(1))", "answer: \(talk.id(9))", "by: ann", "via: person",
                    "option: set",
                ], payload: payload)
            let said = try await kid.hears("ANSWER", "option: set")
            try talk.check(said.payload == payload, said.payload)
        },
        Script("An owner takes the default of what it was not given") { talk in
            try await talk.up.isLinked()
            try await owner(talk, #"{"secrets":{"pin":"4711"}}"#, ends: true)
            try talk.check(talk.attempts == ["count: 2, pin: (secret) 4711"], "\(talk.attempts)")
            try await owner(
                talk, #"{"values":{"count":3},"secrets":{"pin":"0815"},"x":[]}"#, ends: true)
            try talk.check(
                talk.attempts.last == "count: 3, pin: (secret) 0815", "\(talk.attempts)")
        },
        Script("An owner attempts nothing for values that are not those of its option") { talk in
            try await talk.up.isLinked()
            let payloads = [
                "", "{}", "[]", "{", #"{"values":{"pin":"4711"}}"#,
                #"{"secrets":{"pin":"4711","count":3}}"#, #"{"secrets":{"pin":"471"}}"#,
                #"{"secrets":{"pin":"4711"},"values":{"count":10}}"#,
                #"{"secrets":{"pin":"4711"},"values":{"x":1}}"#,
                #"{"secrets":{"pin":"4711"},"values":[]}"#,
                #"{"secrets":{"pin":"4711"},"withheld":["pin"]}"#, #"{"withheld":["pin"]}"#,
            ]
            for payload in payloads { try await owner(talk, payload, ends: nil) }
            try talk.check(talk.attempts.isEmpty, "\(talk.attempts)")
        },
    ]
}

extension Talk {
    /// An error of the node itself, whose option asks for a number and a secret.
    fileprivate func asksForValues(_ id: PresentationID) -> OwnCall {
        let error = Own().recoverable {
            RecoveryOption(
                "Set", id: "set",
                fields: [
                    .number("count", label: "Count", default: 2, in: 1...9, isWhole: true),
                    .secret("pin", label: "PIN", length: 4...9),
                ]
            ) { [self] values in
                attempts.append("\(values) \(values.text("pin") ?? "")")
                return true
            }
        }
        return asks(id, of: error)
    }

    private struct Own: Error {}
}
