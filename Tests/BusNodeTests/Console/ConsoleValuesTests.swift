import Foundation
import HTTPTypes
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// Options that ask for values, over HTTP.
@Suite struct ConsoleValuesTests {
    private let api: ConsoleAPI
    private var inbox: Inbox { api.inbox }

    init() throws {
        api = ConsoleAPI(
            try Console(
                ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
                in: Topology(nodes: [:]), logger: Logger(label: "test")))
    }

    private func present() async throws -> Task<Answer?, any Error> {
        var report = ErrorReport(domain: "d", description: "full")
        report.options = [.init(id: "move", title: "Move"), .init(id: "retry", title: "Retry")]
        report.options[0].fields = [
            .text("path", label: "Path", pattern: "/*"), .secret("pin", label: "PIN"),
            .number("n", label: "N", default: 3),
        ]
        let (prompt, inbox) = (Prompts.prompt(report), inbox)
        let asking = Task { try await inbox.present(prompt) }
        for await _ in inbox.changes() where inbox.openCount == 1 { break }
        return asking
    }

    private var item: InboxItem { get throws { try #require(inbox.items().first) } }

    /// Nil, or the refusal.
    private func answer(
        _ option: String, _ values: JSONValue?, _ fields: [String: JSONValue] = [:]
    ) throws -> APIProblem? {
        var body = fields.merging(["option": .string(option), "by": "ann"]) { $1 }
        body["values"] = values
        do {
            try api.answer(try item.id, JSONValue.object(body).encoded(), .unnamed)
            return nil
        } catch let problem as APIProblem {
            return problem
        } catch let refusal as InboxRefusal {
            return APIProblem(refusal)
        }
    }

    @Test("A42 a value that does not fit is refused with its field; the presentation stays open")
    func refused() async throws {
        let asking = try await present()
        let bad: [(JSONValue?, String)] = [
            (nil, "path"), (["path": "/a"], "pin"), (["path": "a", "pin": "1"], "path"),
            (["path": "/a", "pin": "1", "n": "3"], "n"), (["path": "/a", "pin": "1", "x": 1], "x"),
            (["path": "/a", "pin": 4711], "pin"),
        ]
        for (values, field) in bad {
            let problem = try #require(try answer("move", values))
            #expect(problem.status == .unprocessableContent && problem.word == "badValue")
            // A person's mistake: the log has it as info.
            #expect(problem.isOrdinary)
            #expect(problem.details["field"] == .string(field))
            #expect(problem.details["found"]?.stringValue?.isEmpty == false)
            #expect(problem.details["expected"]?.stringValue?.isEmpty == false)
            #expect(!String(decoding: problem.json.encoded(), as: UTF8.self).contains("4711"))
        }
        for values: JSONValue in ["4711", ["4711"]] {
            let problem = try #require(try answer("move", values))
            #expect(problem.status == .badRequest && problem.message.hasPrefix("values: found"))
            #expect(!problem.message.contains("4711"))
        }
        #expect(try answer("retry", ["path": "/a"])?.word == "badValue")
        #expect(try answer("move", ["path"])?.word == "badRequest")
        #expect(try answer("move", ["path"])?.isOrdinary == false)
        let confirms: [String: JSONValue] = ["confirms": .string(PresentationID.make().description)]
        #expect(try answer("retry", ["path": "/a"], confirms)?.word == "badRequest")
        #expect(inbox.openCount == 1)
        asking.cancel()
        _ = try await asking.value
    }

    @Test("A42 an answer for a group says for each member which value does not fit")
    func group() async throws {
        let asking = try await present()
        let body: JSONValue = [
            "option": "move", "by": "ann", "values": ["path": "/a", "pin": 1], "seen": nil,
        ]
        let reply = try api.answerGroup(try item.group, body.encoded(), .unnamed)
        let refused = reply["refused"]?.arrayValue?.first
        #expect(refused?["error"] == "badValue" && refused?["field"] == "pin")
        #expect(refused?["expected"] == "1 to 4096 characters")
        let values: JSONValue = ["path": "/a", "pin": "1"]
        let second: JSONValue = ["option": "move", "by": "ann", "values": values]
        let taken = try api.answerGroup(try item.group, second.encoded(), .unnamed)
        #expect(taken["answered"]?.arrayValue?.count == 1)
        #expect(try await asking.value?.given.values == ["path": "/a", "n": 3])
    }

    @Test("A41 values reach the answer; clients see all but the secret")
    func answered() async throws {
        let asking = try await present()
        let open = PresentationView(try item, api.console).json
        #expect(open["options"]?.arrayValue?.first?["fields"]?.arrayValue?.count == 3)
        #expect(open["options"]?.arrayValue?.last?["fields"] == [])
        #expect(try answer("move", ["path": "/srv", "pin": "hunter2"]) == nil)
        let answer = try #require(try await asking.value)
        #expect(answer.given.values == ["path": "/srv", "n": 3])
        #expect(answer.given.secrets == ["pin": "hunter2"])
        let view = PresentationView(try item, api.console)
        #expect(view.answer?.values == ["path": "/srv", "n": 3])
        #expect(view.answer?.secrets == ["pin"])
        let detail = String(
            decoding: try await api.detail(try item.id).encoded(), as: UTF8.self)
        #expect(!detail.contains("hunter2"))
        let read = try #require(PresentationView(json: view.json))
        #expect(read.options[0].readFields.map(\.name) == ["path", "pin", "n"])
    }
}
