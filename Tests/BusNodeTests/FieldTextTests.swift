import ArgumentParser
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore
@testable import bus_node

@Suite("Fields and values on the command line")
struct FieldTextTests {
    private func field(_ text: String) throws -> ErrorReport.Field {
        try FieldText(text, option: "--field").field()
    }

    @Test("A field is NAME=LABEL with its kind and what else holds")
    func fields() throws {
        let expected: [(String, ErrorReport.Field)] = [
            ("path=New path", .text("path", label: "New path")),
            ("path=Path: new:text", .text("path", label: "Path: new")),
            ("n=Count:number:default(3)", .number("n", label: "Count", default: 3)),
            ("b=Force:boolean:optional", .boolean("b", label: "Force", isRequired: false)),
            ("pin=PIN:secret", .secret("pin", label: "PIN")),
            (
                "m=Mode:choice(fast,very safe):default(fast)",
                .choice("m", label: "Mode", among: ["fast", "very safe"], default: "fast")
            ),
            ("u=URL:default(http://a:80/x)", .text("u", label: "URL", default: "http://a:80/x")),
            ("at=At 10:30", .text("at", label: "At 10:30")),
            ("r=Ratio: a to b", .text("r", label: "Ratio: a to b")),
            ("m=Mode: text (or none):text", .text("m", label: "Mode: text (or none)")),
            (
                "u=See http://a/?b=c:optional",
                .text("u", label: "See http://a/?b=c", isRequired: false)
            ),
            ("d=D:default(a):b(c))", .text("d", label: "D", default: "a):b(c)")),
            (
                "m=M:default(b):choice(a,b)",
                .choice("m", label: "M", among: ["a", "b"], default: "b")
            ),
            (
                "n=N:number:min(-1.5):max(10):whole:default(2)",
                .number("n", label: "N", default: 2, in: -1.5...10, isWhole: true)
            ),
            (
                "p=Path:pattern(/^(a|[^:)]+)$/):minLength(2):maxLength(80):optional",
                .text(
                    "p", label: "Path", isRequired: false, length: 2...80,
                    pattern: "/^(a|[^:)]+)$/")
            ),
            (
                "pin=PIN:secret:minLength(4)",
                .secret("pin", label: "PIN", length: 4...ErrorReport.Field.anyLength.upperBound)
            ),
        ]
        for (text, field) in expected { #expect(try self.field(text) == field, "\(text)") }
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "path", "=Path", "1=Path", "path=", "path=:number", "path=Path:nubmer",
            "n=N:number:text", "n=N:number:default(x)", "m=M:choice()", "m=M:choice(a,a)",
            "pin=PIN:secret:default(1)", "a b=Path", "n=N:number:min(a)", "n=N:number:min()",
            "n=N:number:min(3):max(2)", "n=N:number:min(1):min(2)", "n=N:number:pattern(x)",
            "n=N:number:min(5):default(4)", "p=P:min(1)", "p=P:whole", "p=P:pattern()",
            "p=P:pattern(/[/)", "p=P:minLength(2.5)", "p=P:maxLength(9999)", "p=P:min",
            "b=B:boolean:minLength(1)", "p=P:pattern(a*):default(b)",
        ])
    func refused(text: String) {
        #expect(throws: Failure.self) { try field(text) }
    }

