import Foundation
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Options that need two people, over HTTP: who a person is comes from the sign-in alone.
@Suite final class ConsoleTwoPeopleTests {
    private let folder: String
    private let api: ConsoleAPI
    private let inbox: Inbox
    /// Who the identity provider says that the next visitor is.
    private var identity: String?
    private var users: UserFile { UserFile("\(folder)/users.txt") }

    init() throws {
        folder = NSTemporaryDirectory() + "two-people-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.usersFile = "\(folder)/users.txt"
        let file = UserFile("\(folder)/users.txt")
        _ = try file.add("ann", [.answer, .destructive])
        _ = try file.add("bob", [.answer, .destructive])
        _ = try file.add("zoe", [.answer])
        _ = try file.add("board", [])
        api = ConsoleAPI(try Self.console(settings))
        inbox = api.inbox
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func console(_ settings: ConsoleSettings) throws -> Console {
        try Console(
            settings, of: "central", in: Topology(nodes: [:]), logger: Logger(label: "test"))
    }

    /// Presents so many equal reports, and waits until all are open.
    private func present(
        _ count: Int = 1, at inbox: Inbox
    ) async throws -> [Task<Answer?, any Error>] {
        var report = ErrorReport(domain: "d", description: "full")
        report.options = [
            .init(id: "drop", title: "Drop", role: .destructive),
            .init(id: "retry", title: "Retry"),
        ]
        report.options[0].needsTwoPeople = true
        let asking = (0..<count).map { _ in
            let prompt = Prompts.prompt(report)
            return Task { try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == count { break }
        return asking
    }

    private func visitor(_ name: String) throws -> ConsoleVisitor {
        guard case .users(let users) = api.console.admission else { return .unnamed }
        let user: ConsoleUser = try #require(try users.user(named: name))
        return ConsoleVisitor(user: user, identity: identity)
    }

    private var item: InboxItem { get throws { try #require(inbox.items().first) } }

    /// `ok`, or the word of the refusal.
    private func answer(
        _ name: String, _ option: String = "drop", _ fields: [String: JSONValue] = [:]
    ) throws -> String {
        let body = JSONValue.object(["option": .string(option)].merging(fields) { $1 })
        do {
            try api.answer(try item.id, body.encoded(), try visitor(name))
            return "ok"
        } catch let problem as APIProblem {
            return problem.word
        } catch let refusal as InboxRefusal {
            return APIProblem(refusal).word
        }
    }

    private var proposal: [String: JSONValue] {
        get throws { ["confirms": .string(try #require(try item.proposal).id.description)] }
    }

    @Test("One proposes and another confirms, each with all the rights that the option needs")
    func rights() async throws {
        let asking = try await present(at: inbox)
        #expect(try answer("zoe") == "notAllowed")
        #expect(try answer("ann") == "ok")
        let view = PresentationView(try item, api.console)
        #expect(view.stage == "open" && view.proposal?.by == "ann")
        #expect(view.options[0].twoPeople == "known" && view.options[1].twoPeople == nil)
        #expect(try answer("zoe", "drop", try proposal) == "notAllowed")
        #expect(try answer("ann", "drop", try proposal) == "samePerson")
        #expect(try answer("bob") == "proposed")
        #expect(try answer("bob", "retry", try proposal) == "noProposal")
        // The name in a request is no second person.
        #expect(try answer("ann", "drop", try proposal.merging(["by": "bob"]) { $1 }) == "notYou")
        #expect(try answer("bob", "drop", try proposal) == "ok")
        let answer = try #require(try await asking[0].value)
        #expect(answer.by == "ann" && answer.second == "bob" && answer.via == .person)
        let said = api.console.history.events(of: try item.id).map(\.sentence)
        #expect(
            said == [
                "ann proposes “Drop” (drop), which needs two people",
                "bob confirms “Drop” (drop), proposed by ann",
            ])
    }

    @Test("A person under two names of an identity provider is one, for a claim as well")
    func renamed() async throws {
        let asking = try await present(at: inbox)
        identity = "1"
        #expect(try answer("ann") == "ok")
        #expect(try answer("bob", "drop", try proposal) == "samePerson")
        try inbox.claim(try item.id, by: "ann", of: "1")
        identity = "2"
        #expect(try answer("zoe", "retry") == "claimed")
        identity = "1"
        #expect(try answer("zoe", "retry") == "ok")
        #expect(try await asking[0].value?.by == "zoe")
    }

    @Test("What a person claims or proposes is theirs under another name, and no namesake's")
    func own() async throws {
        let asking = try await present(at: inbox)
        func person(_ name: String) throws -> String? {
            try visitor(name).json(signOut: nil)["person"]?.stringValue
        }
        identity = "1"
        let ann = try person("ann")
        #expect(try ann != nil && ann != "1" && person("bob") == ann)
        #expect(try answer("ann") == "ok")
        try inbox.claim(try item.id, by: "ann", of: "1")
        let view = PresentationView(try item, api.console)
        #expect(view.holder == ann && view.proposal?.person == ann)
        identity = "2"
        #expect(try person("ann") != ann)
        #expect(try answer("ann", "retry") == "claimed")
        identity = nil
        #expect(try person("ann") == nil)
        try inbox.release(try item.id, by: "ann")
        #expect(PresentationView(try item, api.console).holder == nil)
        for task in asking { task.cancel() }
    }

    @Test("A console without users cannot take it, and says what to configure")
    func withoutUsers() async throws {
        let api = ConsoleAPI(
            try Self.console(ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))))
        let asking = try await present(at: api.inbox)
        let item = try #require(api.inbox.items().first)
        #expect(PresentationView(item, api.console).options[0].twoPeople == "unknown")
        for name in ["ann", "bob"] {
            let body: JSONValue = ["option": "drop", "by": .string(name)]
            let problem = #expect(throws: APIProblem.self) {
                try api.answer(item.id, body.encoded(), .unnamed)
            }
            #expect(problem?.word == "needsTwoPeople")
            #expect(problem?.message.contains("bus-node users add") == true)
        }
        let group = try #require(api.inbox.groups.first).number
        let body: JSONValue = ["option": "drop", "by": "ann", "role": "destructive"]
        let problem = #expect(throws: APIProblem.self) {
            try api.answerGroup(group, body.encoded(), .unnamed)
        }
        #expect(problem?.word == "needsTwoPeople")
        #expect(api.inbox.openCount == 1)
        for task in asking { task.cancel() }
    }

    @Test("What a person proposed who was renamed, or lost the right, is not confirmed")
    func proposerGone() async throws {
        let asking = try await present(at: inbox)
        #expect(try answer("ann") == "ok")
        _ = try users.add("ann", [.answer])
        #expect(try answer("bob", "drop", try proposal) == "notAllowed")
        #expect(Set(refused(try choose("bob", shownProposals)).values) == ["notAllowed"])
        try users.remove("ann")
        _ = try users.add("anna", [.answer, .destructive])
        #expect(try answer("anna", "drop", try proposal) == "proposerGone")
        #expect(Set(refused(try choose("anna", shownProposals)).values) == ["proposerGone"])
        #expect(inbox.openCount == 1)
        for task in asking { task.cancel() }
    }

    @Test("The proposer withdraws, or another person declines, also one who may not destroy")
    func declined() async throws {
        let asking = try await present(at: inbox)
        for name in ["ann", "zoe"] {
            #expect(try answer("ann") == "ok")
            try api.decline(try item.id, Array("{}".utf8), try visitor(name))
            #expect(try item.proposal == nil)
        }
        let said = api.console.history.events(of: try item.id).map(\.sentence)
        #expect(said[1] == "ann withdraws the proposal “Drop” (drop)")
        #expect(said[3] == "zoe declines “Drop” (drop), proposed by ann")
        for task in asking { task.cancel() }
    }

    @Test("Only the proposal and the answer that a person names are dropped")
    func named() async throws {
        let asking = try await present(at: inbox)
        func body(_ name: String, _ id: UniqueID) -> [UInt8] {
            JSONValue.object([name: .string(id.description)]).encoded()
        }
        #expect(try answer("ann") == "ok")
        let first = try #require(try item.proposal).id
        try api.decline(try item.id, body("proposal", first), try visitor("bob"))
        #expect(try answer("bob") == "ok")
        #expect(throws: InboxRefusal.noProposal) {
            try api.decline(try item.id, body("proposal", first), try visitor("ann"))
        }
        let second = try #require(try item.proposal)
        #expect(second.by == "bob")
        try api.decline(try item.id, body("proposal", second.id), try visitor("ann"))
        #expect(try item.proposal == nil)

        #expect(try answer("ann", "retry", ["undoMilliseconds": 60_000]) == "ok")
        let held = try #require(try item.answer).id
        #expect(throws: InboxRefusal.nothingToUndo) {
            try api.undo(try item.id, body("answer", first), try visitor("bob"))
        }
        #expect(try item.answer?.id == held)
        try api.undo(try item.id, body("answer", held), try visitor("bob"))
        #expect(try item.answer == nil)
        for task in asking { task.cancel() }
    }

    /// The reply to the option for the group.
    private func choose(
        _ name: String, _ fields: [String: JSONValue] = [:]
    ) throws -> JSONValue {
        let number = try #require(inbox.groups.first).number
        let body: [String: JSONValue] = ["option": "drop", "role": "destructive"]
        return try api.answerGroup(
            number, JSONValue.object(body.merging(fields) { $1 }).encoded(), try visitor(name))
    }

    /// The ids of what is proposed, as a list that names them has them.
    private var shownProposals: [String: JSONValue] {
        ["confirms": inbox.items().compactMap { $0.proposal?.id.description }.json]
    }

    /// The words of the refused members, by their ids.
    private func refused(_ reply: JSONValue) -> [String: String] {
        let refused = reply["refused"]?.arrayValue ?? []
        return Dictionary(uniqueKeysWithValues: refused.map { ($0.text("id"), $0.text("error")) })
    }

    @Test("A group is proposed for each member and confirmed as it was seen")
    func group() async throws {
        let asking = try await present(2, at: inbox)
        let before = JSONValue.integer(api.console.revisions.shown(inbox.revision))
        #expect(try choose("ann").texts("proposed").count == 2)
        let seen = shownProposals
        #expect(Set(refused(try choose("ann", seen)).values) == ["samePerson"])
        let unseen = try choose("bob", seen.merging(["seen": before]) { $1 })
        #expect(unseen.texts("answered").isEmpty)
        #expect(Set(refused(unseen).values) == ["proposed"])
        let reasons = unseen["refused"]?.arrayValue?.map { $0.text("message") } ?? []
        #expect(!reasons.isEmpty && reasons.allSatisfy { $0.contains("not what you confirmed") })
        // An answer that names none confirms none.
        #expect(Set(refused(try choose("bob")).values) == ["proposed"])
        #expect(try choose("bob", seen).texts("answered").count == 2)
        for task in asking { #expect(try await task.value?.second == "bob") }
    }

    @Test("A proposal that was not seen is not confirmed, and none is made in place of one gone")
    func groupOfOthers() async throws {
        let asking = try await present(3, at: inbox)
        let ids = inbox.items().map(\.id)
        #expect(try choose("ann").texts("proposed").count == 3)
        let seen = shownProposals
        // The first is proposed again, the second no longer.
        for id in ids[..<2] { try api.decline(id, Array("{}".utf8), try visitor("ann")) }
        try inbox.propose(ids[0], option: "drop", by: SignedInPerson("ann"))
        let reply = try choose("bob", seen)
        #expect(reply.texts("answered") == [ids[2].description])
        #expect(reply.texts("proposed").isEmpty)
        #expect(
            refused(reply)
                == [ids[0].description: "proposed", ids[1].description: "noProposal"])
        let named = try #require(seen["confirms"]).arrayValue?.compactMap(\.stringValue) ?? []
        #expect(reply.texts("notProposed") == named.dropLast().sorted())
        #expect(inbox.items().compactMap(\.proposal).map(\.by) == ["ann"])
        for task in asking { task.cancel() }
    }

    @Test("A request repeated after a lost reply is noted once")
    func repeated() async throws {
        let asking = try await present(at: inbox)
        let id = try item.id
        func named(_ number: UInt64) -> [String: JSONValue] {
            ["answer": .string(UniqueID(high: 0x7000, low: number).description)]
        }
        for _ in 0..<2 { #expect(try answer("ann", "drop", named(1)) == "ok") }
        let confirming = try proposal.merging(named(2)) { $1 }
            .merging(["undoMilliseconds": 60_000]) { $1 }
        for _ in 0..<2 { #expect(try answer("bob", "drop", confirming) == "ok") }
        let events = api.console.history.events(of: id).map(\.event)
        #expect(events.count == Set(events).count && events.count >= 3, "\(events)")
        for task in asking { task.cancel() }
    }

    @Test("A confirmation under the id of the proposal is noted as well")
    func sameID() async throws {
        let asking = try await present(at: inbox)
        #expect(try answer("ann") == "ok")
        let fields = try proposal
        let confirming = fields.merging(
            ["answer": try #require(fields["confirms"]), "undoMilliseconds": 60_000]) { $1 }
        #expect(try answer("bob", "drop", confirming) == "ok")
        let events = Set(api.console.history.events(of: try item.id).map(\.event))
        #expect(events.isSuperset(of: ["propose", "confirm", "leaving"]), "\(events)")
        for task in asking { task.cancel() }
    }

    @Test(
        "A request for a group that is repeated is noted once, a proposal's id as well",
        arguments: [1, 2] as [UInt64])
    func repeatedGroup(confirmation: UInt64) async throws {
        let asking = try await present(2, at: inbox)
        let number = try #require(inbox.groups.first).number
        func choose(
            _ name: String, _ id: UInt64, _ fields: [String: JSONValue] = [:]
        ) throws -> JSONValue {
            let body: [String: JSONValue] = [
                "option": "drop", "undoMilliseconds": 60_000,
                "answer": .string(UniqueID(high: 0x7000, low: id).description),
                "seen": .integer(api.console.revisions.shown(inbox.revision)),
            ]
            return try api.answerGroup(
                number, JSONValue.object(body.merging(fields) { $1 }).encoded(),
                try visitor(name))
        }
        for _ in 0..<2 { #expect(try choose("ann", 1).texts("proposed").count == 2) }
        let proposals = shownProposals
        for _ in 0..<2 {
            #expect(try choose("bob", confirmation, proposals).texts("answered").count == 2)
        }
        for item in inbox.items() {
            let events = api.console.history.events(of: item.id).map(\.event)
            #expect(events.count == Set(events).count && events.count >= 3, "\(events)")
        }
        for task in asking { task.cancel() }
    }

    @Test("What a group confirms is a list of ids, and has no values")
    func groupFields() async throws {
        let asking = try await present(1, at: inbox)
        _ = try choose("ann")
        for bad: JSONValue in [true, [], ["x"]] {
            let problem = #expect(throws: APIProblem.self) {
                try choose("bob", ["confirms": bad])
            }
            #expect(problem?.word == "badRequest")
        }
        let problem = #expect(throws: APIProblem.self) {
            try choose("bob", shownProposals.merging(["values": ["a": 1]]) { $1 })
        }
        #expect(problem?.word == "badRequest")
        // Not an option of two people: nothing is answered.
        let reply = try choose(
            "bob", shownProposals.merging(["option": "retry", "role": "none"]) { $1 })
        #expect(Array(refused(reply).values) == ["noProposal"] && inbox.openCount == 1)
        for task in asking { task.cancel() }
    }
}
