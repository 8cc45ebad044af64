import ErrorBusTesting
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Lists of an inbox that changes meanwhile.
struct ConsoleListTests {
    @Test("An answer with a list's `latest` as seen leaves no member out that the list counts")
    func ofOneMoment() async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let (inbox, client) = (served.console.inbox, try ConsoleClient(served.address))
            let report = ErrorReport(
                domain: "d", description: "full", options: [.init(id: "retry", title: "Retry")])
            // One comes after each that is open, in all of the time that lists are read.
            let asking = Task {
                await withTaskGroup { group in
                    for count in 1...1_000 {
                        group.addTask { _ = try? await inbox.present(Prompts.prompt(report)) }
                        for await _ in inbox.changes() where inbox.openCount >= count { break }
                    }
                }
            }
            while inbox.openCount < 1_000 {
                let list = try await client.get("/inbox?limit=1")
                guard let group = list["groups"]?.arrayValue?.first else { continue }
                let number = try #require(group["number"]?.integerValue)
                let latest = try #require(list["latest"]?.integerValue)
                let seen = served.console.revisions.own(latest, upTo: inbox.revision)
                let members = try inbox.members(ofGroup: Int(number), seen: seen, doneBy: nil)
                #expect(group["members"]?.integerValue == Int64(members.count))
            }
            asking.cancel()
        }
    }
}
