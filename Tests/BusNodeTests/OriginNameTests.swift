import ErrorBusTesting
import Foundation
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What people read in the place of `bare`, by which programs and filters go.
struct OriginNameTests {
    private let console: Console
    private let report = ErrorReport(domain: "d", description: "Boom")
    private let name = NodeName.bare.words

    init() throws {
        console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
    }

    private func item(from origin: NodeName?) -> InboxItem {
        var presentation = InboxPresentation(id: .make(), report: report, origin: origin)
        presentation.path = (origin.map { [$0] } ?? []) + ["relay"]
        return InboxItem(presentation, group: 0, at: ManualTime().now, revision: 1)
    }

    @Test("The console sends the name for people beside the origin")
    func sent() throws {
        let nameless = item(from: .bare)
        let view = PresentationView(nameless, console)
        #expect(view.origin == "bare" && view.originName == name)
        let past = HistoryEntry(HistoryRow(nameless, console: 0))
        #expect(past.origin == "bare" && past.originName == name)
        let history = AuditHistory()
        let presented = PresentationEvent.What.presented(
            report, origin: .bare, path: [.bare, "relay"])
        history.record(PresentationEvent(nameless.id, presented))
        history.record(PresentationEvent(nameless.id, .reported(report)))
        let events = history.events(after: 0, limit: 9).events.map(\.view)
        #expect(events.map(\.originName) == [name, nil])
        #expect(events.first?.fields["origin"] == "bare")
        #expect(PresentationView(item(from: "worker"), console).originName == "worker")
        #expect(PresentationView(item(from: nil), console).originName == nil)
    }

    @Test("The lists and details of a client of the console have the name for people")
    func listed() throws {
        let view = PresentationView(item(from: .bare), console)
        let row = try #require(InboxRows([view], now: ManualTime().now.date).lines.last)
        #expect(row.contains("  \(name)  ") && !row.contains("bare"))
        #expect(InboxEntry(view.json, at: ManualTime().now)?.origin == name)
        let lines = InboxDetail(view.json).lines
        #expect(lines.contains("from      \(name)"))
        #expect(lines.contains("path      \(name) > relay"))
        var earlier = view
        earlier.originName = nil
        #expect(earlier.originShown == name)
    }

    @Test("The tables of the history and of a ledger have the name for people")
    func tables() throws {
        let past = HistoryEntry(HistoryRow(item(from: .bare), console: 0))
        let event = LoggedEvent([
            "event": "present", "id": "1", "time": "2026-11-21T10:00:00Z", "origin": "bare",
        ])
        let rows = [
            HistoryTable([past]).lines, AuditTable([event]).lines,
            AuditTable([], dead: [event]).deadLines,
        ].compactMap(\.last)
        #expect(rows.count == 3)
        for row in rows { #expect(row.contains("  \(name)  ") && !row.contains("bare")) }
    }

    @Test("A prompt at a terminal has the name for people, in its path and in lists too")
    func prompted() {
        let text = PromptText(
            Prompts.prompt(report, origin: .bare, path: [.bare, "relay"]))
        let details = text.details()
        #expect(details.contains("  from     \(name)"))
        #expect(details.contains("  path     \(name) > relay"))
        let members = [1, 2].map { PromptGroup.Member(number: $0, text: text) }
        #expect(PromptGroup(members: members).details().first == "  like     #1 \(name)")
        #expect(text.contactLine(isReachable: true) == "(\(name) can be reached again)")
    }
}
