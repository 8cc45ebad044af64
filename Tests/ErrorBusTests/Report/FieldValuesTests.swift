import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Values of fields")
struct FieldValuesTests {
    private static let fields: [ErrorReport.Field] = [
        .text("path", label: "Path", length: 2...4, pattern: "/*"),
        .number("count", label: "Count", isRequired: false, in: 1...10, isWhole: true),
        .number("ratio", label: "Ratio", isRequired: false, default: 0.5),
        .choice("mode", label: "Mode", among: ["fast", "safe"], isRequired: false),
        .boolean("force", label: "Force", default: false),
        .secret("pin", label: "PIN", isRequired: false, length: 4...8),
    ]

    private func checked(_ given: [String: JSONValue]) throws(FieldFault) -> FieldValues {
        try FieldValues(given, for: Self.fields)
    }

    @Test("Each kind arrives typed, with the defaults of what was not given")
    func typed() throws {
        let values = try checked([
            "path": "/ab", "count": 3.0, "ratio": -2, "mode": "safe", "force": true,
            "pin": "12\n34",
        ])
        #expect(values.text("path") == "/ab" && values.text("mode") == "safe")
        #expect(values.integer("count") == 3 && values.number("ratio") == -2)
        #expect(values.boolean("force") == true && values.text("pin") == "12\n34")
        #expect(values["pin"] == .secret("12\n34") && values["mode"] == .choice("safe"))
        #expect(values.number("path") == nil && values.text("count") == nil)
        #expect(values.boolean("path") == nil && values.text("none") == nil)
        let least = try checked(["path": "/a"])
        #expect(least.names == ["force", "path", "ratio"])
        #expect(least.number("ratio") == 0.5 && least.integer("ratio") == nil)
        #expect(least.boolean("force") == false && least["count"] == nil)
        #expect(try checked(["path": "/a", "mode": nil]) == least)
    }

    @Test(
        "What is not a value of its field is refused, with what was found and what is expected",
        arguments: [
            ("path", [:], "no value", "2 to 4 characters in one line that match /*"),
            ("path", ["path": nil], "no value", "2 to 4"),
            ("path", ["path": 3], "3", "2 to 4"),
            ("path", ["path": "/"], "1 characters", "2 to 4"),
            ("path", ["path": "/abcd"], "5 characters", "2 to 4"),
            ("path", ["path": "abc"], "\"abc\"", "that match /*"),
            ("path", ["path": "/\u{7}b"], "a control character", "in one line"),
            ("path", ["path": "/a\n"], "a control character", "in one line"),
            ("count", ["path": "/a", "count": 0], "0", "a whole number from 1 to 10"),
            ("count", ["path": "/a", "count": 11], "11", "from 1 to 10"),
            ("count", ["path": "/a", "count": 1.5], "1.5", "a whole number"),
            ("count", ["path": "/a", "count": "3"], "\"3\"", "a whole number"),
            ("ratio", ["path": "/a", "ratio": true], "true", "a number"),
            (
                "ratio", ["path": "/a", "ratio": 9_007_199_254_740_993], "9007199254740993",
                "number"
            ),
            ("mode", ["path": "/a", "mode": "SAFE"], "\"SAFE\"", "one of fast, safe"),
            ("force", ["path": "/a", "force": "yes"], "\"yes\"", "true or false"),
            ("pin", ["path": "/a", "pin": "hunter2hunter"], "another length", "4 to 8 characters"),
            ("pin", ["path": "/a", "pin": 12345], "an integer", "4 to 8 characters"),
            ("pin", ["path": "/a", "pin": "12\u{1B}34"], "a control character", "4 to 8"),
            ("other", ["path": "/a", "other": 1], "a value of no field", "path, count, ratio"),
        ] as [(String, [String: JSONValue], String, String)])
    func refused(_ field: String, _ given: [String: JSONValue], _ found: String, _ expected: String)
    {
        do throws(FieldFault) {
            _ = try checked(given)
            Issue.record("\(given) was taken")
        } catch {
            #expect(error.field == field)
            #expect(error.found == found || error.found.contains(found))
            #expect(error.expected.contains(expected))
            #expect(!error.description.contains("hunter2"))
        }
    }

