import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The history of all consoles of a node together.
struct HistoryArchiveTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("archive-\(UUID().uuidString)/central.sqlite").path

    @Test("A presentation at two consoles was open from its first time at either of them")
    func openedAtFirst() async throws {
        let start = ManualTime().now
        let id = PresentationID.make()
        let report = ErrorReport(domain: "com.acme", description: "It failed.")
        let journal = try SQLiteJournal(path)
        for console in 0...1 {
            var item = InboxItem(
                InboxPresentation(id: id, report: report), group: 0,
                at: start + .seconds(60 * console), revision: 1)
            item.changedAt = start + .seconds(120 + console)
            if console == 1 { item.stage = .closed(.withdrawn) }
            try await journal.keep([item], [], console: console)
        }
        let archive = try #require(try HistoryArchive(path))
        let entries = try await archive.presentations(HistoryFilter(), limit: 9).entries
        #expect(entries.map(\.openedAt) == [TimeText.text(start.date)])
        // The rest is as the last console that changed it has it.
        #expect(entries.map(\.stage) == ["closed"])
    }

    @Test("What was open at a console that the node no longer has is left, and goes with its age")
    func formerConsole() async throws {
        let now = ManualTime().now
        let report = ErrorReport(domain: "com.acme", description: "It failed.")
        let journal = try SQLiteJournal(path)
        for console in 0...1 {
            let item = InboxItem(
                InboxPresentation(id: .make(), report: report), group: 0,
                at: now + .seconds(console), revision: 1)
            try await journal.keep([item], [], console: console)
        }
        let archive = try #require(try HistoryArchive(path))
        func stages() async throws -> [String] {
            try await archive.presentations(HistoryFilter(), limit: 9).entries.map(\.stage)
        }
        try journal.leaveFormerConsoles(from: 1, at: now)
        #expect(try await stages() == ["left", "open"])
        try await journal.prune(JournalRetention(age: .seconds(-86_400)), at: now + .seconds(9))
        #expect(try await stages() == ["open"])
    }
}
