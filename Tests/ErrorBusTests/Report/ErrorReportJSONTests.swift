import ErrorBus
import Foundation
import Testing

@Suite("A report as JSON")
struct ErrorReportJSONTests {
    @Test("A39 every field, option, underlying error and unknown key survives hop after hop")
    func roundTrip() throws {
        var payload = ErrorReport.full.payload()
        for _ in 0..<4 {
            let report = try ErrorReport(payload: payload)
            #expect(report == .full)
            #expect(report.payload() == payload)
            payload = report.payload()
        }
    }

    /// The keys in the table of docs/wire.md, section 6.
    private static var documented: Set<String> {
        get throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../docs/wire.md")
            let text = try String(contentsOf: file, encoding: .utf8)
            let sections = text.components(separatedBy: "\n## ")
            let section = try #require(sections.first { $0.hasPrefix("6. ") })
            let cells = section.matches(of: /\n\| (`[^|]+)\|/).map(\.1)
            return Set(cells.flatMap { $0.matches(of: /`([A-Za-z]+)`/).map { String($0.1) } })
        }
    }

    @Test("A report has exactly the keys of the protocol")
    func keys() throws {
        let unknown = Set(ErrorReport.unknownKeysOfFull.keys)
        let keys = try #require(ErrorReport.full.json.objectValue).keys
        #expect(Set(keys).subtracting(unknown) == (try Self.documented))
        let options = ErrorReport.full.json["recoveryOptions"]
        #expect(
            options == [
                ["id": "retry", "title": "Retry ↻", "role": "default"],
                [
                    "id": "overwrite", "title": "Overwrite", "role": "destructive", "default": true,
                    "signed": true, "twoPeople": true, "icon": "trash",
                    "fields": [
                        [
                            "name": "path", "label": "Path", "kind": "text", "required": true,
                            "default": "/tmp",
                        ]
                    ],
                ],
                ["id": "skip", "title": "Skip"],
                ["id": "cancel", "title": "Cancel", "role": "cancel"],
            ])
        #expect(
            ErrorReport(domain: "d", description: "").json == [
                "domain": "d", "description": "", "severity": "error",
            ])
    }

    @Test("Null means absent, and a bare report's own keys are kept as unknown")
    func nulls() throws {
        let json: JSONValue = [
            "domain": "d", "description": "x", "code": nil, "failureReason": nil, "severity": nil,
            "recoveryOptions": nil, "userInfo": nil, "underlyingErrors": nil, "undescribed": nil,
            "retryOf": nil, "coalesceKey": nil, "deadlineMilliseconds": 5, "later": nil,
        ]
        var expected = ErrorReport(domain: "d", description: "x")
        expected.unknownKeys = ["deadlineMilliseconds": 5, "later": nil]
        #expect(try ErrorReport(json: json) == expected)
    }

    @Test("An unknown key cannot replace a known one")
    func shadow() throws {
        var report = ErrorReport(domain: "d", description: "x")
        report.unknownKeys = ["domain": "other", "code": 5, "severity": "debug"]
        #expect(
            try ErrorReport(payload: report.payload()) == ErrorReport(domain: "d", description: "x")
        )
    }

    private static func option(_ members: [String: JSONValue]) -> [String: JSONValue] {
        ["recoveryOptions": [["id": "a", "title": "A"], .object(members)]]
    }

    @Test(
        "Each refusal names the field",
        arguments: [
            ("domain", ["domain": nil]), ("domain", ["domain": ""]), ("domain", ["domain": 3]),
            ("description", ["description": nil]), ("description", ["description": ["a"]]),
            ("code", ["code": "4"]), ("code", ["code": 4.0]), ("code", ["code": true]),
            ("severity", ["severity": "fatal"]), ("severity", ["severity": 1]),
            ("retryOf", ["retryOf": "latest"]), ("failureReason", ["failureReason": 1]),
            ("occurredAt", ["occurredAt": 17]), ("coalesceKey", ["coalesceKey": false]),
            ("helpAnchor", ["helpAnchor": [:]]), ("recoverySuggestion", ["recoverySuggestion": 0]),
            ("userInfo", ["userInfo": []]), ("undescribed[1]", ["undescribed": ["a", 1]]),
            ("recoveryOptions", ["recoveryOptions": [:]]),
            ("recoveryOptions[1]", ["recoveryOptions": [["id": "a", "title": ""], "Retry"]]),
            ("recoveryOptions[1].id", option(["title": "A"])),
            ("recoveryOptions[1].id", option(["id": "", "title": "A"])),
            ("recoveryOptions[1].id", option(["id": "a b", "title": "A"])),
            ("recoveryOptions[1].id", option(["id": "é", "title": "A"])),
            (
                "recoveryOptions[1].id",
                option(["id": .string(String(repeating: "x", count: 65)), "title": ""])
            ),
            ("recoveryOptions[1].id", option(["id": "a", "title": "again"])),
            ("recoveryOptions[1].title", option(["id": "b"])),
            (
                "recoveryOptions[1].title",
                option(["id": "b", "title": .string(String(repeating: "é", count: 257))])
            ),
            ("recoveryOptions[1].role", option(["id": "b", "title": "B", "role": "primary"])),
            ("recoveryOptions[1].default", option(["id": "b", "title": "B", "default": 1])),
            (
                "recoveryOptions[1].default",
                option(["id": "b", "title": "B", "role": "default", "default": false])
            ),
            ("underlyingErrors", ["underlyingErrors": "none"]),
            ("underlyingErrors[0].domain", ["underlyingErrors": [["description": "x"]]]),
            (
                "underlyingErrors[0].underlyingErrors[1].code",
                [
                    "underlyingErrors": [
                        [
                            "domain": "a", "description": "x",
                            "underlyingErrors": [
                                ["domain": "a", "description": "x"],
                                ["domain": "a", "description": "x", "code": "1"],
                            ],
                        ]
                    ]
                ]
            ),
        ] as [(String, [String: JSONValue])])
    func refused(field: String, changes: [String: JSONValue]) throws {
        let base: [String: JSONValue] = ["domain": "d", "description": "x"]
        let members = base.merging(changes) { _, new in new }
        let error = #expect(throws: ReportError.self) { try ErrorReport(json: .object(members)) }
        #expect(error?.field == field)
        #expect(error?.description.contains("`\(field)` is ") == true)
    }

    @Test("Input that is not an object, or not JSON, is refused as the report itself")
    func notAnObject() throws {
        let array = #expect(throws: ReportError.self) { try ErrorReport(payload: Array("[]".utf8)) }
        #expect(array?.description == "The report is an array; allowed: an object.")
        let broken = #expect(throws: ReportError.self) { try ErrorReport(payload: Array("{".utf8)) }
        #expect(broken?.cause?.offset == 1)
        #expect(broken?.field == "")
    }

    @Test("32 options and a title of 256 scalars are read, 33 options refused")
    func optionCount() throws {
        func report(_ count: Int) -> ErrorReport {
            let title = String(repeating: "é", count: 256)
            let options = (0..<count).map { ErrorReport.Option(id: "o\($0)", title: title) }
            return ErrorReport(domain: "d", description: "x", options: options)
        }
        #expect(try ErrorReport(payload: report(32).payload()).options.count == 32)
        let error = #expect(throws: ReportError.self) { try ErrorReport(json: report(33).json) }
        #expect(error?.found == "33 options")
    }

    @Test("64 underlying errors in all and 15 levels are read, more refused")
    func underlyingLimits() throws {
        func chain(_ levels: Int) -> ErrorReport {
            let bottom = ErrorReport(domain: "d", description: "x")
            return (0..<levels).reduce(bottom) { inner, _ in
                ErrorReport(domain: "d", description: "x", underlyingErrors: [inner])
            }
        }
        func wide(_ count: Int) -> ErrorReport {
            let errors = Array(repeating: chain(1), count: count / 2)
            return ErrorReport(domain: "d", description: "x", underlyingErrors: errors)
        }
        #expect(try ErrorReport(payload: chain(15).payload()) == chain(15))
        #expect(throws: ReportError.self) { try ErrorReport(payload: chain(16).payload()) }
        let deep = #expect(throws: ReportError.self) { try ErrorReport(json: chain(16).json) }
        #expect(deep?.allowed == "at most 15 levels")
        #expect(try ErrorReport(payload: wide(64).payload()) == wide(64))
        let many = #expect(throws: ReportError.self) { try ErrorReport(json: wide(66).json) }
        #expect(many?.allowed == "at most 64 in all")
    }
}
