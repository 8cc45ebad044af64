import ErrorBus
import Testing

@testable import BusNodeKit

/// Options that ask for values, at a terminal.
@Suite struct InboxScreenValueTests {
    private typealias Fixture = ScreenFixture

    private static func item(role: JSONValue = .null) -> JSONValue {
        let option: JSONValue = [
            "id": "move", "title": "Move", "role": role,
            "fields": [
                ["name": "path", "label": "Path", "kind": "text", "required": true],
                [
                    "name": "n", "label": "Count", "kind": "number", "required": true,
                    "default": 3, "whole": true,
                ],
                ["name": "pin", "label": "PIN", "kind": "secret"],
            ],
        ]
        return Fixture.item(1, ["options": [option]])
    }

    private func enter(_ text: String, _ fixture: inout Fixture) -> [InboxScreen.Action] {
        for character in text { fixture.press(.character(character)) }
        return fixture.press(.enter)
    }

    @Test("A41 each field is asked in turn, with its default; a secret is not shown")
    func inTurn() {
        var fixture = Fixture([Self.item()])
        #expect(fixture.press(.character("1")).isEmpty)
        #expect(fixture.row(22).hasPrefix("1/3 Path (1 to 4096 characters in one line): "))
        #expect(enter("/srv", &fixture).isEmpty)
        #expect(fixture.row(22).contains("2/3 Count (a whole number; Return for 3)"))
        #expect(enter("", &fixture).isEmpty)
        for character in "hunter2" { fixture.press(.character(character)) }
        #expect(fixture.text.contains("•••••••") && !fixture.text.contains("hunter2"))
        #expect(
            fixture.press(.enter) == [
                .send(
                    .answer(
                        id: Fixture.id(1), option: "move",
                        values: ["path": "/srv", "pin": "hunter2"]))
            ])
    }

    @Test("A42 what is no value stays to be corrected; Esc goes back and sends nothing")
    func refused() {
        var fixture = Fixture([Self.item()])
        fixture.press(.character("1"))
        #expect(enter("", &fixture).isEmpty)
        #expect(fixture.row(22).contains("found no value"))
        fixture.press(.character("/"))
        #expect(fixture.row(22).contains("…: /▏"))
        _ = enter("srv", &fixture)
        #expect(enter("1.5", &fixture).isEmpty)
        #expect(fixture.row(22).contains("found 1.5; expected a whole number: 1.5▏"))
        fixture.press(.control("u"))
        #expect(enter("4", &fixture).isEmpty)
        #expect(fixture.row(22).contains("3/3 PIN"))
        #expect(fixture.press(.escape).isEmpty)
        #expect(fixture.screen.mode == .list)
    }

    @Test("A held answer is shown with its values, and of its secrets the names alone")
    func held() {
        let answer: JSONValue = [
            "id": "A", "option": "retry", "by": "ann", "values": ["path": "/srv"],
            "secrets": ["pin"],
        ]
        let fixture = Fixture(
            [Fixture.item(1, ["stage": "leaving", "answer": answer])], size: Fixture.large)
        #expect(fixture.text.contains(#"Retry with path "/srv", pin (secret) by ann: not sent"#))
    }

    @Test("A destructive option is confirmed after its values")
    func destructive() {
        var fixture = Fixture([Self.item(role: "destructive")])
        fixture.press(.character("1"))
        _ = enter("/srv", &fixture)
        _ = enter("", &fixture)
        #expect(enter("", &fixture).isEmpty)
        #expect(fixture.row(22).contains("Move? This cannot be undone."))
        #expect(
            fixture.press(.character("y")) == [
                .send(.answer(id: Fixture.id(1), option: "move", values: ["path": "/srv"]))
            ])
    }

    @Test("What is typed after the presentation has ended acts on no other, until Return or Esc")
    func gone() {
        var fixture = Fixture([Self.item(), Fixture.item(2)])
        fixture.press(.character("1"))
        for character in "ab" { fixture.press(.character(character)) }
        fixture.change(Fixture.item(1, ["stage": "closed", "reason": "withdrawn"]))
        for character in "cnr/qu" { #expect(fixture.press(.character(character)).isEmpty) }
        #expect(fixture.row(22).hasPrefix("It has ended: what you have typed is dropped."))
        #expect(!fixture.text.contains("abc") && !fixture.text.contains("nr/q"))
        #expect(fixture.press(.enter).isEmpty)
        #expect(fixture.screen.mode == .list)
    }

    @Test("Without a link the values stay typed, and are sent later")
    func withoutLink() {
        var fixture = Fixture([Self.item()])
        fixture.press(.character("1"))
        _ = enter("/srv", &fixture)
        _ = enter("", &fixture)
        fixture.screen.lost("refused", at: fixture.now.instant)
        #expect(enter("1234", &fixture).isEmpty)
        #expect(fixture.row(22).contains("no link to the console: nothing can be sent now"))
        fixture.list([Self.item()])
        fixture.draw()
        #expect(
            fixture.press(.enter) == [
                .send(
                    .answer(
                        id: Fixture.id(1), option: "move",
                        values: ["path": "/srv", "pin": "1234"]))
            ])
    }

    @Test("A value that is too long is refused, not cut")
    func tooLong() {
        var fixture = Fixture([Self.item()])
        fixture.press(.character("1"))
        fixture.press(.character("a"))
        fixture.press(.paste(String(repeating: "x", count: 4_096)))
        #expect(fixture.row(22).contains("at most 4096 characters: nothing was added"))
        #expect(enter("", &fixture).isEmpty)
        #expect(fixture.row(22).contains("2/3 Count"))
    }
}

@Suite struct ValueLinesTests {
    private var option: ErrorReport.Option {
        var option = ErrorReport.Option(id: "move", title: "Move")
        option.fields = [
            .text("path", label: "Path"), .boolean("force", label: "Force", default: false),
            .secret("pin", label: "PIN", isRequired: false),
        ]
        return option
    }

    @Test("A41 lines give the values; an empty one takes the default, or none")
    func complete() {
        var lines = ValueLines(option)
        #expect(lines.lines(columns: 80)[0].contains("Move: 1/3 Path (1 to 4096 characters"))
        #expect(lines.entered("") != .next)
        #expect(lines.entered("/srv") == .next)
        #expect(lines.lines(columns: 80)[0].contains("Force (true or false; Return for false)"))
        guard case .refused(let fault) = lines.entered("maybe") else {
            Issue.record("taken")
            return
        }
        #expect(fault.contains("found \"maybe\""))
        #expect(lines.entered("y") == .next)
        #expect(lines.lines(columns: 100)[0].contains("not shown as you type"))
        var other = lines
        #expect(
            lines.entered("hunter2")
                == .complete(["path": "/srv", "force": true, "pin": "hunter2"]))
        #expect(other.entered("") == .complete(["path": "/srv", "force": true]))
    }

    @Test("Several lines at once are refused in whole sentences; for a secret there is another way")
    func several() {
        var lines = ValueLines(option)
        #expect(lines.severalRefused.hasSuffix("none of them was taken; enter one line"))
        #expect(lines.entered("/srv") == .next)
        #expect(lines.entered("") == .next)
        #expect(
            lines.severalRefused.hasSuffix(
                "enter one line; bus-node inbox answer --value-file takes a secret of several lines"
            ))
    }

    @Test("Esc goes back")
    func left() {
        var lines = ValueLines(option)
        #expect(lines.entered("\u{1B}") == .left)
    }
}
