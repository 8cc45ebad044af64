import ErrorBusTesting
import Foundation
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The acts of people that a console notes, in its audit and its log, and those that were none.
struct ConsoleActsTests {
    private let folder: TemporaryFolder
    private let api: ConsoleAPI
    private var inbox: Inbox { api.inbox }

    init() throws {
        folder = try TemporaryFolder()
        var node = TopologyNode(name: "central")
        node.notify = [NotifyRig.hook("chat")]
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.url = "http://localhost:8080"
        api = ConsoleAPI(
            try Console(
                settings, of: "central", in: Topology(nodes: ["central": node]),
                logger: Logger(label: "test")))
    }

    private func journal() throws -> SQLiteJournal {
        try SQLiteJournal("\(folder.path)/central.sqlite")
    }

    /// Presents so many equal reports, and waits until all are open.
    private func present(_ count: Int, at inbox: Inbox) async -> [Task<Answer?, any Error>] {
        let asking = (0..<count).map { _ in
            let prompt = Prompts.prompt(NotifyRig.report())
            return Task { try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == count { break }
        return asking
    }

    private func events(_ id: PresentationID) -> [String] {
        api.console.history.events(of: id).map(\.event)
    }

    @Test("An answer for a group is noted for each member where it is held, and so is its undo")
    func group() async throws {
        let asking = await present(3, at: inbox)
        let group = try #require(inbox.groups.first)
        func answer(_ ids: PresentationID..., undo: JSONValue) throws -> JSONValue {
            let body: JSONValue = [
                "option": "retry", "by": "ann", "undoMilliseconds": undo,
                "ids": ids.map(\.description).json,
            ]
            return try api.answerGroup(group.number, body.encoded(), .unnamed)
        }
        _ = try answer(group.members[0], undo: 0)
        #expect(events(group.members[0]).isEmpty)
        let reply = try answer(group.members[1], group.members[2], undo: 60_000)
        let body: JSONValue = ["by": "bob", "answers": reply["answers"] ?? .null]
        _ = try api.undoGroup(group.number, body.encoded(), .unnamed)
        for id in group.members.dropFirst() {
            #expect(events(id) == ["leaving", "undo"])
            #expect(api.console.history.events(of: id).last?.fields["by"] == "bob")
        }
        for task in asking { task.cancel() }
    }

    @Test("A release of what no person has claimed changes nothing, and is not noted")
    func releasedTwice() async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let (console, inbox) = (served.console, served.console.inbox)
            let asking = await present(1, at: inbox)
            let id = try #require(inbox.items().first).id
            try inbox.claim(id, by: "ann")
            let client = try ConsoleClient(served.address)
            for _ in 1...2 {
                _ = try await client.post("/presentations/\(id)/release", ["by": "ann"])
            }
            #expect(console.history.events(of: id).map(\.event) == ["release"])
            for task in asking { task.cancel() }
        }
    }

    @Test("A message of a hook that a person sends again is noted")
    func resent() async throws {
        var rig = NotifyRig([NotifyRig.hook("chat") { $0.tries = 1 }])
        rig.open()
        rig.pass(.seconds(600)) { _ in "refused" }
        let (journal, dead) = (try self.journal(), rig.machine.dead)
        try await JournalLetters(journal: journal).keep { dead }
        try api.console.keepHistory(in: journal, number: 0)
        let body: JSONValue = ["by": "ann"]
        _ = try api.retryLetter("1", body.encoded(), .unnamed)
        let event = try #require(api.console.history.numbered.last).event
        #expect(event.event == "resend" && event.fields["by"] == "ann")
        #expect(event.fields["letter"] == "1" && event.fields["hook"] == "chat")
        #expect(throws: APIProblem.self) {
            try api.retryLetter("1", body.encoded(), .unnamed)
        }
        #expect(api.console.history.numbered.count == 1)
    }

    @Test("An event that memory and the journal both have is in a presentation's history once")
    func eventsOnce() async throws {
        try api.console.keepHistory(in: try journal(), number: 0)
        let id = PresentationID.make()
        api.console.history.record(.presented(id, "full"))
        api.console.history.record(.decided(id, "retry", by: "ann"))
        #expect(await api.console.kept?.keeper.write() == true)
        #expect(await api.events(of: id).map(\.event) == ["present", "decide"])
    }

    @Test("That another act came first is no warning in the log, as it is that there is no such id")
    func levels() async throws {
        let log = RecordedLog()
        try await ServedConsole.run({ _ in }, logger: log.logger) { served in
            let inbox = served.console.inbox
            let asking = await present(1, at: inbox)
            let client = try ConsoleClient(served.address)
            for id in [try #require(inbox.items().first).id, .make()] {
                await #expect(throws: Failure.self) {
                    try await client.post("/presentations/\(id)/undo", ["by": "ann"])
                }
            }
            for (level, reason) in [("info", "nothingToUndo"), ("warning", "unknown")] {
                let line = log.lines.elements.first { $0.contains("reason=\(reason) ") }
                #expect(line?.hasPrefix("\(level) console: refused ") == true, "\(line ?? "")")
            }
            for task in asking { task.cancel() }
        }
    }
}
