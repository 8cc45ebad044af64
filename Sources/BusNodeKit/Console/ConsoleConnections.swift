import ErrorBus
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Synchronization

/// The open connections of a console. Connections without the token make room for others, so that a
/// client with the token always finds a slot. No connection delays the end of a node.
final class ConsoleConnections: Sendable {
    fileprivate struct Connection {
        let channel: any Channel
        let number: Int
        /// Whether a request on the connection had the token.
        var isKnown = false
        /// The user whose requests came on the connection.
        var user: SignedInPerson?
    }

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let surplus = state.withLock { state in
            state.lastNumber += 1
            state.connections[id] = Connection(channel: channel, number: state.lastNumber)
            let surplus = state.surplus(of: channel.peerHost)
            // At once, since closing may take a while.
            return surplus.flatMap { state.connections.removeValue(forKey: $0) }?.channel
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { _ = $0.connections.removeValue(forKey: id) }
        }
        surplus?.cut()
    }

    /// Protects a connection whose client has shown the token.
    ///
    /// - Parameter user: The user of the connection; nil if many people may share it.
    /// - Throws: 429 when this user already has the most connections allowed.
    func know(_ channel: any Channel, of user: SignedInPerson? = nil) throws(APIProblem) {
        let id = ObjectIdentifier(channel)
        let isRoom = state.withLock { state in
            state.connections[id]?.isKnown = true
            guard let user, let own = state.connections[id], own.user != user else { return true }
            // The own one may be known under a former name.
            let count = state.connections.count {
                $0.key != id && $0.value.user?.isSame(as: user) == true
            }
            guard count < ConsoleLimits.connectionCountMaxPerUser else { return false }
            state.connections[id]?.user = user
            return true
        }
        guard let user, !isRoom else { return }
        let countMax = ConsoleLimits.connectionCountMaxPerUser
        throw APIProblem(
            .tooManyRequests, "tooManyConnections",
            "connections of \(user.name): the limit of \(countMax) at a time is reached; "
                + "close pages or programs of this user",
            details: ["limit": .count(countMax)])
    }

    /// The number of open connections, and the number that have shown the token.
    var counts: (all: Int, known: Int) {
        state.withLock { ($0.connections.count, $0.connections.values.count { $0.isKnown }) }
    }

    func closeAll() {
        let channels = state.withLock { $0.connections.values.map(\.channel) }
        for channel in channels { channel.cut() }
    }
}

extension ConsoleConnections.State {
    /// The stranger to close after another one came from `host`: the oldest from that host, or of
    /// all hosts, if one of these numbers is above its limit.
    fileprivate func surplus(of host: String) -> ObjectIdentifier? {
        let strangers = connections.filter { !$0.value.isKnown }
            .sorted { $0.value.number < $1.value.number }
        let own = strangers.filter { $0.value.channel.peerHost == host }
        if own.count > ConsoleLimits.strangerCountMaxPerHost { return own.first?.key }
        let isFull = connections.count >= ConsoleLimits.connectionCountMax
        guard isFull || strangers.count > ConsoleLimits.strangerCountMax else { return nil }
        return strangers.dropLast().first?.key
    }
}

