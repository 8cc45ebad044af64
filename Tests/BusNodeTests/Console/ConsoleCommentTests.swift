import ErrorBusTesting
import Foundation
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Comments on answers, over HTTP and in the journal.
@Suite struct ConsoleCommentTests {
    private let api: ConsoleAPI
    private var inbox: Inbox { api.inbox }

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: Logger(label: "test")))
    }

    /// Presents so many equal errors, and waits until they are in the inbox.
    private func present(_ count: Int = 1) async throws -> [Task<Answer?, any Error>] {
        let report = ErrorReport(
            domain: "d", description: "full", options: [.init(id: "retry", title: "Retry")])
        let inbox = inbox
        let asking = (0..<count).map { _ in
            let prompt = Prompts.prompt(report)
            return Task { try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == count { break }
        return asking
    }

    private var item: InboxItem { get throws { try #require(inbox.items().first) } }

    private func answer(_ fields: [String: JSONValue]) throws {
        let body = fields.merging(["option": "retry", "by": "ann"]) { $1 }
        try api.answer(try item.id, JSONValue.object(body).encoded(), .unnamed)
    }

    @Test("A comment reaches the answer, and clients that ask for the presentation")
    func given() async throws {
        let asking = try await present()
        try answer(["comment": "The disk\nis <full>."])
        #expect(try await asking[0].value?.comment == "The disk\nis <full>.")
        let view = PresentationView(try item, api.console)
        #expect(view.answer?.comment == "The disk\nis <full>.")
        let read = try #require(PresentationView(json: view.json))
        #expect(read.answer?.comment == view.answer?.comment)
        let lines = InboxDetail(try await api.detail(try item.id)).lines
        #expect(lines.contains("comment   The disk\\nis <full>."))
    }

    @Test("What is no comment is refused with what is allowed, and the presentation stays open")
    func refused() async throws {
        let asking = try await present()
        let most = ErrorReport.Limits.commentByteCount
        let confirms = JSONValue.string(PresentationID.make().description)
        for fields in [
            ["comment": 7], ["comment": ["x"]], ["comment": "a\u{1B}b"], ["comment": "a\tb"],
            ["comment": .string(String(repeating: "x", count: most + 1))],
            ["comment": .string(String(repeating: "\u{E9}", count: most / 2) + "x")],
            ["comment": "x", "confirms": confirms],
        ] as [[String: JSONValue]] {
            let problem = #expect(throws: APIProblem.self) { try answer(fields) }
            #expect(problem?.word == "badRequest")
            #expect(problem?.message.hasPrefix("comment: ") == true)
        }
        #expect(inbox.openCount == 1)
        let longest = String(repeating: "\u{E9}", count: most / 2)
        try answer(["comment": .string(longest)])
        #expect(try await asking[0].value?.comment == longest)
        let lines = InboxDetail(try await api.detail(try item.id)).lines
        #expect(lines.contains("comment   \(longest)"))
    }

    @Test("At a terminal the second person reads all of what is proposed")
    func proposed() {
        var proposal = ProposalView()
        (proposal.option, proposal.by, proposal.values) = ("wipe", "ann", ["host": "db-1"])
        let most = String(repeating: "x", count: ErrorReport.Limits.commentByteCount - 4)
        proposal.comment = most + "\u{1B}[2J"
        #expect(
            proposal.sentence == "ann proposes wipe with host \"db-1\": \(most)\\u{1B}[2J")
    }

    @Test("Nothing to see, and null, are no comment", arguments: [" \n ", "", nil])
    func none(text: String?) async throws {
        let asking = try await present()
        try answer(["comment": .text(text)])
        #expect(try await asking[0].value?.extras.payload.isEmpty == true)
        #expect(PresentationView(try item, api.console).answer?.comment == nil)
    }

    @Test("One comment is for all that are answered in a group")
    func group() async throws {
        let asking = try await present(2)
        let body: JSONValue = ["option": "retry", "by": "ann", "comment": "The disk is full."]
        let reply = try api.answerGroup(try item.group, body.encoded(), .unnamed)
        #expect(reply.texts("answered").count == 2)
        for one in asking { #expect(try await one.value?.comment == "The disk is full.") }
    }

    @Test("The journal has the comment in what has ended, and in what is proposed")
    func kept() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("comments-\(UUID().uuidString)/central.sqlite").path
        let now = ManualTime().now
        let report = ErrorReport(
            domain: "d", description: "full", options: [.init(id: "retry", title: "Retry")])
        func item(_ number: UInt64) -> InboxItem {
            let id = PresentationID(UniqueID(high: 0, low: number))
            return InboxItem(
                InboxPresentation(id: id, report: report, origin: "w"), group: 0, at: now,
                revision: number)
        }
        var (ended, open) = (item(1), item(2))
        ended.stage = .settled(
            Answer(option: "retry", by: "ann", via: .person, comment: "It was full."), .recovered)
        open.proposal = InboxProposal(
            id: PresentationID.make().value, request: PresentationID.make().value,
            option: "retry",
            values: GivenValues(comment: "It is full."), by: "ann", since: now,
            until: now + .seconds(60), report: [1])
        let journal = try SQLiteJournal(path)
        try await journal.keep([ended, open], [], console: 0)
        #expect(HistoryRow(ended, console: 0).record(report, at: now)?.stage == ended.stage)
        let proposal = HistoryRow(open, console: 0).record(report, at: now)?.proposal
        #expect(proposal?.values.comment == "It is full.")
        let archive = try #require(try HistoryArchive(path))
        let page = try await archive.presentations(
            try HistoryFilter([:]), console: 0, limit: 10)
        #expect(Set(page.entries.map(\.comment)) == ["It was full.", nil])
    }
}
