import Foundation
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Claims that are handed to another person, over HTTP.
@Suite final class ConsoleHandOverTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "hand-over-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A console, with these users or with one token for all.
    private func api(users: [(String, Set<ConsolePermission>)] = []) throws -> ConsoleAPI {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        if !users.isEmpty { settings.usersFile = "\(folder)/users.txt" }
        for (name, permissions) in users {
            _ = try UserFile("\(folder)/users.txt").add(name, permissions)
        }
        return ConsoleAPI(
            try Console(
                settings, of: "central", in: Topology(nodes: [:]), logger: Logger(label: "test")))
    }

    private func visitor(_ name: String, _ api: ConsoleAPI) throws -> ConsoleVisitor {
        guard case .users(let users) = api.console.admission else { return .unnamed }
        let user: ConsoleUser = try #require(try users.user(named: name))
        return ConsoleVisitor(user: user)
    }

    /// Presents so many equal reports, and waits until all are open.
    private func present(
        _ count: Int, at inbox: Inbox
    ) async -> [Task<Answer?, any Error>] {
        var report = ErrorReport(domain: "d", description: "full")
        report.options = [.init(id: "retry", title: "Retry")]
        let asking = (0..<count).map { _ in
            let prompt = Prompts.prompt(report)
            return Task { try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == count { break }
        return asking
    }

    private func holder(_ id: PresentationID, _ api: ConsoleAPI) throws -> String? {
        PresentationView(try api.inbox.item(id), api.console).claimedBy
    }

    /// The refusal of a claim by ann; nil for none.
    private func refusal(
        _ api: ConsoleAPI, _ id: PresentationID, to receiver: JSONValue
    ) throws -> APIProblem? {
        let body: JSONValue = ["by": "ann", "to": receiver]
        do {
            try api.claim(id, body.encoded(), try visitor("ann", api))
            return nil
        } catch let problem as APIProblem {
            return problem
        } catch let refusal as InboxRefusal {
            return APIProblem(refusal)
        }
    }

    @Test("With users a claim is handed to one who may answer, and the audit has from whom")
    func users() async throws {
        let api = try api(users: [("ann", [.answer]), ("bob", [.answer]), ("board", [])])
        let asking = await present(1, at: api.inbox)
        let id = try #require(api.inbox.items().first).id
        let unknown = try #require(try refusal(api, id, to: "bobb"))
        #expect(unknown.word == "unknownReceiver")
        #expect(
            unknown.message
                == "to: found bobb, who is no user of this console; allowed: a name in its file of "
                + "users")
        let viewer = try #require(try refusal(api, id, to: "board"))
        #expect(viewer.word == "notAllowed" && viewer.message.hasPrefix("board may not answer"))
        #expect(try holder(id, api) == nil)
        #expect(try refusal(api, id, to: "bob") == nil)
        #expect(try holder(id, api) == "bob")
        // It is bob's now.
        let claimed = try refusal(api, id, to: "ann")
        #expect(claimed?.word == "claimed")
        #expect(claimed?.message.hasSuffix("Z: claim it with `takeOver` first") == true)
        let until = try #require(try api.inbox.item(id).stage.claim).until
        let events = api.console.history.events(of: id)
        #expect(events.map(\.sentence) == ["Handed to bob by ann"])
        #expect(events.first?.event == "handOver")
        #expect(
            events.first?.fields == [
                "by": "ann", "to": "bob", "until": TimeText.text(until.date),
                "description": "full", "origin": "worker", "domain": "d",
            ])
        for task in asking { task.cancel() }
    }

    @Test("With one token every name is accepted, and one's own name only claims")
    func token() async throws {
        let api = try api()
        let asking = await present(1, at: api.inbox)
        let id = try #require(api.inbox.items().first).id
        for bad: JSONValue in ["", 1, "a\u{202E}b"] {
            #expect(try refusal(api, id, to: bad)?.word == "badRequest")
        }
        #expect(try refusal(api, id, to: "ann") == nil)
        #expect(try refusal(api, id, to: "a stranger") == nil)
        #expect(try holder(id, api) == "a stranger")
        #expect(
            api.console.history.events(of: id).map(\.sentence)
                == ["Claimed by ann", "Handed to a stranger by ann"])
        for task in asking { task.cancel() }
    }

    @Test("The claims of a group are handed over in one step, those of others are left out")
    func group() async throws {
        let api = try api(users: [("ann", [.answer]), ("bob", [.answer]), ("zoe", [.answer])])
        let asking = await present(3, at: api.inbox)
        let group = try #require(api.inbox.groups.first)
        try api.inbox.claim(group.members[1], by: "zoe")
        let unknown: JSONValue = ["to": "bobb"]
        let problem = #expect(throws: APIProblem.self) {
            try api.claimGroup(group.number, unknown.encoded(), try self.visitor("ann", api))
        }
        #expect(problem?.word == "unknownReceiver")
        let body: JSONValue = ["to": "bob"]
        let reply = try api.claimGroup(
            group.number, body.encoded(), try visitor("ann", api))
        let handed = [group.members[0], group.members[2]]
        #expect(reply.texts("claimed") == handed.map(\.description))
        #expect(reply["refused"]?.arrayValue?.map { $0["by"] } == ["zoe"])
        #expect(try group.members.map { try holder($0, api) } == ["bob", "zoe", "bob"])
        for id in handed {
            #expect(
                api.console.history.events(of: id).map(\.sentence) == ["Handed to bob by ann"])
        }
        for task in asking { task.cancel() }
    }
}
