import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

@Suite struct InboxScreenDrawingTests {
    private typealias Fixture = ScreenFixture

    private static func whole(_ item: JSONValue) -> JSONValue {
        guard case .object(var object) = item else { return item }
        object["onExpiry"] = "retry"
        object["deadlineInMilliseconds"] = 45_000
        object["retryCount"] = 2
        object["report"] = [
            "description": "Disk 1 is full",
            "failureReason": "No space left on device.\nThe volume /data has 12 KiB left.",
            "recoverySuggestion": "Free some space, then retry.", "helpAnchor": "disk-full",
            "retryOf": .string(Fixture.id(77)),
            "userInfo": ["file": "/data/invoices.csv", "bytes": 48_210],
            "underlyingErrors": [
                [
                    "domain": "posix", "code": 28, "description": "write failed",
                    "underlyingErrors": [["domain": "nvme", "description": "namespace full"]],
                ]
            ],
        ]
        object["history"] = [
            [
                "time": "2026-11-21T10:00:00.000Z",
                "sentence": "Presented, offering retry, skip, wipe, cancel",
            ],
            ["time": "2026-11-21T10:00:07.000Z", "sentence": "Claimed by bob"],
        ]
        return .object(object)
    }

    private static let hostile = [
        "\u{1B}[2J\u{1B}[31mcleared", "\u{202E}desrever", "one\ntwo\rthree", "\u{9B}31m",
        "\u{7}\u{8}\u{0}", "\u{2028}\u{200B}", String(repeating: "x", count: 5_000),
        "a" + String(repeating: "\u{301}", count: 50), "│ [r] Retry (default)",
    ]

    private static func fixture(_ name: String, _ size: ScreenSize) -> ScreenFixture {
        switch name {
        case "empty": return Fixture(size: size)
        case "one":
            let item = whole(Fixture.item(1))
            var fixture = Fixture([item], size: size)
            fixture.reply(.detail(id: Fixture.id(1)), item)
            return fixture
        case "many": return many(size)
        case "wide":
            let text = "会議室の予約メールが送信できません e\u{301}a\u{308} 👍 한글"
            let titles: JSONValue = [
                ["id": "a", "title": "再試行する"], ["id": "b", "title": "取り消し", "role": "cancel"],
            ]
            return Fixture(
                [
                    Fixture.item(1, ["description": .string(text), "origin": "東京サーバー一号"]),
                    Fixture.item(2, ["description": .string(text + text), "options": titles]),
                ], size: size)
        default:
            return Fixture(
                hostile.enumerated().map { index, text in
                    Fixture.item(
                        index + 1,
                        [
                            "description": .string(text), "origin": .string(text),
                            "domain": .string(text), "path": [.string(text)],
                            "options": [["id": .string(text), "title": .string(text)]],
                        ])
                }, size: size)
        }
    }

    private static func many(_ size: ScreenSize) -> ScreenFixture {
        let severities = ["debug", "info", "warning", "error", "critical"]
        let items = (1...500).map { number in
            Fixture.item(
                number,
                [
                    "group": .integer(Int64(number % 50)),
                    "severity": .string(severities[number % 5]),
                    "description": .string("Shard \(number % 50) does not answer"),
                    "openedAt": Fixture.time(secondsAgo: Double(number) * 37),
                    "origin": .string("shard-\(number % 50)"),
                ])
        }
        var fixture = Fixture(items, size: size)
        fixture.press(.down, .enter, .down, .down)
        return fixture
    }

    @Test(
        "a reviewed screen",
        arguments: ["empty", "one", "many", "wide", "hostile"],
        [ScreenFixture.small, ScreenFixture.large])
    func golden(name: String, size: ScreenSize) throws {
        let fixture = Self.fixture(name, size)
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name)-\(size.columns)x\(size.rows).txt")
        if ProcessInfo.processInfo.environment["ERRORBUS_WRITE_GOLDEN"] == "1" {
            try fixture.text.write(to: file, atomically: true, encoding: .utf8)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        #expect(fixture.text == golden, "now:\n\(fixture.text)")
        #expect(fixture.grid.strays.isEmpty)
    }

