import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Acts of people that the journal has when the console replies.
struct ConsoleStoredTests {
    /// A console with two equal presentations and a journal, and ann as its client.
    private struct Visit {
        let inbox: Inbox
        let client: ConsoleClient
        let keeper: HistoryKeeper

        /// Whether the journal has all of it at the reply.
        func isStored(_ path: String, _ body: JSONValue = [:]) async throws -> Bool {
            _ = try await client.post("/\(path)", body)
            let unwritten = await keeper.unwritten
            return unwritten.presentations == 0 && unwritten.events == 0
        }
    }

    private static var report: ErrorReport {
        var report = ErrorReport(domain: "d", description: "full")
        report.options = [.init(id: "retry", title: "Retry"), .init(id: "drop", title: "Drop")]
        report.options[1].needsTwoPeople = true
        return report
    }

    private func run(_ body: (Visit) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let users = UserFile("\(folder.path)/users.txt")
        let token = try users.add("ann", [.answer])
        try await ServedConsole.run({ $0.usersFile = users.path }, logger: .silent) { served in
            let (console, inbox) = (served.console, served.console.inbox)
            try console.keepHistory(
                in: try SQLiteJournal("\(folder.path)/central.sqlite"), number: 0)
            let asking = (0..<2).map { _ in
                let prompt = Prompts.prompt(Self.report)
                return Task { try await inbox.present(prompt) }
            }
            for await _ in inbox.changes() where inbox.openCount == 2 { break }
            var address = served.address
            address.token = token
            try await body(
                Visit(
                    inbox: inbox, client: try ConsoleClient(address),
                    keeper: try #require(console.kept).keeper))
            for task in asking { task.cancel() }
        }
    }

    @Test("What a person does to one presentation is stored before the reply, a proposal as well")
    func one() async throws {
        try await run { visit in
            let id = try #require(visit.inbox.items().first).id
            let path = "presentations/\(id)"
            #expect(try await visit.isStored("\(path)/claim", ["forMilliseconds": 60_000]))
            #expect(try await visit.isStored("\(path)/release"))
            #expect(try await visit.isStored("\(path)/note", ["text": "called Bob"]))
            #expect(try await visit.isStored("\(path)/answer", ["option": "drop"]))
            #expect(try visit.inbox.item(id).proposal?.by == "ann")
            #expect(try await visit.isStored("\(path)/decline"))
            try visit.inbox.answer(id, option: "retry", by: "ann", undo: .seconds(60))
            #expect(try await visit.isStored("\(path)/undo"))
        }
    }

    @Test("What a person does to a group is stored before the reply, proposals as well")
    func group() async throws {
        try await run { visit in
            let group = try #require(visit.inbox.groups.first)
            let path = "groups/\(group.number)"
            #expect(try await visit.isStored("\(path)/claim", ["forMilliseconds": 60_000]))
            #expect(try await visit.isStored("\(path)/release"))
            #expect(try await visit.isStored("\(path)/answer", ["option": "drop"]))
            #expect(visit.inbox.items().compactMap(\.proposal).count == 2)
            let answer = try visit.inbox.answer(
                group.members[0], option: "retry", by: "ann", undo: .seconds(60))
            let answers: JSONValue = ["answers": [.string(answer.id.description)]]
            #expect(try await visit.isStored("\(path)/undo", answers))
        }
    }
}
