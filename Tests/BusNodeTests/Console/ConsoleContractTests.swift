import ErrorBusTesting
import Foundation
import HTTPTypes
import Logging
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// docs/openapi.yaml says what the server does, and the server does what it says.
struct ConsoleContractTests {
    private let console: Console
    private let document: InterfaceDocument

    init() throws {
        console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: .init(label: "test"))
        document = try InterfaceDocument()
    }

    private func keys(_ path: String...) -> [String] { document.keys(path) }

    private func text(_ path: String...) -> String { document.text(path) }

    @Test("Every route is described, and no others are")
    func routes() {
        let served = ConsoleAPI(console).routes.routes.map {
            "\($0.method.rawValue.lowercased()) \($0.path)"
        }
        let described = document.operations.map { "\($0.method) \($0.path)" }
        #expect(Set(served) == Set(described))
        #expect(served.count == described.count)
    }

    @Test("Every route needs what the document says")
    func needs() {
        for route in ConsoleAPI(console).routes.routes {
            let operation = InterfaceDocument.Operation(
                method: route.method.rawValue.lowercased(), path: route.path)
            #expect(document.needs(of: operation) == [route.needs], "\(operation)")
        }
    }

    @Test("Every operation has a name of its own")
    func operations() throws {
        let names = document.operations.map { text("paths", $0.path, $0.method, "operationId") }
        #expect(names.allSatisfy { $0.contains(/^[a-z][A-Za-z]+$/) }, "\(names)")
        #expect(Set(names).count == names.count)
    }

    @Test("The served document is the one in docs")
    func served() throws {
        #expect(
            try Array(Data(contentsOf: InterfaceDocument.file)) == ConsolePage.interfaceBytes)
    }

    @Test("Past presentations have the described fields")
    func pastFields() {
        #expect(
            HistoryEntry.members.map(\.name) == keys("components", "schemas", "Past", "properties"))
    }

    @Test("A chart, its buckets and times to answer have the described fields")
    func chartFields() {
        func described(_ schema: String) -> [String] {
            keys("components", "schemas", schema, "properties")
        }
        #expect(ChartView.members.map(\.name) == described("Chart"))
        #expect(BucketView.members.map(\.name) == described("Bucket"))
        #expect(WaitsView.members.map(\.name) == described("Waits"))
        #expect(WaitView.members.map(\.name) == described("Wait"))
    }

    @Test("A proposed rule and the result of a trial have the described fields")
    func ruleFields() {
        func described(_ schema: String) -> [String] {
            keys("components", "schemas", schema, "properties")
        }
        #expect(RuleProposalView.members.map(\.name) == described("ProposedRule"))
        #expect(RuleTrialView.members.map(\.name) == described("Trial"))
        #expect(TrialPart.members.map(\.name) == described("TrialPart"))
    }

    @Test("What the inbox has forgotten is read from the journal, with the described fields")
    func archived() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("archived-\(UUID().uuidString)/central.sqlite").path
        let journal = try SQLiteJournal(path)
        try console.keepHistory(in: journal, number: 0)
        let report = ErrorReport(
            domain: "d", description: "broken", options: [.init(id: "retry", title: "Retry")])
        let (id, other) = (PresentationID.make(), PresentationID.make())
        var item = InboxItem(
            InboxPresentation(id: id, report: report, origin: "worker-1"), group: 0,
            at: ManualTime().now, revision: 1)
        item.stage = .settled(Answer(option: "retry", by: "ann", via: .person), .recovered)
        let made = AuditHistory()
        made.record(.decided(id, "retry", by: "ann"))
        let events = made.events(after: 0, limit: 9).events
        try await journal.keep([item], events, console: 0)
        // Of another console of the node.
        let foreign = InboxItem(
            InboxPresentation(id: other, report: report, origin: "worker-1"), group: 0,
            at: ManualTime().now, revision: 2)
        try await journal.keep([foreign], [], console: 1)
        // Newer than those of the journal, as after a restart.
        console.history.record(.decided(other, "retry", by: "bob"))
        console.listens(at: ConsoleHosts(console.settings, port: 8080))
        let api = ConsoleAPI(console)
        let found = try await api.presentation(id)
        let described =
            keys("components", "schemas", "Past", "properties")
            + keys("components", "schemas", "Archived", "properties")
        #expect(found.objectValue?.keys.sorted() == described.sorted())
        #expect(found["archived"]?.boolValue == true)
        #expect(found.text("outcome") == "recovered" && found.text("by") == "ann")
        #expect(found.text("id") == id.description && found["report"] == nil)
        #expect(found.text("url") == "http://127.0.0.1:8080/#/inbox/\(id)")
        #expect(found.views("history", of: EventView.self).map(\.event) == ["decide"])
        let lines = InboxDetail(found).lines
        #expect(lines.contains { $0.hasPrefix("answer ") && $0.hasSuffix("Retry by ann") })
        #expect(lines.contains { $0.hasPrefix("ended ") && $0.hasSuffix("Z recovered") })
        #expect(!lines.contains { $0.hasPrefix("option") })
        let problem = await #expect(throws: APIProblem.self) { try await api.presentation(other) }
        #expect(problem?.status == .notFound && problem?.word == "unknown")
    }

    @Test("Items and groups have the described fields")
    func fields() async throws {
        let report = ErrorReport(domain: "d", description: "broken")
        let prompt = Prompts.prompt(report)
        let asking = Task { try await console.inbox.present(prompt) }
        for await _ in console.inbox.changes() where console.inbox.openCount == 1 { break }
        let item = try #require(console.inbox.items().first)
        let group = try #require(console.inbox.groups.first)
        let itemKeys = PresentationView(item, console).json.objectValue?.keys.sorted()
        #expect(itemKeys == keys("components", "schemas", "Item", "properties").sorted())
        let groupKeys = JSONValue(group, console).objectValue?.keys.sorted()
        #expect(groupKeys == keys("components", "schemas", "Group", "properties").sorted())
        let inGroup = try ConsoleAPI(console).group(group.number).objectValue?.keys.sorted()
        let groupDetail = keys("components", "schemas", "GroupDetail", "properties")
        #expect(inGroup == ((groupKeys ?? []) + groupDetail).sorted())
        let member = try ConsoleAPI(console).group(group.number)["items"]?.arrayValue?.first
        let memberKeys = keys(
            "components", "schemas", "GroupDetail", "properties", "items", "items", "properties")
        #expect(member?.objectValue?.keys.sorted() == memberKeys.sorted())
        let detail = try await ConsoleAPI(console).detail(item.id).objectValue?.keys.sorted()
        let more = keys("components", "schemas", "Detail", "properties")
        #expect(detail == ((itemKeys ?? []) + more).sorted())
        asking.cancel()
    }

    @Test("The status, its nodes and its links have the described fields")
    func statusFields() async throws {
        var child = TopologyNode(name: "worker")
        child.next = [.node("central")]
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: ["central": TopologyNode(name: "central"), "worker": child]),
            logger: .init(label: "test"))
        let status = await ConsoleAPI(console).status
        func schema(_ name: String) -> [String] {
            keys("components", "schemas", name, "properties").sorted()
        }
        #expect(status.objectValue?.keys.sorted() == schema("Status"))
        let topology = try #require(status["topology"]?.objectValue)
        #expect(topology.keys.sorted() == schema("Topology"))
        let nodes = try #require(topology["nodes"]?.arrayValue)
        #expect(nodes.allSatisfy { $0.objectValue?.keys.sorted() == schema("Node") })
        #expect(nodes.count == 2)
        let link = try #require(topology["links"]?.arrayValue?.first?.objectValue)
        #expect(link.keys.sorted() == schema("Link"))
        #expect(link["state"] == "unknown")
    }

    @Test("Silences have the described fields")
    func silenceFields() async throws {
        let pattern: JSONValue = ["domain": "d"]
        let (silence, _) = try await console.silences.add(
            .init(
                pattern: pattern, match: try RuleMatch(json: pattern), by: "ann", comment: "known"),
            for: .seconds(60), alsoOpen: false)
        let served = SilenceView(silence, at: ManualTime().now).json.objectValue?.keys.sorted()
        #expect(served == keys("components", "schemas", "Silence", "properties").sorted())
        let reply = ["silence"] + ConsoleSilences.Applied().reply.keys
        #expect(
            reply.sorted()
                == keys(
                    "paths", "/api/v1/silences", "post", "responses", "200", "content",
                    "application/json", "schema", "properties"
                ).sorted())
    }

    @Test("Hooks, dead letters and messages have the described fields")
    func hookFields() throws {
        let hook = NotifyRig.hook {
            $0.perMinute = 1
            $0.tries = 1
        }
        var rig = NotifyRig([hook])
        for number in 0..<2 { rig.open(NotifyRig.report("\(number)")) }
        let writer = NotifyWriter(node: "central", url: "https://console.example")
        var messages: [JSONValue] = []
        rig.pass(.seconds(600)) { message in
            messages.append(writer.json(message, for: hook))
            return "refused"
        }
        func described(_ schema: String) -> [String] {
            keys("components", "schemas", schema, "properties").sorted()
        }
        #expect(messages[0].objectValue?.keys.sorted() == described("HookMessage"))
        #expect(messages[1].objectValue?.keys.sorted() == described("HookSummary"))
        let links = try AnswerLinkRig()
        let answers = NotifyWriter(
            node: "central", url: AnswerLinkRig.url, links: try links.links()
        ).json(AnswerLinkRig.message(AnswerLinkRig.item(), at: rig.time.now), for: links.hook)
        let answer = answers["answers"]?.arrayValue?.first
        #expect(answer?.objectValue?.keys.sorted() == described("AnswerLink"))
        #expect(rig.machine.hooks[0].json.objectValue?.keys.sorted() == described("Hook"))
        let letter = try #require(rig.machine.dead.first).json(writer)
        #expect(letter.objectValue?.keys.sorted() == described("Letter"))
        #expect(letter["presentation"] == messages[0]["ids"]?.arrayValue?.first)
        #expect(
            ConsoleAPI(console).hookList
                == ["hooks": [], "dead": [], "removed": 0, "isKept": false])
    }

    @Test("Long descriptions are cut in lists, not in reports")
    func longText() async throws {
        let text = String(repeating: "é", count: 10_000)
        let reason = "rsync: started\n" + text + "\nNo space left on device"
        let prompt = Prompts.prompt(
            ErrorReport(domain: "d", description: text, failureReason: reason))
        let asking = Task { try await console.inbox.present(prompt) }
        for await _ in console.inbox.changes() where console.inbox.openCount == 1 { break }
        let item = try #require(console.inbox.items().first)
        let view = PresentationView(item, console)
        let end = try #require(view.failureReason)
        #expect(end.unicodeScalars.count == ConsoleLimits.descriptionScalarMax)
        #expect(end.hasSuffix("é\nNo space left on device"))
        // A list is searched by the whole reason, a screen by what it has of it.
        for words in ["RSYNC: started", "no space"] {
            #expect(try HistoryFilter(["q": words]).matches(item))
        }
        let entry = try #require(InboxEntry(view.json, at: ManualTime().now))
        #expect(entry.contains([TextSearch("no space")]))
        let shown = view.description
        #expect(shown.unicodeScalars.count == ConsoleLimits.descriptionScalarMax)
        #expect(shown.hasSuffix("é…"))
        let detail = try await ConsoleAPI(console).detail(item.id)
        #expect(detail["report"]?["description"] == .string(text))
        asking.cancel()
    }
}
