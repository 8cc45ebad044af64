import ErrorBus
import Testing

@testable import BusNodeKit

/// Notes at the full screen: they are typed, sent, refused and read.
@Suite struct InboxScreenNoteTests {
    private typealias Fixture = ScreenFixture

    private static let sent = InboxRequest.note(id: Fixture.id(1), text: "call Bob")

    private static func noted(_ number: Int, _ notes: JSONValue...) -> JSONValue {
        Fixture.item(
            number,
            [
                "revision": 105, "noteCount": .integer(Int64(notes.count)),
                "notes": .array(notes),
            ])
    }

    private static func note(_ text: String, by person: String = "bob") -> JSONValue {
        [
            "id": "1", "by": .string(person), "at": Fixture.time(secondsAgo: 3_600),
            "text": .string(text),
        ]
    }

    /// Presses `n` and types.
    private func type(_ text: String, _ fixture: inout Fixture) {
        fixture.press(.character("n"))
        for character in text { fixture.press(.character(character)) }
    }

    @Test("n takes one line, and Return sends it")
    func written() {
        var fixture = Fixture([Fixture.item(1)])
        type("call Bobb", &fixture)
        #expect(fixture.row(22) == "Note on Disk 1 is full: call Bobb▏")
        #expect(fixture.row(23) == "Enter write  Ctrl-U empty  Esc back")
        #expect(fixture.press(.backspace).isEmpty)
        #expect(fixture.press(.enter) == [.send(Self.sent)])
        #expect(fixture.screen.mode == .list)
        // Another request waits for the reply.
        #expect(fixture.press(.character("n")).isEmpty)
        #expect(fixture.row(22) == "one moment: the last request is on its way")
        fixture.reply(Self.sent, Self.noted(1, Self.note("call Bob", by: "ann")))
        #expect(fixture.row(22) == "note written")
        #expect(fixture.screen.entries[Fixture.id(1)]?.noteCount == 1)
    }

    @Test("Esc leaves, Ctrl-U empties, and a note without text is not sent")
    func left() {
        var fixture = Fixture([Fixture.item(1)])
        type("call", &fixture)
        fixture.press(.escape)
        #expect(fixture.screen.mode == .list)
        type(" ", &fixture)
        #expect(fixture.row(22) == "Note on Disk 1 is full:  ▏")
        #expect(fixture.press(.enter).isEmpty)
        #expect(fixture.row(22) == "a note needs a text:  ▏")
        fixture.press(.character("x"), .control("u"))
        #expect(fixture.row(22) == "Note on Disk 1 is full: ▏")
    }

