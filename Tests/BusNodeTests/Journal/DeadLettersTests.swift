import ErrorBus
import Foundation
import GRDB
import Testing

@testable import BusNodeKit

struct DeadLettersTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("letters-\(UUID().uuidString)/central.sqlite").path

    @Test("A short list has the latest ends, the newest last")
    func latest() async throws {
        let journal = try SQLiteJournal(path)
        let ids = (0..<4).map { _ in PresentationID.make() }
        let asked = DecisionRecord.Asked(
            origin: "worker", digest: nil,
            report: ErrorReport(domain: "com.acme", description: "It failed."))
        for (number, id) in ids.enumerated() {
            try await journal.shown(id, asked)
            try await journal.ended(id, .expired)
            try await journal.access { database in
                try database.execute(
                    sql: "UPDATE presentation SET endedAt = ? WHERE id = ?",
                    arguments: ["2030-01-0\(number + 1)T00:00:00.000Z", id.description])
            }
        }
        let letters = try #require(try DeadLetters(path))
        #expect(try letters.rows().map(\.id) == ids.map(\.description))
        #expect(try letters.rows(limit: 2).map(\.id) == ids.suffix(2).map(\.description))
    }
}
