import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

/// Answering a group at the full screen: what is read before one answer counts for all.
@Suite struct InboxScreenGroupTests {
    private typealias Fixture = ScreenFixture

    private static func group(_ descriptions: String..., filler: Int = 0) -> [JSONValue] {
        let all = descriptions + Array(repeating: descriptions[0], count: filler)
        return all.enumerated().map { index, text in
            Fixture.item(
                index + 1,
                [
                    "group": 7, "description": .string(text),
                    "origin": .string("worker-\(index + 1)"),
                    "severity": index == 1 ? "critical" : "error",
                ])
        }
    }

    @Test("before an answer for all, the members and their differences are shown")
    func members() {
        var fixture = Fixture(Self.group("Disk a is full", "Disk b is full"))
        fixture.press(.character("r"))
        for text in [
            "2 presentations · 2 descriptions · 2 origins · 1 critical, 1 error",
            "✕ Disk a is full", "‼ Disk b is full", "worker-1", "worker-2",
        ] { #expect(fixture.text.contains(text), "\(text)") }
        fixture = Fixture(Self.group("Disk is full", "Disk is full"))
        fixture.press(.character("r"))
        #expect(fixture.text.contains("2 presentations · one description · 2 origins"))
    }

    @Test("different descriptions need a confirmation for all", arguments: ["y", "n"])
    func differing(key: Character) {
        var fixture = Fixture(Self.group("Disk a is full", "Disk b is full", "Disk b is full"))
        #expect(fixture.press(.character("r"), .character("y")).isEmpty)
        #expect(fixture.row(22) == "Retry for all 3? They have 2 different descriptions.")
        #expect(fixture.text.contains("Disk a is full"))
        #expect(fixture.text.contains("Disk b is full"))
        let sent: [InboxScreen.Action] = [
            .send(.answerGroup(7, option: "retry", seen: 100))
        ]
        #expect(fixture.press(.character(key)) == (key == "y" ? sent : []))
        #expect(fixture.screen.mode == .list)
        // One of them needs no more than before.
        fixture = Fixture(Self.group("Disk a is full", "Disk b is full"))
        #expect(
            fixture.press(.character("r"), .character("o"))
                == [.send(.answer(id: Fixture.id(1), option: "retry"))])
    }

