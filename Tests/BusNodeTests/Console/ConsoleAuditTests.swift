import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The pages of a console's audit while the journal cannot be written.
@Suite struct ConsoleAuditTests {
    @Test("A page that memory alone fills leads to what the journal has")
    func nextOfFullPage() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/central.sqlite"
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let console = served.console
            try console.keepHistory(in: try SQLiteJournal(path, of: "central"), number: 0)
            func page(_ query: String) async throws -> (options: [String], next: String?) {
                let body = try await served.exchange("/api/v1/audit?limit=2\(query)")
                    .reply(within: .seconds(300)).body
                let json = try JSONValue.parse(body)
                let events = json["events"]?.arrayValue ?? []
                return (
                    events.compactMap { $0["fields"]?["option"]?.stringValue },
                    json["next"]?.stringValue
                )
            }
            console.history.record(.decided(.make(), "stored", by: "ann"))
            #expect(try await page("").options == ["stored"])
            try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            for option in ["second", "third"] {
                console.history.record(.decided(.make(), option, by: "ann"))
            }
            let first = try await page("")
            #expect(first.options == ["third", "second"])
            let next = try #require(first.next)
            #expect(try await page("&until=\(next)").options == ["stored"])
        }
    }
}
