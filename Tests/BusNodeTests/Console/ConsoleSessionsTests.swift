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
        #expect(!second.has("one", of: nil) && second.has("two", of: nil))
        #expect(!second.has("hers", of: "vera"))
        #expect(try console(journal, number: 1).sessions.has("one", of: nil))
    }

    @Test("No sign-out is forgotten: above the limit all sign-ins up to the oldest have ended")
    func forgotten() async throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let labels = (0..<5).map { ConsoleSessions.newLabel(at: start + Double($0)) }
        func sessions() throws -> ConsoleSessions {
            let sessions = ConsoleSessions(endedCountMax: 2) { start + 60 }
            let journal = try SQLiteJournal(path)
            try sessions.keep(in: JournalSignOuts(journal: journal, console: 0, countMax: 2))
            return sessions
        }
        let first = try sessions()
        for index in [3, 0, 2, 1] { await first.endForGood(labels[index], of: "anna") }
        for sessions in [first, try sessions()] {
            let goOn = labels.map { sessions.has($0, of: "anna") }
            #expect(goOn == [false, false, false, false, true])
            #expect(sessions.has(labels[0], of: "bob"))
        }
    }

    @Test("A new sign-in has not ended, even if the clock was set back, or labels were made up")
    func new() {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let sessions = ConsoleSessions(endedCountMax: 1) { start }
        for later in [3_600.0, 3_601] {
            sessions.end(ConsoleSessions.newLabel(at: start + later), of: "anna")
        }
        #expect(sessions.has(sessions.newLabel(of: "anna"), of: "anna"))
        for number in 0...2 { sessions.end("~zzzzzzzzz\(number)", of: "vera") }
        #expect(sessions.has(sessions.newLabel(of: "vera"), of: "vera"))
        // Those of an unknown user may be of any.
        for later in [7_200.0, 7_201] {
            sessions.end(ConsoleSessions.newLabel(at: start + later), of: nil)
        }
        #expect(sessions.has(sessions.newLabel(of: "carl"), of: "carl"))
    }

    @Test("Of one user the journal keeps the latest sign-ins that ended, each once")
    func limit() async throws {
        let journal = try SQLiteJournal(path)
        let store = JournalSignOuts(journal: journal, console: 0, countMax: 2)
        try await store.keep("other", of: "bob")
        for label in ["a", "c", "b", "d"] { try await store.keep(label, of: "anna") }
        try await store.keep("shared", of: nil)
        #expect(try store.signOuts().map(\.label) == ["other", "c", "b", "d", "shared"])
        let sessions = try console(journal).sessions
        await sessions.endForGood("c", of: "anna")
        #expect(try store.signOuts().count == 5)
    }

    @Test("A sign-out that the journal does not take is in force until the restart")
    func unstored() async throws {
        let journal = try SQLiteJournal(path)
        let sessions = try console(journal).sessions
        try await journal.access { try $0.execute(sql: "DROP TABLE signOut") }
        await sessions.endForGood("one", of: nil)
        #expect(!sessions.has("one", of: nil))
    }
}
