import AsyncHTTPClient
import ErrorBusTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What `GET /metrics` says of a console and its node.
struct ConsoleMetricsTests {
    private let console: Console
    private let clock = ManualClock()
    private let api: ConsoleAPI

    init() throws {
        var node = TopologyNode(name: "central")
        node.notify = [NotifyRig.hook("chat")]
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.url = "http://localhost:8080"
        console = try Console(
            settings, of: "central", in: Topology(nodes: ["central": node]),
            logger: .init(label: "test"))
        api = ConsoleAPI(console, clock: clock)
    }

    private func lines(_ status: NodeStatus? = nil) async -> [String] {
        await api.metrics(status).text.split(separator: "\n").map(String.init)
    }

    @Test("What waits is counted by severity and stage, with the age of the oldest")
    func presentations() async throws {
        let reports = [Severity.error, .error, .critical].map {
            ErrorReport(
                domain: "weird\"domain", description: "weird\ntext", severity: $0,
                options: [.init(id: "retry", title: "Retry")])
        }
        let asking = reports.map { report in
            Task { try await console.inbox.present(Prompts.prompt(report)) }
        }
        for await _ in console.inbox.changes() where console.inbox.openCount == 3 { break }
        let grave = try #require(console.inbox.items().first { $0.report.severity == .critical })
        try console.inbox.claim(grave.id, by: "weird", for: .seconds(600))
        let other = try #require(console.inbox.items().first { $0.report.severity == .error })
        try console.inbox.answer(other.id, option: "retry", by: "weird", undo: .seconds(60))
        let lines = await lines()
        let name = "errorbus_presentations"
        #expect(lines.count { $0.hasPrefix("\(name){") } == Severity.allCases.count * 3)
        for line in [
            "# TYPE \(name) gauge", #"\#(name){severity="error",stage="open"} 1"#,
            #"\#(name){severity="error",stage="leaving"} 1"#,
            #"\#(name){severity="critical",stage="claimed"} 1"#,
            #"\#(name){severity="debug",stage="open"} 0"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.contains { $0.hasPrefix("errorbus_presentation_age_seconds_max ") })
        #expect(!lines.contains { $0.contains("weird") })
        for asking in asking { asking.cancel() }
    }

    @Test("The age is that of the oldest, which an earlier life of the node had already")
    func age() async throws {
        let report = ErrorReport(
            domain: "d", description: "Boom", options: [.init(id: "retry", title: "Retry")])
        let prompts = (0..<2).map { _ in Prompts.prompt(report) }
        let opened = ManualTime().now + .seconds(-7_200)
        console.inbox.restore([
            InboxRecord(
                InboxPresentation(id: prompts[0].id, report: report), openedAt: opened,
                changedAt: opened, stage: .open)
        ])
        let asking = prompts.map { prompt in
            Task { try await console.inbox.present(prompt) }
        }
        for await _ in console.inbox.changes() where console.inbox.openCount == 2 { break }
        let name = "errorbus_presentation_age_seconds_max "
        let ages = await lines().filter { $0.hasPrefix(name) }
            .compactMap { Int($0.dropFirst(name.count)) }
        #expect(ages.count == 1 && ages[0] >= 7_200)
        for asking in asking { asking.cancel() }
    }

    @Test("Answers of this life are counted by how they were made, and no others")
    func answers() async throws {
        for via in [Answer.Via.person, .policy, .person] {
            let answer = Answer(option: "retry", by: "x", via: via)
            console.history.record(
                PresentationEvent(.make(), .decided(answer, isRestored: false)))
            console.history.record(PresentationEvent(.make(), .decided(answer, isRestored: true)))
        }
        let lines = await lines()
        #expect(
            lines.filter { $0.hasPrefix("errorbus_answers_total{") } == [
                #"errorbus_answers_total{via="person"} 2"#,
                #"errorbus_answers_total{via="policy"} 1"#,
                #"errorbus_answers_total{via="expiry"} 0"#,
                #"errorbus_answers_total{via="handler"} 0"#,
            ])
    }