    @Test("The length of a secret is not in its refusal")
    func secretLength() {
        let field = ErrorReport.Field.secret("pin", label: "PIN", length: 4...8)
        let faults = ["1", "123", "123456789"].map { text in
            #expect(throws: FieldFault.self) { _ = try field.value(of: .string(text)) }
        }
        #expect(Set(faults.map { $0?.found }) == ["another length"])
    }

    @Test("A secret's text is not in a refusal of its pattern")
    func secretPattern() {
        let field = ErrorReport.Field.secret("pin", label: "PIN", pattern: #"/^\d+$/"#)
        let fault = #expect(throws: FieldFault.self) {
            try FieldValues(["pin": "hunter2"], for: [field])
        }
        #expect(fault?.found == "another text")
    }

    @Test("An option without fields takes no values")
    func noFields() throws {
        #expect(try FieldValues([:], for: []).isEmpty)
        let fault = #expect(throws: FieldFault.self) { try FieldValues(["a": 1], for: []) }
        #expect(fault?.expected == "no values: the option has no fields")
    }

    @Test("A flood of combining marks is refused, as the payload with it would be")
    func marks() throws {
        let field = ErrorReport.Field.text("t", label: "T")
        for (count, isTaken) in [(128, true), (129, false)] {
            let text = "e" + String(repeating: "\u{301}", count: count)
            let values = try? FieldValues(["t": .string(text)], for: [field])
            #expect((values != nil) == isTaken)
        }
    }

    @Test("Null is no value, not even the default")
    func nullIsNoValue() throws {
        let field = ErrorReport.Field.number("n", label: "N", isRequired: false, default: 3)
        #expect(try FieldValues(["n": .null], for: [field]).isEmpty)
        #expect(try FieldValues([:], for: [field]).number("n") == 3)
        let needed = ErrorReport.Field.number("n", label: "N", default: 3)
        #expect(throws: FieldFault.self) { try FieldValues(["n": .null], for: [needed]) }
    }

    @Test("A choice in another spelling of its letters is another text")
    func spelling() {
        let field = ErrorReport.Field.choice("c", label: "C", among: ["caf\u{E9}"])
        #expect(throws: Never.self) { _ = try field.value(of: "caf\u{E9}") }
        #expect(throws: FieldFault.self) { _ = try field.value(of: "cafe\u{301}") }
    }

    @Test("A pattern that cannot be read refuses every value")
    func badPattern() {
        let field = ErrorReport.Field.text("t", label: "T", pattern: "/(/")
        let fault = #expect(throws: FieldFault.self) { try FieldValues(["t": "("], for: [field]) }
        #expect(fault?.found == "a field whose pattern cannot be read")
    }

    @Test("Descriptions and dumps show no secret")
    func hidden() throws {
        let values = try checked(["path": "/ab", "pin": "hunter2"])
        var dumped = ""
        dump(values, to: &dumped)
        dump(values["pin"], to: &dumped)
        let texts = [
            "\(values)", String(reflecting: values), dumped, "\(String(describing: values["pin"]))",
            String(reflecting: values["pin"]),
        ]
        for text in texts { #expect(!text.contains("hunter2")) }
        #expect("\(values)" == "force: false, path: /ab, pin: (secret), ratio: 0.5")
    }

    @Test("A command gets each value as a variable")
    func environment() throws {
        let values = try FieldValues(
            ["new-path": "/a", "n": 3, "pin": "hunter2"],
            for: [
                .text("new-path", label: "P"), .number("n", label: "N"),
                .boolean("b", label: "B", default: true), .secret("pin", label: "PIN"),
                .text("none", label: "None", isRequired: false),
            ])
        #expect(
            values.environment == [
                "ERRORBUS_VALUE_NEW_PATH": "/a", "ERRORBUS_VALUE_N": "3",
                "ERRORBUS_VALUE_B": "true", "ERRORBUS_VALUE_PIN": "hunter2",
            ])
    }

