import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Lists of an inbox that changes meanwhile.
struct ConsoleListTests {
    @Test("An answer with a list's `latest` as seen leaves no member out that the list counts")
    func ofOneMoment() async throws {
        // Beside all other tests a list of a thousand takes long.
        let clock = ManualClock()
        try await ServedConsole.run({ _ in }, logger: .silent, clock: clock) { served in
            let inbox = served.console.inbox
            var client = try ConsoleClient(served.address)
            client.timeLimit = .seconds(240)
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

    /// What waits, in the order of its arrival: description, severity, and minutes to the deadline.
    private static let arrivals: [(String, Severity, Int?)] = [
        ("many", .warning, nil), ("soon", .info, 10), ("grave", .critical, nil),
        ("later", .info, 60), ("many", .warning, nil), ("many", .error, nil),
    ]

    /// The body, with these presentations in the inbox.
    private func waiting(_ body: (ConsoleClient) async throws -> Void) async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let (inbox, client) = (served.console.inbox, try ConsoleClient(served.address))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, (description, severity, minutes)) in Self.arrivals.enumerated() {
                    let report = ErrorReport(
                        domain: "d", description: description, severity: severity,
                        options: [.init(id: "retry", title: "Retry")])
                    let deadline = minutes.map { ContinuousClock.now + .seconds($0 * 60) }
                    let prompt = Prompts.prompt(report, deadline: deadline)
                    group.addTask { _ = try? await inbox.present(prompt) }
                    for await _ in inbox.changes() where inbox.openCount > index { break }
                }
                try await body(client)
                group.cancelAll()
            }
        }
    }

    private static func order(_ list: JSONValue) -> [String] {
        list.views("items", of: PresentationView.self).map(\.description)
    }

    @Test("What waits is listed in the orders of the page, by group")
    func sorted() async throws {
        try await waiting { client in
            let many = ["many", "many", "many"]
            let orders: [InboxSort: [String]] = [
                .gravity: ["grave"] + many + ["soon", "later"],
                .deadline: ["soon", "later", "grave"] + many,
                .age: many + ["soon", "grave", "later"],
                .count: many + ["grave", "soon", "later"],
            ]
            for sort in InboxSort.allCases {
                let list = try await client.list(stage: "open", limit: 10, sort: sort)
                #expect(Self.order(list) == orders[sort], "\(sort)")
                #expect(list["isLast"]?.boolValue == true)
                let cut = try await client.list(stage: "open", limit: 2, sort: sort)
                #expect(Self.order(cut) == orders[sort].map { Array($0.prefix(2)) }, "\(sort)")
                #expect(cut["isLast"]?.boolValue == false)
                #expect(cut["revision"] == cut["latest"])
                #expect(cut["next"]?.stringValue == nil)
            }
            // Only what matches counts for the order.
            let list = try await client.list(
                stage: "open", limit: 10, sort: .count, matching: ["severity": ">=error"])
            #expect(Self.order(list) == ["grave", "many"])
        }
    }

    @Test(
        "A sorted list has no pages, and is of what waits: else it is refused",
        arguments: [
            ("stage=open&sort=gravity&after=3", "leave after out"),
            ("stage=open&sort=age&begun=3", "leave begun out"),
            ("stage=open&sort=age&order=newest", "leave order out"),
            ("stage=ended&sort=age", "expected stage=open"), ("sort=age", "expected stage=open"),
            ("stage=open&sort=oldest", "allowed: gravity, deadline, age, count"),
        ])
    func refused(query: String, words: String) async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let reply = try await served.exchange("/api/v1/inbox?\(query)")
                .reply(within: .seconds(30))
            #expect(reply.status == 400)
            let problem = try JSONValue.parse(reply.body)
            #expect(problem["error"] == "badRequest")
            #expect(problem.text("message").contains(words), "\(problem)")
        }
    }

    @Test("The page and the interface's document have the same orders")
    func names() throws {
        let names = InboxSort.allCases.map(\.rawValue)
        #expect(try InterfaceDocument().texts(["components", "schemas", "Sort", "enum"]) == names)
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        let file = InterfaceDocument.file.deletingLastPathComponent()
            .appending(path: "../Sources/BusNodeKit/Console/Page/state.js")
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page.contains("export const SORTS = [\(list)];"))
    }
}