    @Test("no text of a peer drives the terminal, in any place", arguments: hostile)
    func hostileText(text: String) {
        let value = JSONValue.string(text)
        let item = Fixture.item(
            1,
            [
                "description": value, "origin": value, "domain": value, "path": [value],
                "stage": "claimed", "claimedBy": value, "onExpiry": value,
                "claimedUntil": Fixture.time(secondsAgo: -600), "deadlineInMilliseconds": 60_000,
                "options": [["id": value, "title": value, "role": "destructive"]],
                "report": [
                    "failureReason": value, "recoverySuggestion": value, "helpAnchor": value,
                    "retryOf": value, "userInfo": .object([text: value]),
                    "underlyingErrors": [["domain": value, "description": value]],
                ],
                "history": [
                    ["time": value, "sentence": value, "fields": .object([text: value])]
                ],
            ])
        for size in [Fixture.small, Fixture.large, ScreenSize.least] {
            var fixture = Fixture([item], size: size)
            fixture.reply(.detail(id: Fixture.id(1)), item)
            fixture.press(.character("1"), .character("C"), .character("1"), .character("y"))
            fixture.screen.lost(text, at: fixture.now.instant)
            fixture.wait(.seconds(20))
            fixture.press(.character("/"), .paste(text), .escape, .enter, .end)
            for _ in 0..<40 { fixture.press(.character(">")) }
            fixture.change(
                Fixture.item(
                    1,
                    [
                        "revision": 200, "stage": "settled", "result": value, "reason": value,
                        "ending": value, "outcome": value,
                        "answer": ["option": value, "by": value], "description": value,
                    ]))
            fixture.press(.escape, .tab)
            fixture.refuse(.release(id: text), Failure(.declined, text))
            #expect(fixture.grid.strays.isEmpty)
            #expect(!fixture.text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2028}" })
        }
    }

    @Test("on any size of screen, lines and their number fit")
    func sizes() {
        var fixture = Self.fixture("many", ScreenSize.least)
        for columns in stride(from: 1, through: 230, by: 7) {
            for rows in stride(from: 1, through: 70, by: 6) {
                fixture.screen.resized(to: ScreenSize(columns: columns, rows: rows))
                #expect(fixture.screen.frame(at: fixture.now).count <= rows)
                fixture.draw()
                #expect(fixture.grid.strays.isEmpty)
            }
        }
    }

    @Test("a screen that is too small shows the size needed")
    func tooSmall() {
        let fixture = Fixture([Fixture.item(1)], size: ScreenSize(columns: 39, rows: 10))
        #expect(fixture.text.hasPrefix("Too small:\n39x10, needs 40x10\n"))
        var blind = fixture
        #expect(blind.press(.character("r")).isEmpty)
    }

    @Test("the last line shows how to quit, however narrow the screen", arguments: [40, 60, 80])
    func wayOut(columns: Int) {
        var fixture = Fixture(
            [Fixture.item(1), Fixture.item(2, ["group": 1])],
            size: ScreenSize(columns: columns, rows: 10))
        #expect(fixture.row(9).hasSuffix("q quit"))
        fixture.press(.character("r"))
        #expect(fixture.row(9) == "y all 2  o only this  Esc back")
    }

    @Test("the position in a long list is shown, short where room is scarce")
    func position() {
        var fixture = Fixture((1...30).map { Fixture.item($0) })
        fixture.press(.pageDown)
        #expect(fixture.row(0).contains(" row 8 of 30 "))
        fixture.press(.end)
        #expect(fixture.row(0).contains(" row 30 of 30, 22 above "))
        fixture.screen.resized(to: ScreenSize(columns: 60, rows: 24))
        fixture.draw()
        #expect(fixture.row(0).contains(" 30/30 "))
        fixture.screen.resized(to: .least)
        fixture.draw()
        #expect(!fixture.row(0).contains("30/30"))
    }

    @Test("the help fits into a terminal of the usual size")
    func help() {
        var fixture = Fixture([Fixture.item(1)])
        fixture.press(.character("?"))
        #expect(!fixture.text.contains("…"))
        #expect(fixture.text.contains("write a note"))
        #expect(fixture.text.contains("leave a member of an opened group out"))
        #expect(fixture.text.contains("hand the claim to another person"))
        #expect(fixture.row(21) == " Answers and notes are by ann.")
        #expect(fixture.row(23) == "any key back")
    }