    @Test("What a person types is a value of the kind, or text that the check refuses")
    func typedText() {
        #expect(ErrorReport.Field.number("n", label: "N").given("2.50") == 2.5)
        #expect(ErrorReport.Field.number("n", label: "N").given("two") == "two")
        #expect(ErrorReport.Field.number("n", label: "N").given("true") == "true")
        #expect(ErrorReport.Field.boolean("b", label: "B").given("Yes") == true)
        #expect(ErrorReport.Field.boolean("b", label: "B").given("n") == false)
        #expect(ErrorReport.Field.boolean("b", label: "B").given("maybe") == "maybe")
        #expect(ErrorReport.Field.text("t", label: "T").given("2") == "2")
    }

    @Test("Return alone takes the default, no value, or the empty text where only that is left")
    func emptyLine() throws {
        let empty: [ErrorReport.Field] = [
            .text("t", label: "T", length: 0...9), .secret("t", label: "T", length: 0...9),
        ]
        for field in empty { #expect(try field.taken("") == "") }
        let others: [ErrorReport.Field] = [
            .text("t", label: "T", isRequired: false, length: 0...9),
            .text("t", label: "T", default: "x", length: 0...9),
            .number("t", label: "T", default: 3),
        ]
        #expect(try others.compactMap { try $0.taken("") }.isEmpty)
        let needed: [ErrorReport.Field] = [.text("t", label: "T"), .boolean("t", label: "T")]
        for field in needed { #expect(throws: FieldFault.self) { _ = try field.taken("") } }
    }
}

@Suite("Values on their way")
struct GivenValuesTests {
    private let fields: [ErrorReport.Field] = [
        .text("path", label: "Path"), .secret("pin", label: "PIN"),
        .number("n", label: "N", isRequired: false, default: 7),
    ]

    private var option: ErrorReport.Option {
        var option = ErrorReport.Option(id: "move", title: "Move")
        option.fields = fields
        return option
    }

    private func answer(payload: String) -> Answer {
        Answer(
            id: PresentationID(1).value, option: "move", by: "ann", via: .person,
            extras: Answer.Extras(payload: Array(payload.utf8)))
    }

    @Test("Secrets travel apart from other values, with the defaults that the person saw")
    func filled() throws {
        let given = GivenValues(["path": "/a", "pin": "hunter2"], for: fields)
        let answer = Answer(
            option: "move", by: "ann", via: .person, values: given.values, secrets: given.secrets)
        let filled = try answer.filled(for: fields)
        #expect(
            String(decoding: filled.extras.payload, as: UTF8.self)
                == #"{"secrets":{"pin":"hunter2"},"values":{"n":7,"path":"/a"}}"#)
        let values = try filled.values(for: option)
        #expect(values.text("pin") == "hunter2" && values.integer("n") == 7)
        #expect(try filled.filled(for: fields) == filled)
    }

    @Test("What is stored and shown has the names of the secrets alone, and cannot be carried out")
    func withoutSecrets() throws {
        let answer = answer(
            payload: #"{"note":"x","secrets":{"pin":"hunter2"},"values":{"path":"/a"}}"#)
        let shown = answer.withoutSecrets
        #expect(
            String(decoding: shown.extras.payload, as: UTF8.self)
                == #"{"note":"x","values":{"path":"/a"},"withheld":["pin"]}"#)
        #expect(shown.lacksSecrets && !answer.lacksSecrets)
        #expect(shown.given.secretNames == ["pin"])
        #expect(shown.withoutSecrets == shown && shown.hasValues(of: answer))
        let fault = #expect(throws: FieldFault.self) { try shown.values(for: option) }
        #expect(fault?.field == "pin")
        #expect(
            String(decoding: answer.withoutValues.extras.payload, as: UTF8.self)
                == #"{"note":"x"}"#)
    }

    @Test("The names of secrets go to no process that does not carry the answer out")
    func withoutNames() {
        let shown = answer(payload: #"{"secrets":{"pin":"hunter2"}}"#).withoutSecrets
        #expect(shown.given.withheld == ["pin"])
        #expect(shown.withoutValues.extras.payload.isEmpty)
    }

    @Test("A comment travels beside the values, and stays where they or secrets are left out")
    func comment() throws {
        let answer = Answer(
            option: "move", by: "ann", via: .person, values: ["path": "/a"],
            secrets: ["pin": "hunter2"], comment: "The disk\nis full.")
        let filled = try answer.filled(for: fields)
        for one in [filled, filled.withoutSecrets, filled.withoutValues] {
            #expect(one.comment == "The disk\nis full.")
        }
        #expect(
            String(decoding: filled.withoutValues.extras.payload, as: UTF8.self)
                == #"{"comment":"The disk\nis full."}"#)
        let stored = Answer(
            id: answer.id, option: "move", by: "ann", via: .person, second: nil,
            stored: filled.storedValues)
        #expect(stored == filled.withoutSecrets)
        let other = Answer(
            id: answer.id, option: "move", by: "ann", via: .person, values: ["path": "/a"],
            secrets: ["pin": "hunter2"], comment: "Another.")
        #expect(answer.hasValues(of: answer) && !answer.hasValues(of: other))
    }

    @Test(
        "What a peer sends as a comment becomes one, or none",
        arguments: [
            (#"{"comment":"a\tb\u0007\nc"}"#, "a b \nc"), (#"{"comment":" \n "}"#, nil),
            (#"{"comment":7}"#, nil), (#"{"comment":null}"#, nil), ("{}", nil), ("", nil),
            ("[1]", nil),
        ] as [(String, String?)])
    func foreignComment(payload: String, comment: String?) {
        #expect(answer(payload: payload).comment == comment)
    }

    @Test("A comment is cut at its limit, before a character that is not whole there")
    func longComment() {
        func comment(_ text: String) -> String? {
            Answer(option: "move", by: "ann", via: .person, comment: text).comment
        }
        let whole = String(repeating: "x", count: ErrorReport.Limits.commentByteCount)
        #expect(comment(whole) == whole && whole.isComment)
        #expect(comment(whole + "y") == whole && !(whole + "y").isComment)
        #expect(comment(String(whole.dropLast()) + "\u{E9}") == String(whole.dropLast()))
        // More marks than JSON may have would make the payload unreadable.
        let flood = "e" + String(repeating: "\u{301}", count: 500)
        #expect(comment(flood)?.unicodeScalars.count == 1 + JSONLimits.report.markRunCount)
        #expect("a\nb".isComment && !"a\tb".isComment && !"a\r\nb".isComment)
    }

    @Test("The payload of an answer without values stays as it came, byte for byte")
    func untouched() throws {
        for payload in ["", "{}", #"{ "note" : 1 }"#, "[1]", "{\"values\":"] {
            let answer = answer(payload: payload)
            #expect(answer.withoutSecrets == answer && answer.withoutValues == answer)
        }
        #expect(try answer(payload: #"{ "note" : 1 }"#).filled(for: []).extras.payload.count == 14)
    }

    @Test(
        "What an owner cannot read is refused",
        arguments: [
            ("[1]", "values"), ("{", "values"), (#"{"values":[1]}"#, "values"),
            (#"{"secrets":"x"}"#, "secrets"), (#"{"values":{"path":"/a","path":"/b"}}"#, "values"),
            (#"{"values":{"path":"/a","pin":"hunter2"}}"#, "pin"),
            (#"{"values":{},"secrets":{"pin":"1","path":"/a"}}"#, "path"),
            (#"{"values":{"path":"/a"},"withheld":["pin"]}"#, "pin"),
            (#"{"values":{"path":"/a"}}"#, "pin"), ("", "path"),
        ])
    func unreadable(payload: String, field: String) {
        let answer = answer(payload: payload)
        let fault = #expect(throws: FieldFault.self) { try answer.values(for: option) }
        #expect(fault?.field == field)
        #expect(fault.map { !"\($0)".contains("hunter2") } == true)
    }
}