    @Test("Links by their state and drops by their kind are those of the node's status")
    func links() async throws {
        var status = NodeStatus(node: "central")
        for (name, state) in [("a", ChildStatus.State.live), ("b", .live), ("c", .lost)] {
            var child = ChildStatus()
            child.name = try #require(NodeName(name))
            child.state = state
            status.children.append(child)
        }
        status.childrenLeftOut = 7
        var parent = ParentStatus()
        parent.state = .up
        status.parents = [parent]
        status.dropped = ["overflow": 5, "malformed": 2]
        let lines = await lines(status)
        #expect(
            lines.filter { $0.hasPrefix("errorbus_links{") && !$0.hasSuffix(" 0") } == [
                #"errorbus_links{to="parent",state="up"} 1"#,
                #"errorbus_links{to="child",state="live"} 2"#,
                #"errorbus_links{to="child",state="lost"} 1"#,
                #"errorbus_links{to="child",state="unlisted"} 7"#,
            ])
        #expect(
            lines.filter { $0.hasPrefix("errorbus_dropped_total{") } == [
                #"errorbus_dropped_total{kind="malformed"} 2"#,
                #"errorbus_dropped_total{kind="overflow"} 5"#,
            ])
    }

    @Test("A hook is there by its name, and what the journal lacks until it is written")
    func hooksAndJournal() async throws {
        let folder = try TemporaryFolder()
        try console.keepHistory(in: try SQLiteJournal("\(folder.path)/c.sqlite"), number: 0)
        console.history.record(.decided(.make(), "retry", by: "ann"))
        let before = await lines()
        for name in ["messages_total", "messages_waiting", "messages_dead", "failing"] {
            #expect(before.contains(#"errorbus_hook_\#(name){hook="chat"} 0"#), "\(name)")
        }
        #expect(before.contains(#"errorbus_journal_unwritten{of="events"} 1"#))
        #expect(await console.kept?.keeper.write() == true)
        #expect(await lines().contains(#"errorbus_journal_unwritten{of="events"} 0"#))
    }

    @Test("The dead letters of a hook are those of that hook alone")
    func deadLetters() async throws {
        var rig = NotifyRig([NotifyRig.hook("chat"), NotifyRig.hook("mail") { $0.tries = 1 }])
        rig.open()
        rig.pass(.seconds(6)) { _ in "refused" }
        let dead = rig.machine.dead
        #expect(dead.map(\.hook) == ["mail"])
        let folder = try TemporaryFolder()
        let journal = try SQLiteJournal("\(folder.path)/c.sqlite")
        try await JournalLetters(journal: journal).keep { dead }
        try console.keepHistory(in: journal, number: 0)
        #expect(console.notifier?.machine.dead.count == 1)
        #expect(await lines().contains(#"errorbus_hook_messages_dead{hook="chat"} 0"#))
    }

    @Test("Every metric is in docs/operations.md, and no others are")
    func documented() async throws {
        let folder = try TemporaryFolder()
        try console.keepHistory(in: try SQLiteJournal("\(folder.path)/c.sqlite"), number: 0)
        var status = NodeStatus(node: "central")
        status.dropped = ["overflow": 1]
        let served = await lines(status).filter { $0.hasPrefix("# TYPE ") }
            .compactMap { $0.split(separator: " ").dropFirst(2).first.map { String($0) } }
        let file = InterfaceDocument.file.deletingLastPathComponent()
            .appending(path: "operations.md")
        let rows = try String(contentsOf: file, encoding: .utf8).matches(
            of: /\n\| `(errorbus_[a-z_]+)` \|/)
        #expect(rows.map { String($0.1) } == served)
    }

    @Test("A client with the token gets text that Prometheus reads, and counts as a connection")
    func served() async throws {
        try await ServedConsole.run({ _ in }, logger: .init(label: "test")) { console in
            let response = try await console.exchange("/metrics").response()
            #expect(response.status.code == 200)
            #expect(
                response.headers["content-type"] == ["text/plain; version=0.0.4; charset=utf-8"])
            let body = try await response.body.collect(upTo: 65_536)
            let text = String(buffer: body)
            #expect(text.contains("errorbus_console_connections{token=\"shown\"} 1\n"))
            #expect(text.contains("errorbus_console_connections{token=\"none\"} 0\n"))
            #expect(text.contains("errorbus_console_event_streams 0\n"))
            let stranger = try await console.exchange("/metrics", hasToken: false).response()
            #expect(stranger.status.code == 401)
        }
    }

    @Test("A node that does not respond within 1 s has no metrics: 503, stuck")
    func stuck() async throws {
        let (silence, end) = AsyncStream.makeStream(of: Never.self)
        async let metrics = api.metrics {
            for await _ in silence {}
            return nil
        }
        #expect(try await clock.nextSleep() == .seconds(1))
        clock.advance(by: .seconds(1))
        do {
            _ = try await metrics
            Issue.record("it has metrics")
        } catch {
            #expect((error as? APIProblem)?.word == "stuck")
        }
        end.finish()
    }
}
