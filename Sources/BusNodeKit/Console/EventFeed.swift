import ErrorBus
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// The inbox as server-sent events: each change, to all clients.
final class EventFeed: Sendable {
    /// A message for all streams at the same revision; made once for all of them.
    private struct Message {
        let seen: UInt64
        let latest: UInt64
        let bytes: ByteBuffer
        /// The revision of a stream after it.
        let revision: UInt64
        let isWhole: Bool
    }

    private let console: Console
    let streams = EventStreams()
    /// The latest, with and without groups.
    private let last = Mutex<[Bool: Message]>([:])

    init(_ console: Console) { self.console = console }

    /// The open groups, as lists and events have them.
    var groupFields: [String: JSONValue] {
        let groups = console.inbox.groups
        return [
            "groups": .array(
                groups.prefix(ConsoleLimits.groupCountMax).map { JSONValue($0, console) }),
            "groupCount": .count(groups.count),
        ]
    }

    /// A stream from the client's last revision; from the start when that is of another life. It
    /// ends when its visitor is no longer admitted.
    ///
    /// - Parameter address: The client's.
    func response(
        to request: Request, _ visitor: ConsoleVisitor, at address: String
    ) throws(APIProblem) -> Response {
        let query = try QueryFields(request.uri.query).allowing(["after", "groups"])
        let after = try query.number("after", in: 0...Int(Revisions.max)) ?? 0
        let hasGroups = try query.wantsGroups
        let header = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
        // A browser that reconnects has seen more than the address says.
        let shown = header.flatMap { Int64($0) } ?? Int64(after)
        let seen = console.reached(shown)
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let place = try streams.place(
            for: EventStreams.Owner(visitor, at: address), session: visitor.session
        ) { wake.finish() }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                // Frees its place when this closure is released.
                withExtendedLifetime(place) {}
                try await self.run(request, wake) {
                    try await self.write(visitor, seen, hasGroups, wakes, &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// Wakes a stream as it is written, until its client or the node goes.
    private func run(
        _ request: Request, _ wake: AsyncStream<Void>.Continuation,
        _ write: () async throws -> Void
    ) async throws {
        let changes = console.inbox.changes()
        try await request.body.consumeWithInboundCloseHandler { _ in
            try await withGracefulShutdownHandler {
                async let _: Void = Self.wake(wake, on: changes)
                async let _: Void = Self.ping(wake)
                try await write()
            } onGracefulShutdown: {
                wake.finish()
            }
        } onInboundClosed: {
            wake.finish()
        }
    }

    private static func wake(
        _ wake: AsyncStream<Void>.Continuation, on changes: AsyncStream<UInt64>
    ) async {
        for await _ in changes { wake.yield() }
    }

    private static func ping(_ wake: AsyncStream<Void>.Continuation) async {
        while (try? await Task.sleep(for: ConsoleLimits.pingInterval)) != nil { wake.yield() }
    }

    private func write(
        _ visitor: ConsoleVisitor, _ seen: UInt64?, _ hasGroups: Bool, _ wakes: AsyncStream<Void>,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(ByteBuffer(string: "event: hello\ndata: \(hello(seen))\n\n"))
        // What had ended before it began it was never sent as open.
        let begun = seen ?? console.inbox.revision
        var seen = seen ?? 0
        var isFirst = true
        let clock = ContinuousClock()
        var lastWrite = clock.now
        for await _ in wakes {
            var isWhole = false
            while !isWhole {
                guard console.admits(visitor) else { return }
                // Ends are forgotten that it was not sent: its client starts over.
                guard max(seen, begun) >= console.inbox.forgottenRevision else { return }
                let begin = clock.now
                let message = message(after: seen, hasGroups)
                isWhole = message.isWhole
                guard isFirst || message.revision > seen else { break }
                isFirst = false
                seen = message.revision
                try await writer.write(message.bytes)
                lastWrite = clock.now
                // However long a message took to make, most of the time is left to others.
                let pause = max(ConsoleLimits.messageInterval, (lastWrite - begin) * 3)
                try await Task.sleep(for: pause)
            }
            if clock.now - lastWrite >= ConsoleLimits.pingInterval {
                try await writer.write(ByteBuffer(string: "event: ping\ndata: {}\n\n"))
                lastWrite = clock.now
            }
        }
    }

    /// The node's name, and whether the following replaces all that the client has.
    private func hello(_ seen: UInt64?) -> String {
        let json: JSONValue = [
            "node": .string(console.node.description), "startedAt": .time(console.startedAt),
            "isReset": .bool(seen == nil),
        ]
        return String(decoding: json.encoded(), as: UTF8.self)
    }

    private func message(after seen: UInt64, _ hasGroups: Bool) -> Message {
        let latest = console.inbox.revision
        return last.withLock { last in
            if let known = last[hasGroups], known.seen == seen, known.latest >= latest {
                return known
            }
            let message = makeMessage(after: seen, latest, hasGroups)
            last[hasGroups] = message
            return message
        }
    }

    private func makeMessage(
        after seen: UInt64, _ latest: UInt64, _ hasGroups: Bool
    ) -> Message {
        let changed = console.inbox.items(changedAfter: seen)
        let items = changed.prefix(ConsoleLimits.itemCountMax)
        let revision = max(seen, items.last?.revision ?? seen)
        var object: [String: JSONValue] = [
            "revision": .integer(console.revisions.shown(revision)),
            "openCount": .count(console.inbox.openCount),
            "items": items.map { PresentationView($0, console) }.json,
            "isLast": .bool(items.count == changed.count),
        ]
        if hasGroups { object.merge(groupFields) { $1 } }
        let data = JSONEscapes.escapingInvisible(in: JSONValue.object(object).encoded())
        var bytes = ByteBuffer()
        bytes.writeString("id: \(console.revisions.shown(revision))\nevent: change\ndata: ")
        bytes.writeBytes(data)
        bytes.writeString("\n\n")
        return Message(
            seen: seen, latest: latest, bytes: bytes, revision: revision,
            isWhole: items.count == changed.count)
    }
}
