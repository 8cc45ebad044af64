import AsyncHTTPClient
package import ErrorBus
import NIOCore
import NIOHTTP1
import Synchronization

/// The feed of a console's inbox: the list, then every change, with new connections as needed.
package struct InboxFeed: Sendable {
    package enum Event: Sendable {
        case listed(JSONValue)
        case hello(JSONValue)
        case change(JSONValue)
        /// The connection was lost, for this reason; it is being restored.
        case lost(String)
    }

    /// The pause between two attempts to connect.
    private static let pause: Duration = .seconds(1)
    /// The longest silence of a console, which sends a ping every 15 s.
    private static let silenceMax: Duration = .seconds(40)

    let client: ConsoleClient
    /// The stage of the presentations listed.
    let stage: String
    /// Whether the list is sent again after a lost connection, instead of the changes since.
    let listsAgain: Bool

    package init(client: ConsoleClient, stage: String, listsAgain: Bool) {
        self.client = client
        self.stage = stage
        self.listsAgain = listsAgain
    }

    /// The last received message, and its time.
    private final class Heard: Sendable {
        let state: Mutex<(revision: String, at: ContinuousClock.Instant)>

        init(_ revision: String) { state = Mutex((revision, .now)) }
    }

    private struct Silent: Error, CustomStringConvertible {
        let description = "nothing heard for \(InboxFeed.silenceMax.components.seconds) s"
    }

    /// - Throws: When no console answers at the start, when it refuses, or when `take` throws.
    package func run(_ take: @escaping @Sendable (Event) throws -> Void) async throws {
        let heard = Heard(try await list(take))
        while true {
            let reason: String
            do {
                try await follow(heard, take)
                reason = "the console ended the stream"
            } catch let failure as Failure {
                guard failure.status == .temporaryFailure else { throw failure }
                reason = failure.text
            } catch {
                reason = client.unreachable(error).text
            }
            try take(.lost(reason))
            try await Task.sleep(for: Self.pause)
            if listsAgain { try await listAgain(heard, take) }
        }
    }

    private func list(_ take: (Event) throws -> Void) async throws -> String {
        let list = try await client.get("/inbox?stage=\(stage)&limit=10000&groups=none")
        try take(.listed(list))
        return "\(list["revision"]?.integerValue ?? 0)"
    }

    private func listAgain(_ heard: Heard, _ take: (Event) throws -> Void) async throws {
        while true {
            do {
                let revision = try await list(take)
                return heard.state.withLock { $0 = (revision, .now) }
            } catch let failure as Failure
                where [.unavailable, .temporaryFailure].contains(failure.status)
            {
                try take(.lost(failure.text))
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Returns when the connection ends.
    private func follow(
        _ heard: Heard, _ take: @escaping @Sendable (Event) throws -> Void
    ) async throws {
        heard.state.withLock { $0.at = .now }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await read(heard, take) }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.pause)
                    let at = heard.state.withLock { $0.at }
                    if .now - at > Self.silenceMax { throw Silent() }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func read(_ heard: Heard, _ take: (Event) throws -> Void) async throws {
        var stream = EventLines(byteCountMax: HTTPExchange.bodyByteMax)
        let last = heard.state.withLock { $0.revision }
        let exchange = client.exchange(.GET, "/events?groups=none", lastEvent: last)
        let response = try await exchange.response()
        guard response.status == .ok else {
            let body = try? await response.body.collect(upTo: 64 * 1024)
            let json = body.flatMap { try? JSONValue.parse(Array($0.readableBytesView)) }
            throw client.failure(Int(response.status.code), json ?? .null)
        }
        for try await bytes in response.body {
            for event in stream.take(bytes.readableBytesView) {
                try handOver(event, take)
                heard.state.withLock { $0 = (event.id ?? $0.revision, .now) }
            }
        }
    }

    private func handOver(_ event: EventLines.Event, _ take: (Event) throws -> Void) throws {
        let limits = ConsoleClient.limits
        guard ["hello", "change"].contains(event.name),
            let json = try? JSONValue.parse(Array(event.data.utf8), limits: limits)
        else { return }
        try take(event.name == "hello" ? .hello(json) : .change(json))
    }
}

/// The assembler of the events of a `text/event-stream`.
struct EventLines {
    struct Event: Hashable {
        var id: String?
        var name = ""
        var data = ""
    }

    private var lines: LineBuffer
    private var event = Event()

    init(byteCountMax: Int) { lines = LineBuffer(byteCountMax: byteCountMax) }

    /// The events completed by this input.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for case let line? in lines.take(bytes) {
            guard !line.isEmpty else {
                if !event.data.isEmpty { events.append(event) }
                event = Event()
                continue
            }
            let parts = line.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "id": event.id = value
            case "event": event.name = value
            case "data": event.data += event.data.isEmpty ? value : "\n" + value
            default: break
            }
        }
        return events
    }
}
