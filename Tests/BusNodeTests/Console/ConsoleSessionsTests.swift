import Foundation
import GRDB
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Sign-outs, which a journal keeps for later lives of a node.
@Suite struct ConsoleSessionsTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("sessions-\(UUID().uuidString)/central.sqlite").path

    /// A console in another life of its node.
    private func console(_ journal: SQLiteJournal, number: Int = 0) throws -> Console {
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        try console.keepHistory(in: journal, number: number)
        return console
    }

    @Test("A sign-out is in force after a restart, at the console where the person signed out")
    func restarted() async throws {
        let first = ConsoleAPI(try console(try SQLiteJournal(path)))
        await first.endSession("one", of: nil)
        await first.endSession("hers", of: "vera")
        let journal = try SQLiteJournal(path)
        let second = try console(journal).sessions
        #expect(!second.has("one") && !second.has("hers") && second.has("two"))
        #expect(try console(journal, number: 1).sessions.has("one"))
    }

    @Test("Of one user the journal keeps the latest sign-outs, each once")
    func limit() async throws {
        let journal = try SQLiteJournal(path)
        let store = JournalSignOuts(journal: journal, console: 0, countMax: 2)
        try await store.keep("other", of: "bob")
        for label in ["a", "b", "c"] { try await store.keep(label, of: "anna") }
        try await store.keep("shared", of: nil)
        #expect(try store.signOuts().map(\.label) == ["other", "b", "c", "shared"])
        let sessions = try console(journal).sessions
        await sessions.endForGood("c", of: "anna")
        #expect(try store.signOuts().count == 4)
    }

    @Test("A sign-out that the journal does not take is in force until the restart")
    func unstored() async throws {
        let journal = try SQLiteJournal(path)
        let sessions = try console(journal).sessions
        try await journal.access { try $0.execute(sql: "DROP TABLE signOut") }
        await sessions.endForGood("one", of: nil)
        #expect(!sessions.has("one"))
    }
}
