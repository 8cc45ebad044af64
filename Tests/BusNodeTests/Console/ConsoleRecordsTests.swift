import ErrorBusTesting
import HTTPTypes
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Answers that the journal cannot take, over HTTP.
@Suite struct ConsoleRecordsTests {
    private struct Broken: Error {}

    /// A journal on a full disk.
    private struct FullJournal: DecisionJournal {
        struct Full: Error {}
        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws { throw Full() }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private let clock = ManualClock()
    private let log = RecordedLog()
    private let api: ConsoleAPI
    private var inbox: Inbox { api.inbox }

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: log.logger), clock: clock)
    }

    private func present() -> Task<Outcome, Never> {
        let chain = PresentingResponder(
            "central", presenters: [inbox], journal: FullJournal(), audit: inbox,
            logger: log.logger)
        let error = Broken().recoverable { RecoveryOption("Retry", id: "retry") { true } }
        return Task { await chain.presentError(error) }
    }

    /// The view of the only presentation, once it is so.
    private func view(_ isSo: (PresentationView) -> Bool) async throws -> PresentationView {
        for await _ in inbox.changes() {
            let view = inbox.items().first.map { PresentationView($0, api.console) }
            if let view, isSo(view) { return view }
        }
        throw CancellationError()
    }

    private func problem(
        _ body: @escaping @Sendable () async throws(APIProblem) -> Void
    ) async throws -> APIProblem {
        async let problem = refusal(body)
        #expect(try await clock.nextSleep() == ConsoleLimits.recordTime)
        clock.advance(by: ConsoleLimits.recordTime)
        return try #require(await problem)
    }

    private func refusal(
        _ body: @Sendable () async throws(APIProblem) -> Void
    ) async -> APIProblem? {
        do throws(APIProblem) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("F32 An answer that is not on disk is not acknowledged, and the inbox and the log say so")
    func full() async throws {
        let asking = present()
        let text = try await view { $0.stage == "open" }.id
        let id = try #require(PresentationID(text))
        let body: JSONValue = ["option": "retry", "by": "ann"]
        try api.answer(id, body.encoded(), .unnamed)
        let one = try await problem { [api] () async throws(APIProblem) in
            try await api.requireRecord(of: id)
        }
        #expect(one.status == .internalServerError && one.word == "notStored")
        #expect(one.message.contains("not sent until then"))
        let group = try await problem { [api] () async throws(APIProblem) in
            _ = try await api.recorded(["answered": [.string(text)], "answers": [.null]])
        }
        #expect(group.word == "notStored")
        #expect(group.details["answered"] == [.string(text)])
        #expect(group.details["unrecorded"] == [.string(text)])
        let waiting = try await view { $0.ending != nil }
        #expect(waiting.stage == "answered" && waiting.ending == "not on disk yet")
        #expect(waiting.outcome?.hasPrefix("Answered by ann, but not on disk yet") == true)
        #expect(waiting.stageShown == "answered retry, not on disk yet")
        asking.cancel()
        #expect(await asking.value.reason == .withdrawn)
        let ended = try await view { $0.stage == "closed" }
        let trace = "\"retry\" by ann was not recorded, and not sent"
        #expect(ended.outcome?.hasSuffix(trace) == true)
        #expect(log.lines.elements.contains { $0.contains("was not sent by=ann") })
        // What the keeper writes once the journal takes it, and what a search compares.
        let item = try #require(inbox.items().first)
        #expect(HistoryRow(item, console: 0).ending == "withdrawn, retry by ann not recorded")
        #expect(try HistoryFilter(["end": "withdrawn*"]).matches(item))
        let late = await refusal { [api] () async throws(APIProblem) in
            try await api.requireRecord(of: id)
        }
        #expect(late?.word == "closed")
    }

    @Test("A silence that ends what is open counts no answer that is not on disk as answered")
    func silence() async throws {
        let asking = present()
        _ = try await view { $0.stage == "open" }
        let pattern: JSONValue = ["domain": "*"]
        let request = Silence.Request(
            pattern: pattern, match: try RuleMatch(json: pattern), option: "retry",
            onlyWithholds: false, by: "ann", comment: "known")
        async let made = api.console.silences.add(
            request, for: .seconds(60), alsoOpen: true, clock: clock)
        #expect(try await clock.nextSleep() == ConsoleLimits.recordTime)
        clock.advance(by: ConsoleLimits.recordTime)
        let (_, applied) = try await made
        #expect(applied == ConsoleSilences.Applied(answered: 0, withheld: 0, unrecorded: 1))
        #expect(
            InboxNotices.silenced(open: 0, .object(applied.reply))
                == "0 open presentations; 1 answer is not on disk yet, and not sent until then")
        #expect(try await view { $0.ending != nil }.ending == "not on disk yet")
        asking.cancel()
        #expect(await asking.value.reason == .withdrawn)
    }

    @Test("A member of a group whose answer was lost is refused, and is none of the answered")
    func lostMember() async throws {
        let asking = present()
        let text = try await view { $0.stage == "open" }.id
        let id = try #require(PresentationID(text))
        let body: JSONValue = ["option": "retry", "by": "ann"]
        try api.answer(id, body.encoded(), .unnamed)
        _ = try await problem { [api] () async throws(APIProblem) in
            try await api.requireRecord(of: id)
        }
        _ = try await view { $0.ending != nil }
        asking.cancel()
        #expect(await asking.value.reason == .withdrawn)
        _ = try await view { $0.stage == "closed" }
        let other = PresentationID.make().description
        let reply = try await api.recorded([
            "answered": [.string(text), .string(other)], "answers": ["A", "B"], "refused": [],
        ])
        #expect(reply.texts("answered") == [other] && reply.texts("answers") == ["B"])
        let refused = reply["refused"]?.arrayValue ?? []
        #expect(refused.map { $0.text("id") } == [text])
        #expect(refused.map { $0.text("error") } == ["closed"])
    }
}
