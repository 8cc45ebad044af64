import Foundation
import HTTPTypes
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Notes on a presentation, over HTTP.
@Suite struct ConsoleNotesTests {
    private let api: ConsoleAPI
    private var inbox: Inbox { api.inbox }

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: Logger(label: "test")))
    }

    private func present() async throws -> Task<Answer?, any Error> {
        let (prompt, inbox) = (Prompts.prompt(ErrorReport(domain: "d", description: "full")), inbox)
        let asking = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        return asking
    }

    private var item: InboxItem { get throws { try #require(inbox.items().first) } }

    /// Nil, or the refusal.
    private func note(
        _ body: JSONValue, by visitor: ConsoleVisitor = .unnamed
    ) throws -> APIProblem? {
        do {
            try api.addNote(try item.id, body.encoded(), visitor)
            return nil
        } catch let problem as APIProblem {
            return problem
        } catch let refusal as InboxRefusal {
            return APIProblem(refusal)
        }
    }

    @Test("A note is in the details, the count and the audit, with its author and time")
    func noted() async throws {
        let asking = try await present()
        let id = PresentationID.make().description
        let body: JSONValue = ["text": "called Bob", "by": "ann", "note": .string(id)]
        for _ in 1...2 { #expect(try note(body) == nil) }
        asking.cancel()
        _ = try await asking.value
        #expect(try note(["text": "it was\nthe disk", "by": "bob"]) == nil)
        #expect(PresentationView(try item, api.console).noteCount == 2)
        let detail = try await api.detail(try item.id)
        let notes = detail.views("notes", of: NoteView.self)
        #expect(notes.map(\.text) == ["called Bob", "it was\nthe disk"])
        #expect(notes.map(\.by) == ["ann", "bob"] && notes.first?.id == id)
        #expect(notes.allSatisfy { TimeText.dateToWrite($0.at) != nil && $0.at.hasSuffix("Z") })
        let events = api.console.history.events(of: try item.id).filter { $0.event == "note" }
        #expect(events.map { $0.fields["text"] } == ["called Bob", "it was\nthe disk"])
        #expect(events.first?.sentence == "Note by ann: called Bob")
        let lines = InboxDetail(detail).lines.filter { $0.hasPrefix("note ") }
        #expect(lines.first?.hasSuffix("Z ann: called Bob") == true && lines.count == 2)
        let filter = try HistoryFilter(["q": "BOB"])
        #expect(filter.matches(try item))
    }

    @Test("Texts that are empty or too long, and notes beyond the limit, are refused")
    func refused() async throws {
        let asking = try await present()
        let long = String(repeating: "x", count: ConsoleLimits.noteScalarMax)
        let bad: [JSONValue] = [
            ["by": "ann"], ["text": " \n", "by": "ann"],
            ["text": .string(long + "x"), "by": "ann"],
            ["text": "x"], ["text": "x", "by": "ann", "note": "7"], ["text": 1, "by": "ann"],
        ]
        for body in bad { #expect(try note(body)?.word == "badRequest", "\(body)") }
        #expect(try item.notes.isEmpty)
        for _ in 1...InboxLimits().noteMax {
            #expect(try note(["text": .string(long), "by": "ann"]) == nil)
        }
        let problem = try #require(try note(["text": "x", "by": "ann"]))
        #expect(problem.status == .conflict && problem.word == "tooMany")
        #expect(problem.details["allowed"] == .integer(Int64(InboxLimits().noteMax)))
        asking.cancel()
        _ = try await asking.value
    }

    @Test("A user's notes have the user's name, whatever the request says")
    func author() async throws {
        let asking = try await present()
        let user = ConsoleUser(name: "mia", permissions: [.answer], token: "t")
        let mia = ConsoleVisitor(user: user)
        #expect(try note(["text": "x", "by": "ann"], by: mia)?.word == "notYou")
        #expect(try note(["text": "x"], by: mia) == nil)
        #expect(try item.notes.map(\.by) == ["mia"])
        asking.cancel()
        _ = try await asking.value
    }
}
