import Foundation
import HTTPTypes
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// A group of many over HTTP: its answer says for how many or for which it is.
struct ConsoleLargeGroupsTests {
    private static let most = ConsoleLimits.unconfirmedCountMax
    private let api: ConsoleAPI

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: Logger(label: "test")))
    }

    /// Presents so many equal reports, and waits until all of them are open.
    private func present(_ count: Int) async -> [Task<Void, any Error>] {
        var report = ErrorReport(domain: "com.acme", description: "One.")
        report.options = [.init(id: "go", title: "Retry")]
        let asking = (0..<count).map { _ in
            Task { [api, report] in _ = try await api.inbox.present(Prompts.prompt(report)) }
        }
        for await _ in api.inbox.changes() where api.inbox.openCount == count { break }
        return asking
    }

    /// How many are answered, or the refusal.
    private func answer(
        _ group: Int, _ fields: [String: JSONValue] = [:]
    ) throws -> (count: Int, refusal: APIProblem?) {
        let body = JSONValue.object(
            ["option": "go", "by": "ann", "undoMilliseconds": 60_000].merging(fields) { $1 })
        do {
            let reply = try api.answerGroup(group, body.encoded(), .unnamed)
            return (reply.texts("answered").count, nil)
        } catch let problem as APIProblem {
            #expect(api.inbox.items().allSatisfy { $0.answer == nil })
            return (0, problem)
        }
    }

    @Test("An answer that does not say for how many it is, is for ten at most")
    func unconfirmed() async throws {
        let asking = await present(Self.most + 1)
        let group = try #require(api.inbox.groups.first).number
        let refusal = try answer(group).refusal
        #expect(refusal?.status == .conflict && refusal?.word == "notSeen")
        #expect(refusal?.details["members"] == .integer(Int64(Self.most) + 1))
        asking[0].cancel()
        for await _ in api.inbox.changes() where api.inbox.openCount == Self.most { break }
        #expect(try answer(group).count == Self.most)
        for task in asking { task.cancel() }
    }

    @Test("An answer for another number than its author expects is refused, also for few")
    func expected() async throws {
        let asking = await present(2)
        let group = try #require(api.inbox.groups.first).number
        #expect(try answer(group, ["count": 3]).refusal?.details["members"] == 2)
        #expect(try answer(group, ["count": 0]).refusal?.word == "badRequest")
        #expect(try answer(group, ["count": 2]).count == 2)
        for task in asking { task.cancel() }
    }

    @Test("The number is of the first request: repeated, the answer is acknowledged for the rest")
    func repeated() async throws {
        let asking = await present(Self.most + 1)
        let group = try #require(api.inbox.groups.first).number
        let fields: [String: JSONValue] = [
            "answer": .string(UniqueID(high: 0x7000, low: 1).description),
            "seen": .integer(api.console.revisions.shown(api.inbox.revision)),
            "count": .integer(Int64(Self.most) + 1),
        ]
        #expect(try answer(group, fields).count == Self.most + 1)
        asking[0].cancel()
        for await _ in api.inbox.changes()
        where api.inbox.items().count(where: { $0.answer != nil }) == Self.most { break }
        #expect(try answer(group, fields).count == Self.most)
        for task in asking { task.cancel() }
    }
}
