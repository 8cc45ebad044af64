import ErrorBusTesting
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OrderedCollections
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What the streams of a console send.
struct EventFeedTests {
    private let console: Console
    private let feed: EventFeed
    private let start = EventFeed.Position(seen: 0)

    init() throws {
        console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        feed = EventFeed(console)
    }

    /// Presents reports, each of a group of its own, and waits until all of them are open.
    private func present(_ keys: String...) async -> [Task<Void, any Error>] {
        let count = console.inbox.openCount + keys.count
        let asking = keys.map { key in
            var report = ErrorReport(domain: "com.acme", description: "Broken.")
            report.coalesceKey = key
            report.options = [.init(id: "go", title: "Retry")]
            let prompt = Prompts.prompt(report)
            return Task { [console] in _ = try await console.inbox.present(prompt) }
        }
        for await _ in console.inbox.changes() where console.inbox.openCount == count { break }
        return asking
    }

    private func json(_ message: EventFeed.Message) throws -> JSONValue {
        let lines = String(buffer: message.bytes).split(separator: "\n")
        let data = try #require(lines.first { $0.hasPrefix("data: ") }).dropFirst(6)
        return try JSONValue.parse(Array(data.utf8))
    }

    /// The numbers of the groups of a message; nil where it has none.
    private func groups(_ message: JSONValue) -> Set<Int64>? {
        (message["groups"]?.arrayValue).map { Set($0.compactMap { $0["number"]?.integerValue }) }
    }

    @Test("After the first message a stream has the groups that changed, and those that are gone")
    func changed() async throws {
        let asking = await present("a", "b")
        let first = feed.message(at: start, .changed)
        let all = try json(first)
        #expect(groups(all)?.count == 2 && all["groupCount"] == 2 && all["goneGroups"] == nil)
        let item = try #require(console.inbox.items().first)
        try console.inbox.claim(item.id, by: "ann")
        let second = feed.message(at: first.next, .changed)
        let claimed = try json(second)
        #expect(groups(claimed) == [Int64(item.group)] && claimed["goneGroups"] == [])
        let holder = claimed["groups"]?.arrayValue?.first?["first"]?["claimedBy"]
        #expect(holder == "ann" && claimed["groupCount"] == 2)
        try console.inbox.answer(item.id, option: "go", by: "ann", undo: .seconds(60))
        let third = feed.message(at: second.next, .changed)
        let answered = try json(third)
        #expect(groups(answered) == [] && answered["groupCount"] == 1)
        #expect(answered["goneGroups"] == [.integer(Int64(item.group))])
        let last = try json(feed.message(at: third.next, .changed))
        #expect(groups(last) == [] && last["goneGroups"] == [])
        for task in asking { task.cancel() }
    }

    @Test("With all, each message has the open groups; with none it has none")
    func chosen() async throws {
        let asking = await present("a", "b")
        for choice in [EventFeed.Groups.all, .none] {
            let first = feed.message(at: start, choice)
            let later = try json(feed.message(at: first.next, choice))
            #expect(groups(later)?.count == (choice == .all ? 2 : nil))
            #expect(later["goneGroups"] == nil && later["items"] == [])
            #expect(later["groupCount"]?.integerValue == (choice == .all ? 2 : nil))
        }
        for task in asking { task.cancel() }
    }

    @Test("Streams share a message for a second: times in it go on")
    func lifetime() {
        let (time, lifetime) = (ManualTime(), ConsoleLimits.messageLifetime)
        let feed = EventFeed(console, now: { time.now.instant })
        let begin = time.now.instant
        #expect(feed.message(at: start, .all).madeAt == begin)
        time.advance(by: lifetime - .milliseconds(1))
        #expect(feed.message(at: start, .all).madeAt == begin)
        time.advance(by: .milliseconds(1))
        #expect(feed.message(at: start, .all).madeAt == begin + lifetime)
    }

