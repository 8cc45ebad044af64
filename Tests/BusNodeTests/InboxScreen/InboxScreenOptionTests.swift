import ErrorBus
import Testing

@testable import BusNodeKit

/// Presentations with many options at the full screen.
@Suite struct InboxScreenOptionTests {
    private typealias Fixture = ScreenFixture

    @Test("each of as many options as a report may have is chosen by a key of its own")
    func many() throws {
        let options = (1...ErrorReport.Limits.optionCount).map { number -> JSONValue in
            ["id": .string("o\(number)"), "title": .string("Retry \(number)"), "role": nil]
        }
        let item = Fixture.item(1, ["options": .array(options)])
        let keys = InboxScreen.keys(for: try #require(Fixture([item]).screen.chosen)).keys
        #expect(keys.count == options.count)
        for key in keys {
            var fixture = Fixture([item])
            let character = try #require(key.key.first, "\(key.option.id) has no key")
            #expect(
                fixture.press(.character(character))
                    == [.send(.answer(id: Fixture.id(1), option: key.option.id))])
        }
    }

    private static func failed(_ lineCount: Int) -> JSONValue {
        let lines = (1...lineCount).map { "reason \($0)" }.joined(separator: "\n")
        return Fixture.item(
            1,
            [
                "report": [
                    "failureReason": .string(lines), "recoverySuggestion": "Free some space.",
                ]
            ])
    }

    private static func read(_ item: JSONValue, _ size: ScreenSize) -> ScreenFixture {
        var fixture = Fixture([item], size: size)
        fixture.reply(.detail(id: Fixture.id(1)), item)
        return fixture
    }

    /// The row of the screen with the text.
    private static func row(_ text: String, _ fixture: ScreenFixture) -> Int? {
        (0..<fixture.screen.size.rows).first { fixture.row($0).contains(text) }
    }

    @Test(
        "the reason and the suggestion are above the options",
        arguments: [ScreenFixture.small, ScreenFixture.large])
    func factsFirst(size: ScreenSize) throws {
        let fixture = Self.read(Self.failed(2), size)
        let rows = try ["reason 2", "Free some space", "[r] Retry", "app.disk 28"].map {
            try #require(Self.row($0, fixture))
        }
        #expect(rows == rows.sorted())
    }

    @Test(
        "a reason of many lines is cut above the options, and scrolled into view",
        arguments: [
            ScreenFixture.small, ScreenFixture.large, ScreenSize(columns: 50, rows: 12), .least,
        ])
    func longReason(size: ScreenSize) throws {
        var fixture = Self.read(Self.failed(55), size)
        for key in ["[r]", "[s]"] { #expect(fixture.text.contains(key), "\(key)") }
        if size != ScreenSize.least {
            for key in ["[w]", "[a]"] { #expect(fixture.text.contains(key), "\(key)") }
        }
        #expect(fixture.text.contains("more lines"))
        if size == Fixture.small {
            #expect(fixture.text.contains("why      reason 1\n"))
            #expect(fixture.row(18) == "           …")
        }
        fixture.press(.character(">"))
        #expect(fixture.text.contains("reason 1"))
        fixture.press(.enter, .end)
        #expect(fixture.text.contains("app.disk 28"))
    }

    @Test("a key chooses only an option that has been on the screen", arguments: ["a", "4"])
    func unseen(key: Character) {
        var fixture = Fixture([Fixture.item(1)], size: .least)
        #expect(fixture.text.contains("[s]") && !fixture.text.contains("[a]"))
        #expect(fixture.press(.character(key)).isEmpty)
        #expect(fixture.row(8).hasPrefix("scroll with > first"))
        // No line is skipped.
        var lines = Set(fixture.text.split(separator: "\n"))
        for _ in 1...8 {
            fixture.press(.character(">"))
            lines.formUnion(fixture.text.split(separator: "\n"))
        }
        #expect(lines.contains { $0.contains("[w]") && $0.contains("[a]") })
        #expect(lines.contains { $0.hasPrefix("  opened ") })
        // An option that was on the screen may scroll out of it.
        fixture.press(.character("<"))
        #expect(!fixture.text.contains("[a]"))
        #expect(
            fixture.press(.character(key))
                == [.send(.answer(id: Fixture.id(1), option: "cancel"))])
    }

    @Test("until the report is read, the reason is its end, as the list has it")
    func reasonOfList() {
        let reason: [String: JSONValue] = ["failureReason": "the last lines"]
        var fixture = Fixture([Fixture.item(1, reason)])
        #expect(fixture.text.contains("why      the last lines\n"))
        fixture.reply(.detail(id: Fixture.id(1)), Self.failed(1))
        #expect(fixture.text.contains("why      reason 1\n"))
        #expect(!fixture.text.contains("the last lines"))
    }
}
