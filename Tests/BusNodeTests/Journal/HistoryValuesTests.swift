import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The values of answers in searches.
struct HistoryValuesTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("values-\(UUID().uuidString)/central.sqlite").path

    private func answered(_ number: UInt64, with given: GivenValues) -> InboxItem {
        let report = ErrorReport(
            domain: "com.acme", description: "No room",
            options: [.init(id: "move", title: "Use another folder")])
        let presentation = InboxPresentation(
            id: PresentationID(UniqueID(high: 0, low: number)), report: report, origin: "worker-1")
        var item = InboxItem(
            presentation, group: 0, at: ManualTime().now + .seconds(Int(number)), revision: number)
        var answer = Answer(option: "move", by: "ann", via: .person)
        answer.extras.payload = given.payload
        item.stage = .settled(answer, .recovered)
        return item
    }

    @Test(
        "Lists and the journal are searched by the values of answers, and by no secret",
        arguments: [
            ("SRV/new", [1]), ("70.5", [1]), ("fast", [2]), ("true", [2]), ("called", [2]),
            ("folder", [1, 2]), ("share", []), ("hunter2", []), ("pin", []),
        ] as [(String, Set<Int>)])
    func search(text: String, expected: Set<Int>) async throws {
        let items = [
            answered(
                1,
                with: GivenValues(
                    values: ["path": "/srv/New", "share": 70.5], secrets: ["pin": "hunter2"])),
            answered(
                2,
                with: GivenValues(
                    values: ["mode": "fast", "force": true], comment: "Called Bob.")),
        ]
        let filter = try HistoryFilter(["q": text])
        let ids = expected.map { items[$0 - 1].id }
        #expect(Set(items.filter(filter.matches).map(\.id)) == Set(ids))
        let journal = try SQLiteJournal(path)
        try await journal.keep(items, [], console: 0)
        let archive = try #require(try HistoryArchive(path))
        let page = try await archive.presentations(filter, console: 0, limit: 9)
        #expect(Set(page.entries.map(\.id)) == Set(ids.map(\.description)))
    }
}