    @Test("No silence of a stream is longer than the interval of pings, whenever it began")
    func pings() throws {
        let (wake, limit) = (EventFeed.pingWakeInterval, ConsoleLimits.pingInterval)
        for late in stride(from: 0, to: 15_000, by: 500).map({ Duration.milliseconds($0) })
        where late < wake {
            let silences = (1...4).map { wake * $0 - late }
            let ping = try #require(silences.first(where: EventFeed.isPingDue))
            #expect(ping <= limit, "\(late) after a wake")
        }
    }

    @Test("A stream ends within a second after its user was removed, without any news")
    func removed() async throws {
        let folder = NSTemporaryDirectory() + "feed-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = UserFile("\(folder)/users.txt")
        let token = try file.add("anna", [.answer])
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:8080"))
        settings.usersFile = file.path
        let console = try Console(
            settings, of: "central", in: Topology(nodes: [:]), logger: Logger(label: "test"))
        let anna = try #require(try console.admission.visitor(showing: token))
        let (clock, ends) = (ManualClock(), Recorder<String>())
        let feed = EventFeed(console, clock: clock)
        let watch = Task { await feed.watch(anna) { ends.record("removed") } }
        // As long as the user is in the file the watch goes on.
        for _ in 0..<2 {
            #expect(try await clock.nextSleep() == .seconds(1))
            clock.advance(by: .seconds(1))
        }
        #expect(try await clock.nextSleep() == .seconds(1))
        try file.remove("anna")
        clock.advance(by: .seconds(1))
        #expect(try await ends.next() == "removed")
        await watch.value
    }

    @Test("The connection of a stream ends with it")
    func connection() throws {
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "127.0.0.1:8080", path: "/api/v1/events")
        let request = Request(head: head, body: .init(buffer: ByteBuffer()))
        let response = try feed.response(to: request, .unnamed, at: "127.0.0.1")
        #expect(response.headers[.connection] == "close")
    }

    @Test("A message is not shared any longer once there is news")
    func news() async throws {
        let time = ManualTime()
        let feed = EventFeed(console, now: { time.now.instant })
        let asking = await present("a")
        let item = try #require(console.inbox.items().first)
        #expect(try json(feed.message(at: start, .all))["items"]?.arrayValue?.count == 1)
        try console.inbox.claim(item.id, by: "ann")
        let message = try json(feed.message(at: start, .all))
        #expect(message["items"]?.arrayValue?.first?["claimedBy"] == "ann")
        for task in asking { task.cancel() }
    }

    @Test("Of many groups the gravest are sent, with the number of all")
    func manyGroups() async {
        let count = ConsoleLimits.groupCountMax + 1
        let asking = (0..<count).map { number in
            var report = ErrorReport(domain: "com.acme", description: "Broken.")
            report.coalesceKey = "\(number)"
            report.severity = number == count - 1 ? .critical : .error
            let prompt = Prompts.prompt(report)
            return Task { [console] in _ = try await console.inbox.present(prompt) }
        }
        for await _ in console.inbox.changes() where console.inbox.openCount == count { break }
        let open = console.inbox.groups
        let fields = feed.fields(open, of: open.count)
        let groups = fields["groups"]?.arrayValue ?? []
        #expect(groups.count == ConsoleLimits.groupCountMax)
        #expect(groups.first?["severity"] == "critical")
        #expect(fields["groupCount"] == .count(count))
        for task in asking { task.cancel() }
    }

    @Test("The choice is changed, all or none, and no other word")
    func words() throws {
        #expect(try QueryFields(nil).eventGroups == .changed)
        for choice in EventFeed.Groups.allCases {
            #expect(try QueryFields("groups=\(choice.rawValue)").eventGroups == choice)
        }
        let refusal = #expect(throws: APIProblem.self) {
            try QueryFields("groups=some").eventGroups
        }
        #expect(refusal?.message.contains("allowed: changed, all, none") == true)
    }
}
