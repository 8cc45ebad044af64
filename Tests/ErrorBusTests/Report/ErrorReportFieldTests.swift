import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Fields of an option, as JSON")
struct ErrorReportFieldTests {
    private typealias Field = ErrorReport.Field

    private func report(_ fields: [JSONValue], title: String = "A") -> JSONValue {
        [
            "domain": "d", "description": "x",
            "recoveryOptions": [["id": "a", "title": .string(title), "fields": .array(fields)]],
        ]
    }

    private func fields(_ fields: [JSONValue]) throws(ReportError) -> [ErrorReport.Field] {
        try ErrorReport(json: report(fields)).options[0].fields
    }

    @Test("Every kind is read as it was written, with the keys of the protocol")
    func roundTrip() throws {
        var unknown = Field.boolean("force", label: "Force", default: false)
        unknown.unknownKeys = ["hint": "x"]
        let written: [(Field, JSONValue)] = [
            (
                .text("path", label: "Path", default: "/tmp", length: 2...9, pattern: "/*"),
                [
                    "name": "path", "label": "Path", "kind": "text", "required": true,
                    "default": "/tmp", "minLength": 2, "maxLength": 9, "pattern": "/*",
                ]
            ),
            (
                .number("n", label: "N", isRequired: false, default: 3, in: 1...4.5, isWhole: true),
                [
                    "name": "n", "label": "N", "kind": "number", "default": 3, "min": 1,
                    "max": 4.5, "whole": true,
                ]
            ),
            (
                .choice("c", label: "C", among: ["x", "y"], default: "y"),
                [
                    "name": "c", "label": "C", "kind": "choice", "required": true, "default": "y",
                    "choices": ["x", "y"],
                ]
            ),
            (
                unknown,
                [
                    "name": "force", "label": "Force", "kind": "boolean", "required": true,
                    "default": false, "hint": "x",
                ]
            ),
            (
                .secret("pin", label: "PIN", pattern: #"/^\d{4}$/"#),
                [
                    "name": "pin", "label": "PIN", "kind": "secret", "required": true,
                    "pattern": #"/^\d{4}$/"#,
                ]
            ),
            (
                .text("t", label: "T"),
                ["name": "t", "label": "T", "kind": "text", "required": true]
            ),
            (
                .number("any", label: "Any", isRequired: false),
                ["name": "any", "label": "Any", "kind": "number"]
            ),
        ]
        for (field, json) in written {
            #expect(field.json == json)
            #expect(try fields([json]) == [field])
        }
        #expect(try fields(written.map(\.1)) == written.map(\.0))
    }

    @Test("Null means absent")
    func nulls() throws {
        let read = try fields([
            [
                "name": "t", "label": "T", "kind": "text", "required": nil, "default": nil,
                "minLength": nil, "maxLength": nil, "pattern": nil,
            ]
        ])
        #expect(read == [.text("t", label: "T", isRequired: false)])
    }

    private static let base: [String: JSONValue] = ["name": "n", "label": "L", "kind": "text"]

    private static func text(_ count: Int) -> JSONValue {
        .string(String(repeating: "é", count: count))
    }

    @Test(
        "Each refusal names the key",
        arguments: [
            ("name", ["name": nil]), ("name", ["name": ""]), ("name", ["name": "1a"]),
            ("name", ["name": "_a"]), ("name", ["name": "a b"]), ("name", ["name": "é"]),
            ("name", ["name": "a."]),
            ("name", ["name": .string(String(repeating: "a", count: 33))]),
            ("label", ["label": nil]), ("label", ["label": ""]), ("label", ["label": text(257)]),
            ("kind", ["kind": nil]), ("kind", ["kind": "date"]), ("kind", ["kind": 1]),
            ("required", ["required": "yes"]), ("default", ["default": 1]),
            ("default", ["default": ""]), ("default", ["default": "a\nb"]),
            ("minLength", ["minLength": -1]), ("maxLength", ["maxLength": 4097]),
            ("maxLength", ["minLength": 3, "maxLength": 2]), ("minLength", ["minLength": "1"]),
            ("pattern", ["pattern": ""]), ("pattern", ["pattern": "/(/"]),
            ("pattern", ["pattern": text(257)]), ("default", ["pattern": "b*", "default": "a"]),
            ("choices", ["choices": ["a"]]), ("min", ["min": 1]), ("whole", ["whole": true]),
            ("pattern", ["kind": "number", "pattern": "a"]),
            ("max", ["kind": "number", "min": 2, "max": 1]),
            ("default", ["kind": "number", "min": 2, "default": 1]),
            ("default", ["kind": "number", "default": 9_007_199_254_740_993]),
            ("choices", ["kind": "choice"]),
            ("choices[1]", ["kind": "choice", "choices": ["a", 1]]),
            ("choices[1]", ["kind": "choice", "choices": ["a", "a"]]),
            ("choices[0]", ["kind": "choice", "choices": [""]]),
            ("choices[0]", ["kind": "choice", "choices": ["a\tb"]]),
            ("choices[0]", ["kind": "choice", "choices": [text(257)]]),
            (
                "choices",
                ["kind": "choice", "choices": .array((0...32).map { .string("\($0)") })]
            ),
            ("default", ["kind": "choice", "choices": ["a"], "default": "b"]),
            ("default", ["kind": "boolean", "default": "true"]),
            ("maxLength", ["kind": "boolean", "maxLength": 1]),
            ("default", ["kind": "secret", "default": "hunter2"]),
            ("choices", ["kind": "secret", "choices": ["a"]]),
        ] as [(String, [String: JSONValue])])
    func refused(key: String, changes: [String: JSONValue]) throws {
        let field = Self.base.merging(changes) { $1 }
        let error = #expect(throws: ReportError.self) { try fields([.object(field)]) }
        #expect(error?.field == "recoveryOptions[0].fields[0].\(key)")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("What is at a limit is read")
    func limits() throws {
        let most: [[String: JSONValue]] = [
            ["name": .string("a" + String(repeating: "9", count: 31)), "label": Self.text(256)],
            ["minLength": 4096, "maxLength": 4096], ["minLength": 0, "default": ""],
            ["kind": "choice", "choices": .array((0..<32).map { .string("\($0)") })],
            ["kind": "number", "default": 9_007_199_254_740_992, "min": 1, "max": 1e300],
        ]
        for changes in most {
            let field = Self.base.merging(changes) { $1 }
            #expect(throws: Never.self) { try fields([.object(field)]) }
        }
    }

    @Test("An option has at most 8 fields, a report 32, with names that differ as variables")
    func counts() throws {
        func field(_ name: String) -> JSONValue {
            ["name": .string(name), "label": "L", "kind": "boolean"]
        }
        let eight = (0..<8).map { field("f\($0)") }
        #expect(try fields(eight).count == 8)
        let nine = #expect(throws: ReportError.self) { try fields(eight + [field("more")]) }
        #expect(nine?.field == "recoveryOptions[0].fields")
        for (one, other) in [("a", "a"), ("a-b", "a_b"), ("a", "A")] {
            let error = #expect(throws: ReportError.self) {
                try fields([field(one), field(other)])
            }
            #expect(error?.field == "recoveryOptions[0].fields[1].name")
        }
        func report(_ optionCount: Int) -> JSONValue {
            [
                "domain": "d", "description": "x",
                "recoveryOptions": .array(
                    (0..<optionCount).map {
                        ["id": "o\($0)", "title": "O", "fields": .array(eight)]
                    }),
            ]
        }
        #expect(try ErrorReport(json: report(4)).options.count == 4)
        let many = #expect(throws: ReportError.self) { try ErrorReport(json: report(5)) }
        #expect(many?.field == "recoveryOptions")
    }

    @Test("Masking secrets masks labels, and drops a default that looks like one")
    func masked() {
        var report = ErrorReport(
            domain: "d", description: "x", options: [.init(id: "a", title: "A")])
        report.options[0].fields = [
            .text("url", label: "password=hunter2", default: "https://ann:hunter2@acme.example"),
            .text("path", label: "Path", default: "/tmp"),
        ]
        report.mask(by: SecretMask())
        let fields = report.options[0].fields
        #expect(fields[0].label == "password=***" && fields[0].defaultValue == nil)
        #expect(fields[1].label == "Path" && fields[1].defaultValue == "/tmp")
    }

    @Test("Errors whose options ask for other values are not equal")
    func coalescing() {
        func key(_ fields: [ErrorReport.Field]) -> CoalescingKey {
            var option = ErrorReport.Option(id: "a", title: "A")
            option.fields = fields
            return CoalescingKey(ErrorReport(domain: "d", description: "x", options: [option]))
        }
        let keys = [
            key([]), key([.text("t", label: "T")]), key([.text("t", label: "T", length: 1...9)]),
            key([.text("t", label: "T", isRequired: false)]),
        ]
        #expect(Set(keys).count == 4)
        #expect(Set(keys.map(\.text)).count == 4)
        #expect(keys[1] == key([.text("t", label: "T")]))
    }
}
