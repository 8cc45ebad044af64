import ErrorBus
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// The inbox as server-sent events: each change, to all clients.
final class EventFeed: Sendable {
    /// The groups in the messages of a stream.
    enum Groups: String, CaseIterable {
        /// In the first message all groups, then the groups that changed.
        case changed
        case all, none
    }

    /// The position of a stream.
    struct Position: Hashable {
        var seen: UInt64
        /// The revision up to which the stream has sent the groups; nil: no groups yet.
        var groups: UInt64?
    }

    /// A message for all streams in the same position; made once for all of them.
    struct Message {
        let position: Position
        let latest: UInt64
        let madeAt: ContinuousClock.Instant
        let bytes: ByteBuffer
        /// The position of a stream after the message.
        let next: Position
        let isWhole: Bool
    }

    /// The time between two wakes of a stream without changes. A wake that comes too early for a
    /// ping is followed by one that is in time.
    static let pingWakeInterval = ConsoleLimits.pingInterval / 2

    private let console: Console
    let streams = EventStreams()
    /// The latest message for each choice of groups; the first message of a stream has all groups.
    private let last = Mutex<[Groups: Message]>([:])
    /// The clock of the looks at whether a stream's visitor is still admitted.
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        _ console: Console, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.console = console
        self.clock = clock
        self.now = now
    }

    /// The open groups, as lists and events have them.
    ///
    /// - Parameter groups: The most severe open groups.
    func fields(_ groups: [InboxGroup], of count: Int) -> [String: JSONValue] {
        [
            "groups": .array(
                groups.prefix(ConsoleLimits.groupCountMax).map { JSONValue($0, console) }),
            "groupCount": .count(count),
        ]
    }

    /// The fields of a message.
    private func fields(_ update: InboxUpdate, hasGroups: Bool) -> [String: JSONValue] {
        let fields: [String: JSONValue] = [
            "revision": .integer(console.revisions.shown(update.revision)),
            "openCount": .count(update.openCount),
            "items": update.items.map { PresentationView($0, console) }.json,
            "isLast": .bool(update.isLast),
        ]
        guard hasGroups else { return fields }
        let groups: [String: JSONValue] =
            if let gone = update.goneGroups {
                [
                    "groups": .array(update.groups.map { JSONValue($0, console) }),
                    "goneGroups": .array(gone.map { .count($0) }),
                    "groupCount": .count(update.groupCount),
                ]
            } else {
                self.fields(update.groups, of: update.groupCount)
            }
        return fields.merging(groups) { $1 }
    }

    /// A stream from the client's last revision; from the start if that revision is of another
    /// life. It ends when its visitor is no longer admitted.
    ///
    /// - Parameter address: The client's address.
    func response(
        to request: Request, _ visitor: ConsoleVisitor, at address: String
    ) throws(APIProblem) -> Response {
        let query = try QueryFields(request.uri.query).allowing(["after", "groups"])
        let after = try query.number("after", in: 0...Int(Revisions.max)) ?? 0
        let groups = try query.eventGroups
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
            status: .ok,
            // Its connection ends with it: the visitor may have been removed.
            headers: [.contentType: "text/event-stream", .connection: "close"],
            body: ResponseBody { writer in
                // Frees its place when this closure is released.
                withExtendedLifetime(place) {}
                try await self.run(request, visitor, wake) {
                    try await self.write(visitor, seen, groups, wakes, &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// Wakes a stream as messages are written, until its client or the node goes.
    private func run(
        _ request: Request, _ visitor: ConsoleVisitor, _ wake: AsyncStream<Void>.Continuation,
        _ write: () async throws -> Void
    ) async throws {
        let changes = console.inbox.changes()
        try await request.body.consumeWithInboundCloseHandler { _ in
            try await withGracefulShutdownHandler {
                async let _: Void = Self.wake(wake, on: changes)
                async let _: Void = Self.ping(wake)
                async let _: Void = self.watch(visitor) { wake.finish() }
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
        let clock = ContinuousClock()
        while (try? await clock.sleepInSteps(for: pingWakeInterval)) != nil { wake.yield() }
    }

    /// Calls `end` once the visitor of a stream is no longer admitted, whether or not there is news
    /// for the stream.
    func watch(_ visitor: ConsoleVisitor, _ end: @Sendable () -> Void) async {
        while (try? await clock.sleepInSteps(for: ConsoleLimits.admissionInterval)) != nil {
            guard console.admits(visitor) else { return end() }
        }
    }

    /// Whether a stream that is awake sends a ping after such a silence.
    static func isPingDue(after silence: Duration) -> Bool { silence >= pingWakeInterval }

    private func write(
        _ visitor: ConsoleVisitor, _ seen: UInt64?, _ groups: Groups, _ wakes: AsyncStream<Void>,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(ByteBuffer(string: "event: hello\ndata: \(hello(seen))\n\n"))
        // What had ended before it began it was never sent as open.
        let begun = seen ?? console.inbox.revision
        var position = Position(seen: seen ?? 0)
        var isFirst = true
        let clock = ContinuousClock()
        var lastWrite = clock.now
        for await _ in wakes {
            var isWhole = false
            while !isWhole {
                guard console.admits(visitor) else { return }
                // Ends are forgotten that it was not sent: its client starts over.
                guard max(position.seen, begun) >= console.inbox.forgottenRevision else { return }
                let begin = clock.now
                let message = message(at: position, groups)
                isWhole = message.isWhole
                guard isFirst || message.next.seen > position.seen else { break }
                isFirst = false
                position = message.next
                try await writer.write(message.bytes)
                lastWrite = clock.now
                // However long a message took to make, most of the time is left to others.
                let pause = max(ConsoleLimits.messageInterval, (lastWrite - begin) * 3)
                try await Task.sleep(for: pause)
            }
            if Self.isPingDue(after: clock.now - lastWrite) {
                try await writer.write(ByteBuffer(string: "event: ping\ndata: {}\n\n"))
                lastWrite = clock.now
            }
        }
    }

    /// The first fields of a stream: the node's name, and whether the following replaces all that
    /// the client has.
    private func hello(_ seen: UInt64?) -> String {
        let json: JSONValue = [
            "node": .string(console.node.description), "startedAt": .time(console.startedAt),
            "isReset": .bool(seen == nil),
        ]
        return String(decoding: json.encoded(), as: UTF8.self)
    }

    /// The next message for a stream.
    func message(at position: Position, _ groups: Groups) -> Message {
        let latest = console.inbox.revision
        let kind = groups == .changed && position.groups == nil ? .all : groups
        // The others depend on the items that it has sent alone.
        let position = kind == .changed ? position : Position(seen: position.seen)
        return last.withLock { last in
            // The time that is left and the ends of claims are right for so long only.
            if let known = last[kind], known.position == position, known.latest >= latest,
                now() < known.madeAt + ConsoleLimits.messageLifetime
            {
                return known
            }
            let message = makeMessage(at: position, kind)
            last[kind] = message
            return message
        }
    }

    private func makeMessage(at position: Position, _ groups: Groups) -> Message {
        let asked: InboxUpdate.Groups =
            switch groups {
            case .none: .none
            case .all: .all
            case .changed: .changed(after: position.groups ?? 0)
            }
        let update = console.inbox.update(
            after: position.seen, asked, upTo: ConsoleLimits.itemCountMax)
        let object = JSONValue.object(fields(update, hasGroups: groups != .none))
        let data = JSONEscapes.escapingInvisible(in: object.encoded())
        var bytes = ByteBuffer()
        let id = console.revisions.shown(update.revision)
        bytes.writeString("id: \(id)\nevent: change\ndata: ")
        bytes.writeBytes(data)
        bytes.writeString("\n\n")
        return Message(
            position: position, latest: update.latest, madeAt: now(), bytes: bytes,
            next: Position(seen: update.revision, groups: update.groupRevision),
            isWhole: update.isLast)
    }
}
