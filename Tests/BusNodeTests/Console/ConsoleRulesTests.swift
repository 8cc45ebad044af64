import ErrorBusTesting
import Foundation
import HTTPTypes
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Rules that are made of answers and tried, over HTTP.
@Suite struct ConsoleRulesTests {
    private let api: ConsoleAPI
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("rules-\(UUID().uuidString)/central.sqlite").path

    init() throws {
        let settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        var node = TopologyNode(name: "central")
        node.presenters = [
            .policy(path: "etc/retry.yaml", rules: []),
            .console(ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8079"))),
            .policy(path: "etc/skip.yaml", rules: []), .console(settings),
            .policy(path: "etc/late.yaml", rules: []),
        ]
        api = ConsoleAPI(
            try Console(
                settings, of: "central", in: Topology(nodes: ["central": node]),
                logger: Logger(label: "test")), clock: ManualClock())
    }

    /// An answered presentation of the inbox.
    private func answered() async throws -> PresentationID {
        let report = ErrorReport(
            domain: "com.acme.db", code: 40, description: "Deadlock",
            options: [.init(id: "retry", title: "Retry")])
        let (prompt, inbox) = (Prompts.prompt(report), api.inbox)
        let asking = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        try inbox.answer(prompt.id, option: "retry", by: "ann")
        _ = try await asking.value
        return prompt.id
    }

    /// Without a limit in real time.
    private func tried(_ body: JSONValue) async throws -> RuleTrialView {
        try await api.trial(body.encoded())
    }

    private func problem(_ body: JSONValue) async -> APIProblem? {
        await #expect(throws: APIProblem.self) { try await tried(body) }
    }

    @Test("A rule is made of an answer, with the policies in front of the console")
    func made() async throws {
        let view = try await api.rule(from: try await answered())
        #expect(view.rule.contains("  - match:\n      domain: com.acme.db\n      code: 40\n"))
        #expect(view.option == "retry" && view.answers == 1)
        #expect(view.policies == ["retry.yaml", "skip.yaml"])
        let unknown = await #expect(throws: APIProblem.self) {
            try await api.rule(from: .make())
        }
        #expect(unknown?.word == "unknown" && unknown?.status == .notFound)
    }

    @Test("What ended without an answer makes no rule")
    func withdrawn() async throws {
        let report = ErrorReport(domain: "d", description: "x")
        let (prompt, inbox) = (Prompts.prompt(report), api.inbox)
        let asking = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        let open = await #expect(throws: APIProblem.self) {
            try await api.rule(from: prompt.id)
        }
        #expect(open?.word == "noRule" && open?.message.hasPrefix("found: open;") == true)
        asking.cancel()
        _ = try await asking.value
    }

    @Test("Of what a policy in front of the console answered, no rule is made, and it says so")
    func answeredByPolicy() async throws {
        let journal = try SQLiteJournal(path)
        try api.console.keepHistory(in: journal, number: 0)
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        let (id, open) = (PresentationID.make(), PresentationID.make())
        for id in [id, open] {
            try await journal.shown(id, .init(origin: nil, digest: nil, report: report))
        }
        try await journal.decided(id, Answer(option: "retry", by: "policy 1", via: .policy))
        let found = "found: answered by policy 1, and by no person; "
        let problem = await #expect(throws: APIProblem.self) { try await api.rule(from: id) }
        #expect(problem?.word == "noRule" && problem?.message.hasPrefix(found) == true)
        let unknown = await #expect(throws: APIProblem.self) { try await api.rule(from: open) }
        #expect(unknown?.word == "unknown")
        let archive = try #require(try HistoryArchive(path))
        let failure = await #expect(throws: Failure.self) {
            try await archive.rule(from: id.description)
        }
        #expect(failure?.text.hasPrefix(found) == true)
    }

    @Test("A trial reads the journal, and what the inbox has forgotten makes a rule of it")
    func journaled() async throws {
        let journal = try SQLiteJournal(path)
        try api.console.keepHistory(in: journal, number: 0)
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        let id = PresentationID.make()
        var item = InboxItem(
            InboxPresentation(id: id, report: report, origin: nil), group: 0, at: ManualTime().now,
            revision: 1)
        item.stage = .settled(Answer(option: "retry", by: "ann", via: .person), .recovered)
        try await journal.shown(id, .init(origin: nil, digest: nil, report: report))
        try await journal.keep([item], [], console: 0)
        let proposal = try await api.rule(from: id)
        let body: JSONValue = ["policy": .string(proposal.rule), "days": 30]
        let trial = try await tried(body)
        #expect([trial.compared, trial.answered, trial.same] as [Int] == [1, 1, 1])
        // The node's own errors arise in the node.
        let own: JSONValue = ["policy": "rules: [{ match: { origin: central }, answer: retry }]"]
        #expect(try await tried(own).same == 1)
        try api.console.trials.begin()
        #expect(await problem(own)?.word == "busy")
        // A rule is made while a trial is under way, and not while another one is.
        #expect(try await api.rule(from: id).rule == proposal.rule)
        let unknown = await #expect(throws: APIProblem.self) { try await api.rule(from: .make()) }
        #expect(unknown?.word == "unknown")
        try api.console.rulesFromJournal.begin()
        let busy = await #expect(throws: APIProblem.self) { try await api.rule(from: id) }
        #expect(busy?.word == "busy" && busy?.status == .serviceUnavailable)
        // What the inbox has is not read there.
        #expect(try await api.rule(from: try await answered()).answers == 1)
        api.console.rulesFromJournal.end()
        #expect(try await api.rule(from: id).rule == proposal.rule)
    }

    @Test("A trial without a journal, of a wrong policy or of too many days is refused")
    func refused() async throws {
        let policy: JSONValue = "rules: [{ match: {}, answer: retry }]"
        #expect(await problem(["policy": policy])?.word == "notKept")
        #expect(await problem(["policy": policy, "days": 31])?.word == "badRequest")
        #expect(await problem([:])?.word == "badRequest")
        let wrong = try #require(
            await problem(["policy": "rules:\n  - match: { domian: x }\n    answer: retry"]))
        #expect(wrong.word == "badPolicy" && wrong.status == .unprocessableContent)
        let first = wrong.details["problems"]?.arrayValue?.first
        #expect(first?["line"] == 2)
        #expect(first?["field"]?.stringValue == "rules[0].match.domian")
    }
}
