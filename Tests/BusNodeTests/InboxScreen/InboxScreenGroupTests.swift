import ErrorBus
import Testing

@testable import bus_node

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

    @Test("before an answer for all, each is shown, and what varies")
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

    @Test("where descriptions differ, all is asked about once more", arguments: ["y", "n"])
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

    @Test("an option that is destructive for any of them is asked about for all")
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

    @Test("a filter hides no member of what is answered")
    func filtered() {
        var fixture = Fixture(Self.group("Alpha is full", "Alpha is full", "Beta is full"))
        fixture.press(.character("/"), .paste("alpha"), .enter)
        #expect(fixture.screen.rows.map(\.count) == [2])
        fixture.press(.character("r"))
        #expect(fixture.row(22).hasPrefix("Retry: all 3 of this group"))
        #expect(fixture.text.contains("Beta is full"))
    }

    @Test("many members are scrolled without an answer")
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

    @Test("a group has the mark of the gravest of its members")
    func severity() {
        let fixture = Fixture(Self.group("Disk a is full", "Disk b is full") + [Fixture.item(9)])
        #expect(fixture.row(1).hasPrefix(">▸ ‼    ×2"))
        #expect(fixture.text.contains("the first of 2, the gravest critical"))
        #expect(fixture.row(2).hasPrefix("   ✕"))
    }

    @Test("what a member says drives no terminal")
    func hostile() {
        var fixture = Fixture(Self.group("\u{1B}[2J\u{9B}31m", "\u{202E}x"))
        fixture.press(.character("r"), .character("y"))
        #expect(fixture.grid.strays.isEmpty)
        #expect(fixture.text.contains("\\u{1B}"))
    }
}