/// A handler that closes connections of slow clients: clients that take too long for a request, for
/// the next one, or to read a response. Also closes a connection after a response that says so.
final class ClientPatience: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: ConsoleConnections
    private let refusals: RefusalLog
    /// The number of written bytes that the system has not taken yet.
    private let unsent: (any Channel) -> Int
    /// Requests read whole minus responses written whole.
    private var openCount = 0
    /// Whether a request is partly read, or the first has not begun.
    private var isOwed = true
    private var closes = false
    /// The fault of input that is no request.
    private var fault: HTTPParserError?
    private var reading: Scheduled<Void>?
    private var stalling: Scheduled<Void>?

    init(
        _ connections: ConsoleConnections, _ refusals: RefusalLog,
        unsent: @escaping (any Channel) -> Int = {
            (try? $0.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }
    ) {
        self.connections = connections
        self.refusals = refusals
        self.unsent = unsent
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.add(context.channel)
        // Here, since a server takes no handlers in front of its codec.
        TargetHost.add(to: context.pipeline.syncOperations)
        expectRequest(context, within: ConsoleLimits.requestTime)
    }

    func channelInactive(context: ChannelHandlerContext) {
        reading?.cancel()
        stalling?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isOwed = true
        if case .end = unwrapInboundIn(data) {
            openCount += 1
            if openCount > 0 {
                reading?.cancel()
            } else {
                // Its response came before its end: the next request is due.
                isOwed = false
                expectRequest(context, within: ConsoleLimits.idleTime)
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headerFields[.connection]?.lowercased() == "close" { closes = true }
            // That of the framework says nothing.
            if let fault, head.status == .badRequest, closes {
                return refuse(fault, context, promise)
            }
        case .body: break
        case .end:
            guard !closes else {
                context.writeAndFlush(data, promise: promise)
                return context.close(promise: nil)
            }
            // Responded to before it was read whole; its rest may take as long as a request.
            openCount -= 1
            isOwed = openCount != 0
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            // Once the client's side has all of it, which may take long.
            written.futureResult.whenSuccess {
                let (own, context) = bound.value
                if own.openCount <= 0 { own.expectRequest(context, within: ConsoleLimits.idleTime) }
            }
            return context.write(data, promise: written)
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        expectReading(context)
    }

    /// Input that is not HTTP, or exceeds a limit, does not reach the routes: the response is 400.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The connection broke: nothing was malformed, and the channel closes by itself.
        guard !(error is IOError) else { return context.fireErrorCaught(error) }
        let peer = context.channel.remoteAddress?.description ?? "?"
        refusals.note(
            .init(host: context.channel.peerHost, status: "400", reason: "malformed"),
            "console: refused",
            [
                "peer": "\(peer)", "status": "400", "reason": "malformed",
                "problem": "\(error)",
            ])
        fault = error as? HTTPParserError
        context.fireErrorCaught(error)
        // The rest of the input may not be a request.
        isOwed = false
        expectRequest(context, within: ConsoleLimits.malformedTime)
    }

    /// Writes a response without its end, which the framework writes.
    private func refuse(
        _ fault: HTTPParserError, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let problem = APIProblem(fault)
        let body = Response.body(problem.json)
        var response = problem.response
        ConsolePage().protect(&response)
        response.headers[.contentLength] = String(body.readableBytes)
        context.write(wrapOutboundOut(.head(response.head)), promise: promise)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
    }

    /// Looks from time to time at the bytes that the client still has to take.
    private func expectReading(_ context: ChannelHandlerContext) {
        stalling?.cancel()
        let left = unsent(context.channel)
        guard left > 0 else { return }
        stalling = later(context, ConsoleLimits.stallTime) { own, context in
            let taken = left - own.unsent(context.channel)
            if taken >= min(left, ConsoleLimits.stallByteCountMin) {
                own.expectReading(context)
            } else {
                own.drop(context, "takes next to nothing of a response")
            }
        }
    }

    private func expectRequest(_ context: ChannelHandlerContext, within time: TimeAmount) {
        reading?.cancel()
        reading = later(context, time) { own, context in
            // A browser that keeps a connection for later is not slow.
            guard own.isOwed else { return context.close(promise: nil) }
            own.drop(context, "sends no whole request")
        }
    }

    private func later(
        _ context: ChannelHandlerContext, _ time: TimeAmount,
        _ work: @escaping @Sendable (ClientPatience, ChannelHandlerContext) -> Void
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) { work(bound.value.0, bound.value.1) }
    }

    private func drop(_ context: ChannelHandlerContext, _ reason: String) {
        let peer = context.channel.remoteAddress?.description ?? "?"
        refusals.note(
            .init(host: context.channel.peerHost, status: "-", reason: reason), level: .info,
            "console: slow client dropped", ["peer": "\(peer)", "reason": "\(reason)"])
        context.channel.cut()
    }
}

/// The head of a request as later handlers see it.
///
/// A request line with a whole address (`GET http://host/path`) addresses the host in it, whatever
/// its Host field says (RFC 9112, 3.2.2). An upgrade, such as to HTTP/2, is ignored (RFC 9110,
/// 7.8): since the decoder reads nothing more after it, the connection ends with the response.
final class TargetHost: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Adds the handler where requests are still unparsed.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) {
        let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        guard let decoder else { return }
        try? pipeline.addHandler(TargetHost(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            return context.fireChannelRead(data)
        }
        if !head.uri.hasPrefix("/"), let scheme = head.uri.utf8.firstRange(of: "://".utf8) {
            let named = head.uri[scheme.upperBound...].prefix { !"/?#".contains($0) }
            head.headers.replaceOrAdd(name: "Host", value: String(named))
        }
        if head.headers.contains(name: "Upgrade") {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

/// The log of refusals: the first of its kind at once, then the number of repetitions in a while,
/// so that refused clients cannot fill the log.
final class RefusalLog: Sendable {
    struct Kind: Hashable, Sendable {
        /// The host without the port, which differs for each connection.
        let host: String
        let status: String
        let reason: String
    }

    /// The most kinds counted at a time.
    static let kindCountMax = 256

    private let logger: Logger
    private let interval: Duration
    private let clock: any Clock<Duration>
    /// Repetitions of each kind since it was logged.
    private let repeats = Mutex<[Kind: Int]>([:])

    init(
        _ logger: Logger, every interval: Duration = ConsoleLimits.refusalInterval,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.logger = logger
        self.interval = interval
        self.clock = clock
    }

    /// - Parameter metadata: The metadata of the first line.
    func note(
        _ kind: Kind, level: Logger.Level = .warning, _ message: Logger.Message,
        _ metadata: Logger.Metadata
    ) {
        let counted = repeats.withLock { repeats -> Kind? in
            let isRoom = repeats.count < Self.kindCountMax || repeats[kind] != nil
            let kind = isRoom ? kind : Kind(host: "others", status: "-", reason: "-")
            guard repeats[kind] == nil else {
                repeats[kind]? += 1
                return nil
            }
            repeats[kind] = 0
            return kind
        }
        guard let counted else { return }
        logger.log(level: level, message, metadata: metadata)
        Task {
            try? await clock.sleep(for: interval)
            logRepeats(counted, level: level, message)
        }
    }

    private func logRepeats(_ kind: Kind, level: Logger.Level, _ message: Logger.Message) {
        let count = repeats.withLock { $0.removeValue(forKey: kind) } ?? 0
        guard count > 0 else { return }
        logger.log(
            level: level, message,
            metadata: [
                "peer": "\(kind.host)", "status": "\(kind.status)", "reason": "\(kind.reason)",
                "again": "\(count)",
            ])
    }
}