    @Test("different reasons of one description are shown, and need a confirmation for all")
    func differingReasons() {
        var items = Self.group("Boom", "Boom", "Boom")
        for (index, reason) in ["disk full", "disk full", "lease over"].enumerated() {
            let more: [String: JSONValue] = [
                "group": 7, "description": "Boom", "failureReason": .string(reason),
            ]
            items[index] = Fixture.item(index + 1, more)
        }
        var fixture = Fixture(items)
        #expect(fixture.press(.character("r"), .character("y")).isEmpty)
        #expect(fixture.row(22) == "Retry for all 3? They have 2 different reasons.")
        for text in ["one description · 2 reasons", "✕ disk full", "✕ lease over"] {
            #expect(fixture.text.contains(text), "\(text)")
        }
        #expect(
            fixture.press(.character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100))])
        // Equal reasons need none.
        fixture = Fixture(Array(items.prefix(2)))
        #expect(
            fixture.press(.character("r"), .character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100))])
    }

    @Test("a command lists the different reasons of one description, each once")
    func reasonLines() throws {
        func members(_ descriptions: [String]) throws -> InboxMembers {
            let reasons: [JSONValue] = ["disk\u{1B} full", .null, "disk\u{1B} full", "lease over"]
            let entries = try zip(descriptions, reasons).enumerated().map { index, texts in
                let more: [String: JSONValue] = [
                    "group": 7, "description": .string(texts.0), "failureReason": texts.1,
                ]
                return try #require(
                    InboxEntry(
                        Fixture.item(index + 1, more), at: ManualTime(date: Fixture.date).now))
            }
            return InboxMembers(entries)
        }
        let alike = try members(Array(repeating: "Boom", count: 4))
        #expect(
            alike.reasonLines(atMost: 2)
                == ["why: disk\\u{1B} full", "why: no reason", "and 1 more reason"])
        #expect(alike.reasonLines(atMost: 3).last == "why: lease over")
        // Those of different descriptions are all listed by these.
        #expect(try members(["A", "B", "C", "D"]).reasonLines(atMost: 2).isEmpty)
        #expect(try members(["Boom"]).reasonLines(atMost: 2).isEmpty)
    }

    @Test("long descriptions, of which lists have the beginnings, may differ at their ends")
    func longDescriptions() throws {
        let long = String(repeating: "x", count: ConsoleLimits.descriptionScalarMax)
        let items = Self.group(long, long)
        let now = ManualTime(date: Fixture.date).now
        let entries = items.compactMap { InboxEntry($0, at: now) }
        let unknown = InboxMembers(entries)
        #expect(unknown.differ)
        #expect(unknown.difference == "long descriptions, which may end differently")
        let different = InboxMembers(entries, varies: ["description"])
        #expect(different.difference == "descriptions that end differently")
        #expect(different.facts.contains("descriptions that end differently"))
        let alike = InboxMembers(entries, varies: ["userInfo"])
        #expect(alike.difference == nil && alike.facts.contains("one description"))
        #expect(!InboxMembers(entries.prefix(1)).differ)
        var fixture = Fixture(items)
        #expect(fixture.press(.character("r"), .character("y")).isEmpty)
        #expect(fixture.row(22).hasPrefix("Retry for all 2? They have long descriptions, which"))
        #expect(
            fixture.press(.character("y")) == [.send(.answerGroup(7, option: "retry", seen: 100))])
    }

    @Test("an option that is destructive for any member needs a confirmation for all")
    func destructive() {
        var items = Self.group("Disk is full", "Disk is full")
        items[1] = Fixture.item(
            2,
            [
                "group": 7, "description": "Disk is full",
                "options": [["id": "retry", "title": "Retry", "role": "destructive"]],
            ])
        var fixture = Fixture(items)
        #expect(fixture.press(.character("r"), .character("y")).isEmpty)
        #expect(fixture.row(22) == "Retry for all 2? This cannot be undone.")
    }

    @Test("a filter hides no member from an answer for all")
    func filtered() {
        var fixture = Fixture(Self.group("Alpha is full", "Alpha is full", "Beta is full"))
        fixture.press(.character("/"), .paste("alpha"), .enter)
        #expect(fixture.screen.rows.map(\.count) == [2])
        fixture.press(.character("r"))
        #expect(fixture.row(22).hasPrefix("Retry: all 3 of this group"))
        #expect(fixture.text.contains("Beta is full"))
    }

    @Test("scrolling many members answers none")
    func many() {
        var fixture = Fixture(Self.group("Disk is full", filler: 39))
        fixture.press(.character("r"))
        #expect(!fixture.text.contains("worker-40"))
        for _ in 1...12 { #expect(fixture.press(.character(">")).isEmpty) }
        #expect(fixture.text.contains("worker-40"))
        #expect(
            fixture.press(.character("y"))
                == [.send(.answerGroup(7, option: "retry", seen: 100))])
    }

    @Test("a group has the mark of its highest severity")
    func severity() {
        let fixture = Fixture(Self.group("Disk a is full", "Disk b is full") + [Fixture.item(9)])
        #expect(fixture.row(1).hasPrefix(">▸ ‼    ×2"))
        #expect(fixture.text.contains("the first of 2, the gravest critical"))
        #expect(fixture.row(2).hasPrefix("   ✕"))
    }

    @Test("a burst leaves the cursor on the most severe row until one could be read")
    func burst() {
        var fixture = Fixture()
        fixture.change(Fixture.item(1, ["severity": "info", "revision": 101]))
        fixture.draw()
        for number in 2...30 {
            fixture.wait(.milliseconds(100))
            let severity: JSONValue = number > 20 ? "critical" : "warning"
            fixture.change(
                Fixture.item(
                    number, ["severity": severity, "revision": .integer(Int64(100 + number))]))
            fixture.draw()
            if number == 2 { #expect(fixture.screen.chosen?.id == Fixture.id(2)) }
        }
        // Number 2 had been there long enough to be read when graver ones came.
        #expect(fixture.screen.chosen?.id == Fixture.id(2))
        #expect(fixture.row(0).contains("row 11 of 30, 3 above"))
        var other = Fixture()
        for number in 1...9 {
            let severity: JSONValue = number == 9 ? "critical" : "info"
            other.change(
                Fixture.item(
                    number, ["severity": severity, "revision": .integer(Int64(100 + number))]))
            other.draw()
        }
        #expect(other.screen.chosen?.id == Fixture.id(9))
        #expect(other.screen.top == 0)
    }

    @Test("in a whole presentation PgDn shows its next page")
    func pages() {
        let facts = (1...60).map { "line \($0)" }.joined(separator: "\n")
        let long = Fixture.item(1, ["report": ["failureReason": .string(facts)]])
        var fixture = Fixture([long, Fixture.item(2)])
        fixture.reply(.detail(id: Fixture.id(1)), long)
        fixture.press(.enter, .pageDown)
        #expect(fixture.screen.chosen?.id == Fixture.id(1))
        #expect(fixture.text.contains("line 20\n"))
        fixture.press(.end)
        #expect(fixture.text.contains("line 60\n"))
        fixture.press(.home)
        #expect(fixture.text.contains("line 1\n"))
    }

    @Test("options are visible whenever their keys work, however small the screen")
    func optionsFit() {
        let title = String(repeating: "A long title that takes lines. ", count: 6)
        let fixture = Fixture(
            [Fixture.item(1, ["description": .string(title)])],
            size: ScreenSize(columns: 50, rows: 12))
        for key in ["[r]", "[s]", "[w]", "[a]"] { #expect(fixture.text.contains(key), "\(key)") }
        #expect(fixture.text.contains("A long title"))
    }

    @Test("quitting prints an answer that is not yet sent")
    func farewell() {
        var fixture = Fixture([Fixture.item(1)])
        #expect(fixture.screen.farewell(at: fixture.now).isEmpty)
        fixture.press(.character("r"))
        #expect(fixture.screen.farewell(at: fixture.now).count == 1)
        fixture.reply(
            .answer(id: Fixture.id(1), option: "retry"),
            Fixture.item(1, ["revision": 101, "stage": "leaving"]))
        let words = fixture.screen.farewell(at: fixture.now)
        #expect(words.count == 1)
        #expect(words[0].contains("sent in 5 s unless bus-node inbox undo \(Fixture.id(1))"))
        fixture.wait(.seconds(6))
        #expect(fixture.screen.farewell(at: fixture.now).isEmpty)
    }

    @Test("no member's text drives the terminal")
    func hostile() {
        var fixture = Fixture(Self.group("\u{1B}[2J\u{9B}31m", "\u{202E}x"))
        fixture.press(.character("r"), .character("y"))
        #expect(fixture.grid.strays.isEmpty)
        #expect(fixture.text.contains("\\u{1B}"))
    }
}
