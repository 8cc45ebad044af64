import ErrorBusCore
import Foundation
import Testing

@testable import BusNodeKit

struct HistoryTableTests {
    private let id = "01920000-0000-7000-8000-0000deadbeef"

    private func now() throws -> Date {
        try Date("2026-11-21T23:59:59Z", strategy: .iso8601)
    }

    private func entry(at time: String, _ description: String = "Disk full") -> HistoryEntry {
        var entry = HistoryEntry()
        (entry.openedAt, entry.id, entry.originName) = (time, id, "worker-1")
        (entry.description, entry.option, entry.by) = (description, "retry", "ann")
        entry.ending = "recovered"
        return entry
    }

    @Test("An event has the error that it is about behind its sentence")
    func eventError() throws {
        var claimed = event("Claimed by ann")
        claimed.fields = ["by": "ann", "description": "Disk full"]
        let lines = HistoryTable([claimed], now: try now()).lines
        #expect(lines[1].hasSuffix("  Claimed by ann · Disk full"))
    }

    private func event(_ sentence: String) -> EventView {
        var event = EventView()
        (event.time, event.id, event.event) = ("2026-11-21T10:00:00.123Z", id, "decide")
        event.sentence = sentence
        return event
    }

    @Test("Without a terminal times and ids are whole")
    func whole() throws {
        let time = "2026-11-21T10:00:00.123Z"
        let lines = HistoryTable([entry(at: time)], now: try now()).lines
        #expect(lines.count == 2)
        #expect(lines[1] == "\(time)  worker-1  Disk full  retry   ann  recovered  \(id)")
        #expect(lines[0].hasPrefix("TIME  "))
        var titled = entry(at: time)
        titled.optionTitle = "Try again"
        #expect(HistoryTable([titled], now: try now()).lines[1].contains("  Try again  ann  "))
        let events = HistoryTable([event("ann (person) chose retry")], now: try now()).lines
        #expect(events[1] == "\(time)  \(id)  decide  ann (person) chose retry")
    }

    @Test("An answer has its values behind its option, and of its secrets the names alone")
    func values() throws {
        var past = entry(at: "2026-11-21T10:00:00.123Z")
        (past.values, past.secrets) = (["path": "/b", "size": 3], ["pin"])
        let lines = HistoryTable([past], now: try now()).lines
        #expect(lines[1].contains(#"  retry with path "/b", size 3, pin (secret)  ann  "#))
        past.values = ["path": .string(String(repeating: "long ", count: 30))]
        let cut = HistoryTable([past], now: try now(), columns: 100).lines
        #expect(cut.allSatisfy { TextWidth.columns(of: $0) <= 100 })
        #expect(cut[1].contains(#"  retry with path "long"#))
        #expect(cut[1].contains("…  ann  recovered  deadbeef"))
    }

    @Test("At a terminal times are short, with their date on another day, and ids are their ends")
    func short() throws {
        let entries = [
            entry(at: "2026-11-20T09:00:00.123Z"), entry(at: "2026-11-21T10:00:00.123Z"),
        ]
        let lines = HistoryTable(entries, now: try now(), columns: 100).lines
        #expect(lines[0].hasPrefix("TIME (UTC)           ORIGIN"))
        #expect(lines[1].hasPrefix("2026-11-20 09:00:00  worker-1  Disk full"))
        #expect(lines[2].hasPrefix("10:00:00             worker-1  Disk full"))
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix("  recovered  deadbeef") })
    }

    @Test("At a terminal lines fit its width", arguments: [80, 100, 160])
    func fits(columns: Int) throws {
        let text = String(repeating: "long ", count: 30)
        let entries = HistoryTable(
            [entry(at: "2026-11-20T09:00:00.123Z", text)], now: try now(), columns: columns)
        let events = HistoryTable([event(text)], now: try now(), columns: columns)
        for lines in [entries.lines, events.lines] {
            #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
            #expect(lines[1].contains("…") && lines[1].contains("deadbeef"))
        }
    }
}
