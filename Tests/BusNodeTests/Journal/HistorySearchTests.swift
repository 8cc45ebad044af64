import ErrorBusTesting
import Foundation
import GRDB
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Searches over lists and over the history in a journal.
@Suite struct HistorySearchTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("search-\(UUID().uuidString)/central.sqlite").path
    private let start = ManualTime().now

    private func id(_ number: UInt64) -> PresentationID {
        PresentationID(UniqueID(high: 0, low: number))
    }

    private func item(_ number: UInt64, _ change: (inout ErrorReport) -> Void = { _ in })
        -> InboxItem
    {
        var report = ErrorReport(
            domain: "com.acme.db", description: "Disk full", severity: .error,
            options: [.init(id: "retry", title: "Try again")])
        change(&report)
        let presentation = InboxPresentation(
            id: id(number), report: report, origin: "worker-1")
        // Two at a time.
        return InboxItem(
            presentation, group: 0, at: start + .seconds(Int(number) / 2), revision: number)
    }

    private func answered(_ number: UInt64, by person: String) -> InboxItem {
        var item = item(number)
        let answer = Answer(option: "retry", by: person, via: .person, comment: "Logs \"rotated\".")
        item.stage = .settled(answer, .recovered)
        return item
    }

    private static let conditions: [([String: String], Set<UInt64>)] = [
        ([:], [1, 2, 3, 4]), (["q": "dISK"], [1, 2, 4]), (["q": "100%"], [3]), (["q": "_"], []),
        (["by": "ann"], [4]), (["by": "a*"], [4]), (["by": "a"], []), (["by": "a?n"], []),
        (["domain": "com.*"], [1, 2, 4]), (["domain": "[x]"], [3]), (["origin": "worker-?"], []),
        (["origin": "worker-1"], [1, 2, 3, 4]), (["option": "retry"], [4]),
        (["severity": "critical"], [2]), (["severity": ">=error"], [1, 2, 3, 4]),
        (["severity": ">= critical"], [2]), (["q": "again"], [4]), (["end": "recovered"], [4]),
        (["end": "op*"], [1, 2, 3]),
        (["end": "not*"], []), (["q": "full", "severity": "error"], [1, 4]),
        (["since": "2100-01-01T00:00:00Z"], []), (["until": "1990-01-01T00:00:00Z"], []),
        (["until": "2100-01-01T00:00:00.000Z"], [1, 2, 3, 4]), (["q": "00000002"], [2]),
        (["q": "called bob/"], [2]), (["q": "text"], []), (["by": "e?e"], []), (["by": "ev*"], [2]),
        (["q": "eve"], [2]), (["q": "\"ROTATED\""], [4]), (["q": "comment"], []),
    ]

    @Test("The same conditions hold in lists and in the journal", arguments: conditions)
    func search(fields: [String: String], expected: Set<UInt64>) async throws {
        var items = [
            item(1), item(2) { $0.severity = .critical },
            item(3) { ($0.domain, $0.description) = ("[x]", "100% used") },
            answered(4, by: "ann"),
        ]
        items[1].notes = [
            InboxNote(id: id(9).value, by: "eve", text: "Called Bob/Tim", at: start)
        ]
        let filter = try HistoryFilter(fields)
        let ids = Set(expected.map(id))
        #expect(Set(items.filter(filter.matches).map(\.id)) == ids)
        let journal = try SQLiteJournal(path)
        try await journal.keep(items, [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        let page = try await archive.presentations(filter, console: 0, limit: 10)
        #expect(Set(page.entries.map(\.id)) == Set(ids.map(\.description)))
        #expect(page.next == nil)
        #expect(try await archive.presentations(filter, console: 1, limit: 9).entries.isEmpty)
    }

    @Test("The history has each end in the words of the list, that of an earlier version too")
    func writtenEnds() async throws {
        var items = [
            item(1) { $0.options = [.init(id: "stop", title: "Stop", role: .cancel)] },
            answered(2, by: "ann"), item(3), item(4) { $0.onExpiry = "retry" },
        ]
        items[0].stage = .settled(Answer(option: "stop", by: "ann", via: .person), .failed)
        items[1].failedAgain = items[2].id
        items[2].stage = .closed(.declined)
        items[3].stage = .closed(.expired)
        #expect(
            items.map(\.ending) == [
                "cancelled", "failed again", Outcome.Reason.declined.words,
                Outcome.Reason.expired.words(applying: "retry"),
            ])
        // Of the last one the report is gone.
        items.append(item(5) { $0.options = [.init(id: "stop", title: "Stop", role: .cancel)] })
        items[4].stage = .settled(Answer(option: "stop", by: "ann", via: .person), .failed)
        let kept = items
        func written() async throws -> [String?] {
            let archive = try #require(try HistoryArchive(path))
            let page = try await archive.presentations(HistoryFilter(), console: 0, limit: 9)
            return page.entries.reversed().map(\.ending)
        }
        do {
            let journal = try SQLiteJournal(path)
            try await journal.keep(kept, [], console: 0)
            #expect(try await written() == kept.map(\.ending))
            for item in kept.dropLast() {
                try await journal.shown(
                    item.id, .init(origin: nil, digest: nil, report: item.report))
            }
            try await journal.access { database in
                try database.execute(sql: "ALTER TABLE history DROP COLUMN ending")
                try database.execute(
                    sql: """
                        DELETE FROM grdb_migrations
                        WHERE identifier LIKE '14 %' OR identifier LIKE '17 %'
                        """)
            }
        }
        _ = try SQLiteJournal(path, of: "central")
        #expect(
            try await written() == [
                "cancelled", "failed again", Outcome.Reason.declined.words,
                Outcome.Reason.expired.words, "not recovered",
            ])
    }

    @Test("Earlier ones of the same cause count by option, whatever their options were")
    func earlier() async throws {
        var items = [
            answered(1, by: "ann"), answered(2, by: "bob"), answered(3, by: "ann"), item(4),
        ]
        items[1].failedAgain = items[2].id
        items[2].stage = .settled(Answer(option: "skip", by: "ann", via: .person), .failed)
        let other = item(5) { $0.code = 7 }
        let asked = item(6) { $0.options = [.init(id: "wipe", title: "Wipe")] }
        let journal = try SQLiteJournal(path)
        try await journal.keep(items + [other, asked], [], console: 0)
        try await journal.keep([answered(7, by: "eve")], [], console: 1)
        let archive = try #require(try HistoryArchive(path))
        let view = try await archive.earlier(
            than: asked.id, of: asked.report, console: 0, since: start.date)
        #expect(view.count == 4)
        #expect(view.options.map(\.option) == ["retry", "skip"])
        #expect(
            view.options.map { [$0.answered, $0.recovered, $0.failed] } == [[2, 1, 1], [1, 0, 1]])
        #expect(view.latest.map(\.id) == [4, 3, 2, 1].map { id($0).description })
        // Two of them open at a time.
        let later = try await archive.earlier(
            than: asked.id, of: asked.report, console: 0, since: items[2].openedAt.date)
        #expect(later.count == 3)
        let without = try await archive.earlier(
            than: other.id, of: other.report, console: 0, since: start.date)
        #expect(without.count == 0 && without.options.isEmpty && without.latest.isEmpty)
    }

    @Test("A retry that asks again counts what it repeats as failed before the journal has that")
    func repeated() async throws {
        let asked = item(3) { $0.retryOf = id(2) }
        let journal = try SQLiteJournal(path)
        try await journal.keep(
            [answered(1, by: "ann"), answered(2, by: "bob")], [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        let view = try await archive.earlier(
            than: asked.id, of: asked.report, console: 0, since: start.date)
        #expect(view.results["retry"] == "recovered 1 of 2 in \(EarlierView.days) days")
        #expect(view.options.map(\.failed) == [1])
        #expect(view.latest.map(\.ending) == ["failed again", "recovered"])
    }

    @Test("Pages follow each other without a gap, also within one moment")
    func pages() async throws {
        let items = (1...7 as ClosedRange<UInt64>).map { item($0) }
        let journal = try SQLiteJournal(path)
        try await journal.keep(items, [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        var found: [String] = []
        var filter = HistoryFilter()
        repeat {
            let page = try await archive.presentations(filter, limit: 2)
            found += page.entries.map(\.id)
            filter = try HistoryFilter(page.next.map { ["until": $0] } ?? [:])
        } while filter.until != nil
        #expect(found == items.reversed().map(\.id.description))
        #expect(items.newestFirst.map(\.id) == items.reversed().map(\.id))
    }

    @Test("Events are searched in the journal and in memory alike")
    func events() async throws {
        let history = AuditHistory()
        let id = id(1)
        for number in 0..<5 {
            history.record(
                .decided(id, "option-\(number)", by: number == 3 ? "bob" : "ann \"a/n\" \\"))
        }
        let journal = try SQLiteJournal(path)
        try await journal.keep([], history.events(after: 0, limit: 9).events, console: 0)
        let archive = try #require(try HistoryArchive(path))
        let cases: [([String: String], [String])] = [
            ([:], ["4", "3", "2", "1", "0"]), (["by": "bob"], ["3"]), (["q": "OPTION-2"], ["2"]),
            (["q": "\"A/N\""], ["4", "2", "1", "0"]), (["q": "n\" \\"], ["4", "2", "1", "0"]),
            (["q": "bob (person) chose"], ["3"]), (["option": "*1"], ["1"]),
            (["q": id.description, "by": "b*"], ["3"]),
            (["origin": "*"], []),
        ]
        for (fields, expected) in cases {
            let filter = try HistoryFilter(fields)
            for page in [
                try await archive.events(filter, limit: 9),
                try await history.page(filter, limit: 9),
            ] {
                let options = page.entries.compactMap { $0.fields["option"]?.suffix(1) }
                #expect(options.map(String.init) == expected, "\(fields)")
            }
        }
        let ofOne = try await archive.events(of: id, console: 0, upTo: "2100").map(\.sentence)
        #expect(ofOne == history.events(of: id).map(\.sentence) && ofOne.count == 5)
        #expect(try await archive.events(of: id, console: 0, upTo: "1990").isEmpty)
        #expect(try await history.page(HistoryFilter(), limit: 9, after: 3).entries.count == 2)
        let first = try await history.page(HistoryFilter(), limit: 2)
        // A full page of what the journal lacks is not the last one.
        #expect(try await history.page(HistoryFilter(), limit: 2, after: 3).next == first.next)
        let rest = try HistoryFilter(["until": try #require(first.next)])
        #expect(try await history.page(rest, limit: 9).entries.count == 3)
        let stored = try await archive.events(HistoryFilter(), limit: 2)
        let after = try HistoryFilter(["until": try #require(stored.next)])
        #expect(try await archive.events(after, limit: 9).entries.count == 3)
    }

    @Test("What several consoles of a node have is once in the history of all")
    func severalConsoles() async throws {
        let histories = [AuditHistory(), AuditHistory()]
        for history in histories { history.record(.decided(id(1), "retry", by: "ann")) }
        histories[0].note(.claim(until: start), id(1), by: "ann")
        histories[1].note(.claim(until: start), id(2), by: "bob")
        var (first, second) = (item(1), answered(1, by: "ann"))
        first.notes = [
            InboxNote(id: id(8).value, by: "bob", text: "later", at: start + .seconds(1))
        ]
        second.notes = [InboxNote(id: id(9).value, by: "eve", text: "before", at: start)]
        second.changedAt = start + .seconds(9)
        let journal = try SQLiteJournal(path)
        for (console, items) in [[first, item(2)], [second, item(3)]].enumerated() {
            let events = histories[console].events(after: 0, limit: 9).events
            try await journal.keep(items, events, console: console)
        }
        let archive = try #require(try HistoryArchive(path))
        let all = try await archive.events(HistoryFilter(), limit: 9)
        #expect(all.entries.map(\.event).sorted() == ["claim", "claim", "decide"])
        for console in 0...1 {
            let own = try await archive.events(HistoryFilter(), console: console, limit: 9)
            #expect(own.entries.map(\.event).sorted() == ["claim", "decide"])
        }
        let page = try await archive.presentations(HistoryFilter(), limit: 3)
        #expect(page.entries.map(\.id) == [3, 2, 1].map { id($0).description })
        #expect(page.next == nil)
        let joined = try #require(page.entries.last)
        #expect(joined.stage == "settled" && joined.notes.map(\.by) == ["eve", "bob"])
        let noted = try await archive.presentations(try HistoryFilter(["by": "bob"]), limit: 9)
        #expect(noted.entries.map(\.id) == [id(1).description])
        let one = try await archive.presentations(HistoryFilter(), console: 0, limit: 9)
        #expect(one.entries.last?.notes.map(\.by) == ["bob"])
    }

    @Test(
        "Conditions that cannot be read are refused with what is allowed",
        arguments: [
            ("since", "yesterday", "a time such as"), ("until", "2026", "or next of a response"),
            ("until", "2026-11-21T10:00:00Z/'", "or next of a response"),
            ("severity", "bad", "debug, info"), ("severity", ">=bad", "or >= before one of them"),
            ("severity", ">error", "or >= before one of them"),
            ("end", "nonsense", "recovered, not recovered"), ("end", "Recovered", "left"),
            ("q", String(repeating: "x", count: 201), "at most 200 characters"),
        ])
    func refused(name: String, value: String, allowed: String) {
        #expect {
            try HistoryFilter([name: value])
        } throws: { error in
            "\(error)".hasPrefix("\(name): found ") && "\(error)".contains(allowed)
        }
    }

    @Test(
        "Ends that a list may have are taken, with the option applied, and all parts of an end",
        arguments: HistoryFilter.ends + [
            "open", "left", "answered", "settled", InboxItem.unrecordedWord,
            Outcome.Reason.expired.words(applying: "skip"), "non*", "shutDown",
        ])
    func ends(text: String) throws {
        #expect(try HistoryFilter(["end": text]).end?.text == text)
    }

    @Test("A time of the past is a time, a day, or how long ago in minutes, hours, days or weeks")
    func ages() throws {
        let now = try Date("2026-11-21T10:00:00Z", strategy: .iso8601)
        for (text, seconds) in [("30m", 1_800), ("2h", 7_200), ("3d", 259_200), ("2w", 1_209_600)] {
            let expected = TimeText.text(now - TimeInterval(seconds))
            #expect(PastTime.read(text, now: now) == expected, "\(text)")
        }
        #expect(PastTime.read("2026-11-02", now: now) == "2026-11-02T00:00:00.000Z")
        #expect(PastTime.read("2026-11-02", isEnd: true, now: now) == "2026-11-03T00:00:00.000Z")
        let wrong = ["w", "-2w", "2.5w", "2W", "2 w", "99999w"]
        for text in wrong + ["2026-13-02", "2026-11-2", "2026-11-31"] {
            #expect(PastTime.read(text, now: now) == nil, "\(text)")
        }
    }

    @Test("A command names what its options take beside what a query does")
    func options() {
        func text(_ name: String, _ value: String) -> String? {
            do throws(InvalidFilter) {
                _ = try HistoryFilter([name: value])
                return nil
            } catch {
                return error.forOption
            }
        }
        let time = PastTime.allowed
        #expect(text("since", "yesterday") == "--since: found \"yesterday\", allowed: \(time)")
        #expect(text("q", String(repeating: "x", count: 201))?.hasPrefix("--text: found ") == true)
    }

    @Test(
        "Cells of a spreadsheet are text, never formulas",
        arguments: [
            ("plain", "plain"), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"),
            ("=\u{301}1", "'=\u{301}1"), ("-\u{FE0F}1", "'-\u{FE0F}1"), ("  =1", "  '=1"),
            ("x;=1;y", "\"x;'=1;y\""), ("x; +1|@a", "\"x; '+1|'@a\""), ("a-b=c", "a-b=c"),
            ("a,b", "\"a,b\""), ("a,\u{301}b", "\"a,\u{301}b\""),
            ("a\"\u{301},=1", "\"a\"\"\u{301},=1\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""), ("a\tb", "a\\tb"),
            ("\r=1", "\\r=1"), ("\u{1B}[2J", "\\e[2J"), ("", ""),
        ])
    func cells(text: String, expected: String) {
        let cell = CSVText.cell(.string(text))
        #expect(cell == expected || text.first == "\u{1B}" && !cell.contains("\u{1B}"))
    }

    @Test("No program reads a formula in an export, whatever begins a cell for it")
    func otherSeparators() {
        for text in ["=1", ";=1", "; =1", "x;\t+1", "|-1", ";;@a", ";＝1", "a;\"=1"] {
            for value in [.string(text), .array([.string(text)]), ["k": .string(text)]]
                as [JSONValue]
            {
                for cell in CSVText.cell(value).split(whereSeparator: { ";|\t".contains($0) }) {
                    let start = cell.first { !$0.isWhitespace && $0 != "\"" }
                    #expect(start.map { "=+-@＝".contains($0) } != true)
                }
            }
        }
    }

    @Test(
        "A cell of JSON can be read as such",
        arguments: [
            "/b", "a\u{200B}b", "\u{202E}x", ";=1; @a|+2", "\"", "line\nline", "\u{1B}[2J",
            String(repeating: "x", count: 20_000),
        ])
    func json(text: String) throws {
        let value: JSONValue = ["k": .string(text), "n": [1, -5]]
        let cell = CSVText.cell(value)
        #expect(cell.first == "\"" && cell.last == "\"")
        let json = cell.dropFirst().dropLast().replacingOccurrences(of: "\"\"", with: "\"")
        #expect(try JSONValue.parse(Array(json.utf8)) == value)
    }

    @Test("A list as CSV has a line of names, and numbers stay numbers")
    func csv() {
        var entry = HistoryEntry()
        (entry.id, entry.code, entry.path) = ("1", -5, ["w", "r"])
        let lines = CSVText.text([entry]).components(separatedBy: "\r\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("openedAt,id,stage,severity,domain,code,"))
        #expect(lines[1] == ",1,,,,-5,,,w r,,0,,,,,,,,,,,,,,,,,")
        entry.values = ["path": "/b", "size": 3]
        entry.secrets = ["pin", "token"]
        let given = CSVText.text([entry]).components(separatedBy: "\r\n")[1]
        #expect(given.hasSuffix(#",,"{""path"":""/b"",""size"":3}",pin token,,,,"#))
    }

    @Test("An answer has its values in the history, and of its secrets the names alone")
    func values() async throws {
        var given = item(1)
        let answer = Answer(
            option: "retry", by: "ann", via: .person, values: ["path": "/b"],
            secrets: ["pin": "hunter2"])
        given.stage = .settled(answer, .recovered)
        let journal = try SQLiteJournal(path)
        try await journal.keep([given, item(2)], [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        let page = try await archive.presentations(HistoryFilter(), limit: 9)
        #expect(page.entries.map(\.id) == [2, 1].map { id($0).description })
        #expect(page.entries.map(\.values) == [[:], ["path": "/b"]])
        #expect(page.entries.map(\.secrets) == [[], ["pin"]])
        for entry in page.entries {
            let text = String(decoding: entry.json.encoded(), as: UTF8.self)
            #expect(!text.contains("hunter2"))
        }
        #expect(!CSVText.text(page.entries).contains("hunter2"))
    }
}