    private static func known(_ item: JSONValue) -> JSONValue {
        guard case .object(var object) = item else { return item }
        var earlier = EarlierView()
        earlier.count = 15
        earlier.options = [("retry", 14, 12), ("wipe", 1, 0)].map { option, answered, recovered in
            var view = EarlierOptionView()
            (view.option, view.answered, view.recovered) = (option, answered, recovered)
            return view
        }
        var past = HistoryEntry()
        past.openedAt = "2026-11-20T10:00:00.000Z"
        past.option = "retry"
        past.by = "ada"
        (past.result, past.ending) = ("recovered", "recovered")
        earlier.latest = [past]
        object["earlier"] = earlier.json
        return .object(object)
    }

    @Test("an option has its results with the same error, where it leaves room for all options")
    func results() {
        let item = Self.known(Fixture.item(1))
        var fixture = Fixture([item])
        #expect(!fixture.text.contains("in 7 days"))
        fixture.reply(.detail(id: Fixture.id(1)), item)
        #expect(fixture.text.contains("[r] Retry (default), recovered 12 of 14 in 7 days"))
        #expect(fixture.text.contains("[w] Wipe (destructive), recovered 0 of 1 in 7 days"))
        #expect(fixture.text.contains("earlier  the same 15 times in 7 days"))
        #expect(fixture.text.contains("2026-11-20T10:00:00.000Z retry by ada: recovered"))
        fixture = Fixture([item], size: ScreenSize(columns: 50, rows: 12))
        fixture.reply(.detail(id: Fixture.id(1)), item)
        for key in ["[r]", "[s]", "[w]", "[a]"] { #expect(fixture.text.contains(key), "\(key)") }
        #expect(!fixture.text.contains("recovered"))
        // Those of another presentation are not shown.
        fixture = Fixture([Fixture.item(2)])
        fixture.reply(.detail(id: Fixture.id(1)), item)
        #expect(!fixture.text.contains("in 7 days"))
    }

    @Test("on a smaller screen the help is scrolled, and any other key closes it")
    func smallHelp() {
        var fixture = Fixture([Fixture.item(1)], size: ScreenSize(columns: 80, rows: 12))
        fixture.press(.character("?"))
        #expect(fixture.row(1).hasPrefix(" Keys"))
        #expect(fixture.row(11) == "↑↓ PgUp PgDn scroll  any other key back")
        fixture.press(.down)
        #expect(fixture.row(2).contains("↑ ↓ k j"))
        for _ in 1...4 { fixture.press(.pageDown) }
        #expect(fixture.row(9) == " Answers and notes are by ann.")
        fixture.press(.home)
        #expect(fixture.row(1).hasPrefix(" Keys"))
        #expect(fixture.press(.end, .character("x")).isEmpty)
        #expect(fixture.screen.mode == .list && fixture.screen.detailTop == 0)
    }

    @Test("a near deadline is in the list, with the option applied then")
    func due() {
        let near = Fixture.item(1, ["deadlineInMilliseconds": 45_000, "onExpiry": "skip"])
        let far = Fixture.item(2, ["deadlineInMilliseconds": 3_600_000, "onExpiry": "skip"])
        var fixture = Fixture([near, far], size: Fixture.large)
        #expect(fixture.row(1).contains("45s → Skip it"))
        #expect(!fixture.row(2).contains("Skip it │"))
        fixture.wait(.seconds(5))
        #expect(fixture.row(1).contains("40s → Skip it"))
        #expect(Fixture([near], size: .least).row(1).contains("45s left"))
    }

    @Test("the list has the age of what waits, and the time since the end of what has ended")
    func ages() {
        let done: [String: JSONValue] = [
            "stage": "settled", "outcome": "Recovered", "answer": ["option": "retry", "by": "bob"],
        ]
        var fixture = Fixture([Fixture.item(1), Fixture.item(2, done)])
        #expect(fixture.row(1).hasPrefix(">  ✕        90s  Disk 1 is full"))
        fixture.press(.tab)
        #expect(fixture.row(1).hasPrefix(">  ✕        30s  Disk 2 is full"))
    }

    @Test("the list names who has claimed a presentation, as long as the claim lasts")
    func claimants() {
        func claimed(_ number: Int, by person: JSONValue) -> JSONValue {
            Fixture.item(
                number,
                [
                    "stage": "claimed", "claimedBy": person,
                    "claimedUntil": Fixture.time(secondsAgo: -60),
                ])
        }
        var fixture = Fixture([claimed(1, by: "ann"), claimed(2, by: "bob")])
        #expect(fixture.row(1).hasSuffix("yours"))
        #expect(fixture.row(2).hasSuffix("@bob"))
        fixture.wait(.seconds(61))
        #expect(!fixture.row(1).contains("yours") && !fixture.row(2).contains("@bob"))
    }

    @Test("at another row the text begins at its top")
    func scrolled() {
        let facts = (1...60).map { "line \($0)" }.joined(separator: "\n")
        let long = Fixture.item(1, ["report": ["failureReason": .string(facts)]])
        var fixture = Fixture([long, Fixture.item(2)])
        fixture.reply(.detail(id: Fixture.id(1)), long)
        fixture.press(.character(">"))
        #expect(fixture.screen.detailTop == 3)
        fixture.press(.down)
        #expect(fixture.screen.detailTop == 0)
    }

    @Test("columns without claimants are used for the error and its origin")
    func freeColumns() {
        let text = String(repeating: "long ", count: 15) + "end"
        var fixture = Fixture([Fixture.item(1, ["description": .string(text)])])
        fixture.screen.resized(to: Fixture.large)
        fixture.draw()
        #expect(fixture.row(1).contains(text))
        let origin = "payments-eu-west-1-worker-17"
        fixture = Fixture([Fixture.item(1, ["origin": .string(origin)])], size: Fixture.large)
        #expect(fixture.row(1).contains(origin))
    }

    @Test("10,000 open: one screen is drawn, and a move rewrites two lines of the list")
    func tenThousand() {
        var fixture = Fixture((1...10_000).map { Fixture.item($0) }, size: Fixture.large)
        #expect(fixture.screen.rows.count == 10_000)
        #expect(fixture.screen.frame(at: fixture.now).count == 50)
        fixture.press(.end)
        #expect(fixture.row(47).hasPrefix(">"))
        #expect(fixture.screen.chosen?.id == Fixture.id(10_000))
        var painter = ScreenPainter(isColored: false)
        _ = painter.paint(fixture.screen.frame(at: fixture.now), Fixture.large)
        #expect(painter.paint(fixture.screen.frame(at: fixture.now), Fixture.large).isEmpty)
        _ = fixture.screen.pressed(.up, at: fixture.now)
        let text = painter.paint(fixture.screen.frame(at: fixture.now), Fixture.large)
        // The two rows, and what the other one's text changes beside the list.
        #expect(text.count(where: { $0 == "K" }) <= 8)
    }

    @Test("drawing the changes gives the same screen as drawing everything")
    func incremental() {
        var fixture = Self.fixture("many", Fixture.small)
        for key in [.down, .enter, .pageDown, .character("?"), .character("x"), .tab, .tab, .home]
            as [ScreenKey]
        {
            fixture.press(key)
            var whole = ScreenGrid(Fixture.small)
            var painter = ScreenPainter(isColored: false)
            whole.write(painter.paint(fixture.screen.frame(at: fixture.now), Fixture.small))
            #expect(whole.text == fixture.text)
        }
    }

    @Test("without colours the same information is shown")
    func monochrome() {
        var fixture = Self.fixture("many", Fixture.small)
        var painter = ScreenPainter(isColored: false)
        let text = painter.paint(fixture.screen.frame(at: fixture.now), Fixture.small)
        for code in [";31", ";32", ";33", ";36"] { #expect(!text.contains(code)) }
        #expect(fixture.row(4).hasPrefix(">"))
        #expect(fixture.text.contains("‼"))
    }
}
