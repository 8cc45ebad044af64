import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The time that searches take in the worst texts that a peer may send, and how they let others get
/// their turn.
@Suite struct SearchCostTests {
    private let now = ManualTime().now

    /// Each 250 KB, without more marks in a row than a report may have: every one is one character,
    /// or a row of characters whose bounds are far from them.
    private static let texts = [
        String(repeating: String(repeating: "\u{301}", count: 127) + "\u{200D}", count: 1_000),
        String(repeating: "\u{1F1E6}", count: 60_000),
        String(repeating: "\u{1F468}\u{200D}", count: 35_000),
    ]

    private func item(_ text: String) -> InboxItem {
        var item = InboxItem(
            InboxPresentation(
                id: .make(),
                report: ErrorReport(
                    domain: String(text.unicodeScalars.prefix(256)), description: text,
                    options: [.init(id: "retry", title: String(text.unicodeScalars.prefix(256)))]),
                origin: "worker-1"),
            group: 0, at: now, revision: 1)
        item.notes = (0..<50).map { _ in
            InboxNote(
                id: PresentationID.make().value, by: "ann",
                text: String(text.unicodeScalars.prefix(1_000)),
                at: now)
        }
        return item
    }

    @Test("A list, the audit and a screen are searched at little cost, whatever the texts are")
    func cost() throws {
        let filter = try HistoryFilter(["q": "zz"])
        let pattern = try HistoryFilter(["domain": "*z*", "by": "*z*"])
        for text in Self.texts {
            let item = item(text)
            let payload = item.report.payload()
            #expect(throws: Never.self) { try ErrorReport(payload: payload) }
            let history = AuditHistory()
            for _ in 0..<100 { history.record(.presented(item.id, text)) }
            let json: JSONValue = [
                "id": "x", "stage": "open", "description": .string(text), "domain": .string(text),
            ]
            let entry = try #require(InboxEntry(json, at: now))
            let before = ThreadTime.now
            // Not within #expect, which would print the texts.
            let found = [
                filter.matches(item), pattern.matches(item), entry.contains([TextSearch("zz")]),
                history.numbered.contains { filter.matches($0.event, "") },
            ]
            let cell = CSVText.cell(.string(text))
            #expect(found == [false, false, false, false] && cell.utf8.count < 200_000)
            // By characters the first of them takes more than 10 s.
            #expect(ThreadTime.now - before < .seconds(3))
        }
    }

    @Test("A search that is cancelled ends after a few elements")
    func cancelled() async {
        let compared = Recorder<Int>()
        let search = Task {
            try await Array(0..<10 * ConsoleLimits.searchedAtOnce).selected { number in
                compared.record(number)
                withUnsafeCurrentTask { task in
                    if let task { task.cancel() }
                }
                return true
            }
        }
        await #expect(throws: CancellationError.self) { try await search.value }
        #expect(compared.elements.count == ConsoleLimits.searchedAtOnce)
    }

    @Test("A search takes those that hold its condition, in their order")
    func selected() async throws {
        #expect(try await Array(0..<100).selected { $0 % 30 == 1 } == [1, 31, 61, 91])
        #expect(try await Array(0..<100).selected(upTo: 2) { $0 % 30 == 1 } == [1, 31])
        #expect(try await [Int]().selected { _ in true } == [])
    }
}