    @Test("pasted text gives its first line, and a note ends at the server's limit")
    func pasted() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.press(.character("n"), .paste("call \u{1B}[2J Bob\nnow"))
        #expect(fixture.row(22).contains("call \\u{1B}[2J Bob▏"))
        #expect(fixture.grid.strays.isEmpty)
        let limit = ConsoleLimits.noteScalarMax
        fixture.press(.control("u"), .paste(String(repeating: "x", count: limit)))
        #expect(fixture.row(22).hasPrefix("Note on"))
        fixture.press(.character("y"))
        #expect(fixture.row(22).hasPrefix("a note has at most \(limit) characters"))
        #expect(
            fixture.press(.enter)
                == [
                    .send(
                        .note(id: Fixture.id(1), text: String(repeating: "x", count: limit)))
                ])
    }

    @Test("a refused note shows the reason and stays to be changed")
    func refused() {
        var fixture = Fixture([Fixture.item(1)])
        type("call Bob", &fixture)
        fixture.press(.enter)
        fixture.refuse(Self.sent, Failure(.declined, "it has 50 notes, as many as are allowed"))
        #expect(fixture.row(22).hasPrefix("it has 50 notes, as many as are allowed: call Bob▏"))
        fixture.press(.character("!"))
        #expect(fixture.row(22) == "Note on Disk 1 is full: call Bob!▏")
        let again = InboxRequest.note(id: Fixture.id(1), text: "call Bob!")
        #expect(fixture.press(.enter) == [.send(again)])
        // Refused while another key is pressed: the next n goes on with it.
        fixture.press(.character("?"))
        fixture.refuse(again, Failure(.notPermitted, "zoe may not write notes"))
        fixture.press(.escape, .character("n"))
        #expect(fixture.row(22).contains("call Bob!▏"))
        fixture.press(.escape, .character("n"))
        #expect(fixture.row(22) == "Note on Disk 1 is full: ▏")
    }

    @Test("without a link a note stays typed")
    func lost() {
        var fixture = Fixture([Fixture.item(1)])
        type("call Bob", &fixture)
        fixture.screen.lost("Connection refused", at: fixture.now.instant)
        #expect(fixture.press(.enter).isEmpty)
        #expect(fixture.row(22).hasPrefix("no link to the console"))
        fixture.list([Fixture.item(1)])
        #expect(fixture.press(.enter) == [.send(Self.sent)])
    }

    @Test("a note is for the presentation it was begun on, also when that has ended")
    func ended() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        type("call ", &fixture)
        fixture.change(
            Fixture.item(1, ["revision": 101, "stage": "closed", "reason": "withdrawn"]))
        fixture.draw()
        #expect(fixture.screen.chosen?.id == Fixture.id(2))
        for character in "Bob" { fixture.press(.character(character)) }
        #expect(fixture.row(22) == "Note on Disk 1 is full: call Bob▏")
        #expect(fixture.press(.enter) == [.send(Self.sent)])
        fixture.reply(Self.sent, Self.noted(1, Self.note("call Bob")))
        // An ended one takes notes too.
        fixture = Fixture([Fixture.item(1, ["stage": "closed", "reason": "withdrawn"])])
        fixture.press(.tab)
        type("call Bob", &fixture)
        #expect(fixture.press(.enter) == [.send(Self.sent)])
    }

    @Test("at a group's row the note is for the first of its members")
    func group() {
        var fixture = Fixture((1...3).map { Fixture.item($0, ["group": 7]) })
        type("", &fixture)
        #expect(fixture.row(22) == "Note on the first of 3, Disk 1 is full: ▏")
        fixture = Fixture()
        fixture.press(.character("n"))
        #expect(fixture.screen.mode == .list)
    }

    @Test("the list has the number of notes, the detail their authors, times and lines")
    func shown() {
        let item = Self.noted(
            1, Self.note("called Bob,\nthe disk is being replaced"),
            Self.note("\u{202E}x", by: "zoe"))
        var fixture = Fixture([item, Fixture.item(2)])
        #expect(fixture.row(1).hasPrefix(">  ✕        90s  Disk 1 is full"))
        #expect(fixture.row(1).contains(" ✎2 worker"))
        #expect(!fixture.row(2).contains("✎"))
        #expect(!fixture.text.contains("called Bob"))
        fixture.reply(.detail(id: Fixture.id(1)), item)
        let lines = fixture.text.split(separator: "\n").map(String.init)
        let first =
            lines.firstIndex { $0.hasPrefix("  note     bob, 09:00:00 UTC: called Bob,") } ?? 0
        #expect(first > 0)
        #expect(lines[first + 1] == "           the disk is being replaced")
        #expect(lines[first + 2] == "  note     zoe, 09:00:00 UTC: \\u{202E}x")
        #expect(fixture.grid.strays.isEmpty)
    }

    @Test("a group's row has the number of all its notes")
    func groupCount() {
        let members = (1...3).map {
            Fixture.item($0, ["group": 7, "noteCount": .integer(Int64($0))])
        }
        #expect(Fixture(members).row(1).contains("✎6"))
    }

    @Test("notes are shown at their own presentation alone")
    func ofAnother() {
        let item = Self.noted(1, Self.note("called Bob"))
        var fixture = Fixture([item, Fixture.item(2)])
        fixture.reply(.detail(id: Fixture.id(1)), item)
        #expect(fixture.text.contains("called Bob"))
        fixture.press(.down)
        #expect(!fixture.text.contains("called Bob"))
    }

    @Test("a refused note stays with its presentation, also while a comment is given up")
    func refusedElsewhere() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        type("call Bob", &fixture)
        fixture.press(.enter, .character("?"))
        fixture.refuse(Self.sent, Failure(.declined, "it has 50 notes, as many as are allowed"))
        fixture.press(.escape, .down, .character("n"))
        #expect(fixture.row(22) == "Note on Disk 2 is full: ▏")
        fixture = Fixture([Fixture.item(1)])
        type("call Bob", &fixture)
        fixture.press(.enter, .character("?"))
        fixture.refuse(Self.sent, Failure(.declined, "it has 50 notes, as many as are allowed"))
        fixture.press(.escape, .character("N"), .escape, .character("n"))
        #expect(fixture.row(22) == "Note on Disk 1 is full: call Bob▏")
    }

    // MARK: Comments

    private static func answer(_ comment: String? = nil) -> InboxRequest {
        .answer(id: Fixture.id(1), option: "retry", comment: comment)
    }

    @Test("N takes a comment, which stands in the detail and goes with the next answer")
    func comment() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.press(.character("N"))
        for character in "it is full" { fixture.press(.character(character)) }
        #expect(fixture.row(22) == "Comment on your answer to Disk 1 is full: it is full▏")
        #expect(fixture.row(23) == "Enter keep  Ctrl-U empty  Esc back")
        #expect(fixture.press(.enter).isEmpty)
        #expect(fixture.text.contains("  yours    it is full"))
        #expect(fixture.press(.character("r")) == [.send(Self.answer("it is full"))])
        // A refused answer keeps it, one that was taken does not.
        fixture.refuse(Self.answer("it is full"), Failure(.declined, "claimed by bob"))
        #expect(fixture.screen.typedComment(on: Fixture.id(1)) == "it is full")
        fixture.reply(
            Self.answer("it is full"),
            Fixture.item(
                1,
                [
                    "revision": 105, "stage": "leaving",
                    "answer": [
                        "id": "1", "option": "retry", "by": "ann", "via": "person",
                        "comment": "it is full",
                    ],
                ]))
        #expect(fixture.screen.comment == nil)
        #expect(!fixture.text.contains("  yours"))
    }

    @Test("A comment is for its presentation alone; one without text is none; its end is a limit")
    func commentLeft() {
        var fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.press(.character("N"), .paste("full\nnow"), .enter, .character("j"))
        #expect(
            fixture.press(.character("r"))
                == [.send(.answer(id: Fixture.id(2), option: "retry"))])
        fixture = Fixture([Fixture.item(1), Fixture.item(2)])
        fixture.press(.character("N"), .paste("full"), .enter, .down, .character("N"))
        #expect(fixture.row(22) == "Comment on your answer to Disk 2 is full: ▏")
        fixture = Fixture([Fixture.item(1)])
        fixture.press(.character("N"), .paste("full"), .enter)
        fixture.press(.character("N"), .control("u"), .enter)
        #expect(fixture.press(.character("r")) == [.send(Self.answer())])
        fixture = Fixture([Fixture.item(1)])
        let limit = ErrorReport.Limits.commentByteCount
        fixture.press(.character("N"), .paste(String(repeating: "\u{E9}", count: limit / 2)))
        #expect(fixture.row(22).hasPrefix("Comment on"))
        fixture.press(.character("y"))
        #expect(fixture.row(22).hasPrefix("a comment has at most \(limit) bytes"))
    }
}