    @Test(
        "A mistyped kind or bound does not become a part of the label, or of another bound",
        arguments: [
            ("keep=Days:number:min=1", "min=1"), ("keep=Days:number:mn(1)", "mn(1)"),
            ("n=Name:number:Whole", "Whole"), ("n=Name:minlength(3)", "minlength(3)"),
            ("n=N:min(1", "min(1"), ("n=Name:pattern(/^[a-z]+$/", "pattern(/^[a-z]+$/"),
            ("n=Name:pattern(/^[^:]+$/", "pattern(/^[^:]+$/"), ("n=Name:int", "int"),
            ("n=Name:mn(1):number", "mn(1)"), ("n=Name:Number:whole", "Number"),
            ("n=N:number:5 or more", "number:5 or more"), ("n=N:number :min(1)", "number "),
            ("n=N:min (1)", "min (1)"), ("p=P:minLength", "minLength"),
            ("p=P:default(a):mn(2)", "mn(2)"), ("m=M:choice(a,b):dfault(a)", "dfault(a)"),
            ("p=P:default(a):Optional", "Optional"),
        ])
    func mistyped(text: String, found: String) {
        let failure = #expect(throws: Failure.self) { try field(text) }
        #expect(
            failure?.text
                == "--field: found \"\(found)\" in \"\(text)\", allowed: \(FieldText.allowed)")
        #expect(failure?.status == .usage)
    }

    @Test(
        "A refusal is in the words of the option",
        arguments: [
            ("keep=Days:min(1)", "min(...)", " is for a number, and keep is a text"),
            ("b=B:boolean:whole", "whole", " is for a number, and b is a boolean"),
            (
                "n=N:number:pattern(x)", "pattern(...)",
                " is for a text or secret, and n is a number"
            ),
            (
                "m=M:choice()", "choice()",
                ": found an empty text, expected texts with commas between"
            ),
            (
                "m=M:choice(a,a)", "choice",
                ": found a text a second time, allowed: each text once"
            ),
            ("n=N:number:min(a)", "min(a)", ": found \"a\", expected a number"),
            ("p=P:minLength(2.5)", "minLength(2.5)", ": found \"2.5\", expected a whole number"),
            ("n=N:number:min(3):max(2)", "max(2)", " is below min(3)"),
            ("p=P:minLength(3):maxLength(2)", "maxLength(2)", " is below minLength(3)"),
            ("pin=PIN:secret:default(1)", "default(...)", " is not for a secret"),
            ("p=P:pattern(/[/)", "pattern", ": found \"/[/\", allowed: a ] for each ["),
            ("path=", "label", ": found empty, allowed: a text for people"),
            ("p=P:maxLength(9999)", "maxLength", ": found 9999, allowed: 0 to 4096"),
        ])
    func worded(text: String, part: String, what: String) {
        let failure = #expect(throws: Failure.self) { try field(text) }
        #expect(failure?.text == "--field: \(part) in \"\(text)\"\(what)")
        #expect(failure?.status == .usage)
    }

    private func report(_ arguments: String...) throws -> ErrorReport {
        try ReportOptions.parse(["--description", "x", "--option", "a.b=A"] + arguments)
            .errorReport()
    }

    @Test("present adds fields to an option, whose id may have dots")
    func present() throws {
        let report = try report("--field", "a.b.path=Path", "--field", "a.b.n=N:number")
        #expect(report.options[0].fields.map(\.name) == ["path", "n"])
        for field in ["path=Path", "other.path=Path", "a.b.1=x"] {
            #expect(throws: Failure.self) { try self.report("--field", field) }
        }
        #expect(throws: Failure.self) {
            try self.report("--field", "a.b.x-y=1", "--field", "a.b.x_y=2")
        }
    }

    @Test("A wrong name, and an option that is not there, are refused with what is allowed")
    func namedRefusals() {
        func refusal(_ arguments: String...) -> String? {
            let failure = #expect(throws: Failure.self) {
                try ReportOptions.parse(["--description", "x"] + arguments).errorReport()
            }
            return failure?.text
        }
        #expect(
            refusal("--option", "b=B", "--field", "b.a b=Label")
                == "--field: found the name \"a b\", allowed: 1 to 32 of A-Z a-z 0-9 _ -, a letter "
                + "first")
        #expect(
            refusal("--field", "b.c=D")
                == "--field: found \"b\", allowed: an option of this report, which has none; give "
                + "--option b=TITLE")
        for text in ["b.c", "b", "bc=D", "b.c:number"] {
            #expect(
                refusal("--option", "b=B", "--field", text)
                    == "--field: found \"\(text)\", allowed: OPTION.\(FieldText.allowed)")
        }
        #expect(
            refusal("--option", "b=B", "--field", "b.c=D:int")
                == "--field: found \"int\" in \"b.c=D:int\", allowed: OPTION.\(FieldText.allowed)")
        #expect(
            refusal("--option", "b=B", "--field", "b.x-y=1", "--field", "b.x_y=2")
                == "--field: found \"x_y\" beside \"x-y\", allowed: names that differ also as "
                + "environment variables")
        #expect(
            refusal("--option", "a=A", "--field", "b.c=D")
                == "--field: found \"b\", allowed: one of the options (a)")
    }

    private let asked: [ErrorReport.Field] = [
        .text("path", label: "P"), .number("n", label: "N"), .secret("pin", label: "PIN"),
        .boolean("b", label: "B"),
    ]

    private func given(_ arguments: String...) throws -> [String: JSONValue] {
        try ValueOptions.parse(arguments).given(for: asked)
    }

    @Test(
        "Of a file's value only the line break at its end is left out, of either kind",
        arguments: [
            ("hunter2", "hunter2"), ("hunter2\n", "hunter2"), ("hunter2\r\n", "hunter2"),
            ("a\r\nb\r\n", "a\r\nb"), ("a\n\n", "a\n"),
        ])
    func lineBreak(text: String, value: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "pin")
        #expect(try given("--value-file", "pin=\(file)") == ["pin": .string(value)])
    }

    @Test("Values are of the fields' kinds; a secret comes from a file, without its line break")
    func values() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("hunter2\n", to: "pin")
        #expect(
            try given(
                "--value", "path=a=b", "--value", "n=2.5", "--value", "b=yes",
                "--value-file", "pin=\(file)")
                == ["path": "a=b", "n": 2.5, "b": true, "pin": "hunter2"])
        #expect(try given("--value", "n=many", "--value", "x=1") == ["n": "many", "x": "1"])
        let long = try folder.write(String(repeating: "x", count: 16_387), to: "long")
        let binary = folder.path + "/binary"
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: binary))
        for arguments in [
            ["--value", "path"], ["--value", "=x"], ["--value", "pin=hunter2"],
            ["--value", "n=1", "--value", "n=2"], ["--value-file", "pin=/no/such/file"],
            ["--value-file", "pin=\(long)"], ["--value-file", "pin=\(binary)"],
            ["--value", "pin=hunter2"],
        ] {
            let failure = #expect(throws: Failure.self) {
                try ValueOptions.parse(arguments).given(for: asked)
            }
            #expect(failure?.text.contains("hunter2") == false)
            #expect(failure?.text.hasPrefix("\(arguments[arguments.count - 2]): ") == true)
        }
    }
}
