import ErrorBus
import Glibc
import NIOCore
import NIOPosix

/// One accepted connection and its connection to the server. Asks a ``ToxicPipe`` for each
/// direction and performs its actions, all on the event loop that both sockets share.
final class ProxiedConnection {
    /// How long the server may take to accept.
    private static let connectTimeout = TimeAmount.seconds(10)
    /// How long a receiver may take to read what was passed on to it before the connection ended.
    private static let drainTimeout = TimeAmount.seconds(10)

    private struct Lane {
        var pipe: ToxicPipe
        var timer: Scheduled<Void>?
        var isReadPending = false
        var hasFinished = false
    }

    private let target: Endpoint
    private let loop: any EventLoop
    private var client: (any Channel)?
    private var server: (any Channel)?
    private var upstream: Lane
    private var downstream: Lane
    private var hasConnected = false
    private var failed: Set<ConnectionSide> = []
    private var isOver = false

    private let ended: EventLoopPromise<Void>

    /// - Parameter ended: Completed once both sockets are closed.
    init(
        _ client: any Channel, to target: Endpoint, toxics: [Toxic], seed: UInt64,
        ended: EventLoopPromise<Void>
    ) {
        self.client = client
        self.ended = ended
        self.target = target
        loop = client.eventLoop
        let now = Self.now
        func lane(_ stream: ToxicStream) -> Lane {
            Lane(
                pipe: ToxicPipe(
                    toxics.filter { $0.stream == stream },
                    seed: SeededGenerator.seed(seed, part: stream.rawValue), at: now))
        }
        upstream = lane(.upstream)
        downstream = lane(.downstream)
    }

    private static var now: Duration {
        .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }

    /// Connects to the server. The client is not read before that.
    func accepted() {
        ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(to: target)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): self.connected(channel)
                // Without a server the client gets a reset, the nearest to a refusal.
                case .failure: self.end(resetting: true)
                }
            }
    }

    private func connected(_ channel: any Channel) {
        guard !isOver, client != nil else {
            channel.close(promise: nil)
            return end(resetting: false)
        }
        server = channel
        hasConnected = true
        do {
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(.server, of: self))
        } catch {
            return end(resetting: true)
        }
        pump(.upstream)
        pump(.downstream)
    }

    func received(_ buffer: ByteBuffer, from side: ConnectionSide) {
        let stream = side.outgoing
        if self[stream].pipe.isTransparent, let receiver = receiver(of: stream), receiver.isWritable
        {
            receiver.writeAndFlush(buffer, promise: nil)
        } else {
            self[stream].pipe.received(Array(buffer.readableBytesView), at: Self.now)
        }
    }

    func readCompleted(_ side: ConnectionSide) {
        self[side.outgoing].isReadPending = false
        pump(side.outgoing)
    }

    func inputClosed(_ side: ConnectionSide) {
        self[side.outgoing].pipe.ended(at: Self.now)
        pump(side.outgoing)
    }

    /// Records a reset or timeout; the socket is closed next.
    func failed(_ side: ConnectionSide) { failed.insert(side) }

    func closed(_ side: ConnectionSide) {
        if side == .client { client = nil } else { server = nil }
        guard !isOver else { return }
        guard client != nil || server != nil else { return end(resetting: false) }
        // A socket whose output is finished, and which read the peer's end, closes by itself: that
        // is a normal end. Any other close cuts the connection short.
        if self[side.opposite.outgoing].hasFinished, !failed.contains(side) {
            self[side.outgoing].pipe.ended(at: Self.now)
        } else {
            self[side.outgoing].pipe.broke(at: Self.now)
        }
        pump(side.outgoing)
    }

    func toxicsChanged(_ toxics: [Toxic]) {
        for stream in ToxicStream.allCases {
            let own = toxics.filter { $0.stream == stream }
            if let action = self[stream].pipe.toxicsChanged(own, at: Self.now) {
                return perform(action, on: stream)
            }
            pump(stream)
        }
    }

    /// Performs the actions due in this direction, and reads on when there is room.
    func pump(_ stream: ToxicStream) {
        // Everything waits for the server.
        guard !isOver, hasConnected else { return }
        self[stream].timer?.cancel()
        self[stream].timer = nil
        while !isOver, receiver(of: stream)?.isWritable ?? true,
            let action = self[stream].pipe.next(at: Self.now)
        {
            perform(action, on: stream)
        }
        guard !isOver else { return }
        schedule(stream)
        if self[stream].pipe.wantsMore, !self[stream].isReadPending,
            receiver(of: stream)?.isWritable == true, let sender = sender(of: stream)
        {
            self[stream].isReadPending = true
            sender.read()
        }
    }

    private func schedule(_ stream: ToxicStream) {
        // A full receiver calls again when it has room.
        guard receiver(of: stream)?.isWritable ?? true, let due = self[stream].pipe.nextDue else {
            return
        }
        let deadline = NIODeadline.uptimeNanoseconds(
            UInt64(clamping: due.wholeMicroseconds) * 1_000 + 1_000)
        self[stream].timer = loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.pump(stream)
        }
    }

    private func perform(_ action: ToxicAction, on stream: ToxicStream) {
        switch action {
        case .forward(let bytes):
            guard let receiver = receiver(of: stream) else { return }
            receiver.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        case .finish:
            self[stream].hasFinished = true
            if self[stream.opposite].hasFinished { return end(resetting: false) }
            receiver(of: stream)?.close(mode: .output, promise: nil)
        case .close: end(resetting: false)
        case .reset: end(resetting: true)
        }
    }

    /// Ends both sides, and drops data held back by toxics.
    ///
    /// - Parameter atOnce: Also drops what was passed on and not taken by the kernel yet. It leaves
    ///   first otherwise.
    func end(resetting: Bool, atOnce: Bool = false) {
        guard !isOver else { return }
        isOver = true
        for stream in ToxicStream.allCases {
            self[stream].timer?.cancel()
            self[stream].timer = nil
        }
        let channels = [client, server].compactMap { $0 }
        client = nil
        server = nil
        // In a later turn: a channel closed while NIO reads its end trips an assertion.
        loop.assumeIsolated().execute { [ended, loop] in
            for channel in channels {
                // The kernel sends what it has taken before, unless it is a reset.
                if resetting { channel.resetOnClose() }
                if resetting || atOnce {
                    channel.close(promise: nil)
                } else {
                    channel.closeOnceWritten(within: Self.drainTimeout)
                }
            }
            EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop).cascade(to: ended)
        }
    }

    private func sender(of stream: ToxicStream) -> (any Channel)? {
        stream == .upstream ? client : server
    }

    private func receiver(of stream: ToxicStream) -> (any Channel)? {
        stream == .upstream ? server : client
    }

    private subscript(stream: ToxicStream) -> Lane {
        get { stream == .upstream ? upstream : downstream }
        _modify {
            if stream == .upstream { yield &upstream } else { yield &downstream }
        }
    }
}

extension Channel {
    /// Closes when all that was written before has left, or is not read within `limit`.
    fileprivate func closeOnceWritten(within limit: TimeAmount) {
        let timer = eventLoop.scheduleTask(in: limit) { self.close(promise: nil) }
        writeAndFlush(ByteBuffer()).whenComplete { _ in
            timer.cancel()
            self.close(promise: nil)
        }
    }

    /// Makes the next close a reset: SO_LINGER of no time. On a unix socket the peer sees an end.
    fileprivate func resetOnClose() {
        // Completes at once on the event loop.
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}

/// The two sockets of a proxied connection.
enum ConnectionSide: Hashable {
    /// Connected to the proxy.
    case client
    /// The proxy connected to it.
    case server

    /// The direction that begins at this side.
    var outgoing: ToxicStream { self == .client ? .upstream : .downstream }

    var opposite: ConnectionSide { self == .client ? .server : .client }
}

/// The end of one socket's pipeline: reports its events to the connection.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let side: ConnectionSide
    private let connection: ProxiedConnection

    init(_ side: ConnectionSide, of connection: ProxiedConnection) {
        self.side = side
        self.connection = connection
    }

    func channelActive(context: ChannelHandlerContext) {
        if side == .client { connection.accepted() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data), from: side)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        connection.readCompleted(side)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.pump(side.opposite.outgoing)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            connection.inputClosed(side)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.closed(side)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        connection.failed(side)
        context.close(promise: nil)
    }
}

extension ClientBootstrap {
    func connect(to endpoint: Endpoint) -> EventLoopFuture<any Channel> {
        switch endpoint.address {
        case .tcp(let host, let port):
            channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: host, port: Int(port))
        case .ipc(let path): connect(unixDomainSocketPath: path)
        }
    }
}

extension Endpoint {
    /// Why it cannot be listened on; nil when it can, as far as its file and folder go. NIO deletes
    /// any socket file before it binds, even that of a running process.
    var obstacle: String? {
        guard case .ipc(let path) = address else { return nil }
        if let danger = SocketFile.danger(at: path) { return danger }
        return switch SocketFile(path) {
        case .live: "a process listens there"
        case .other: "the path is a file, not a socket"
        case .none, .stale: nil
        }
    }
}

extension ServerBootstrap {
    /// Listens, and deletes its socket file when it closes. Replaces such a file: ask
    /// ``Endpoint/obstacle`` before.
    func bind(to endpoint: Endpoint) -> EventLoopFuture<any Channel> {
        switch endpoint.address {
        case .tcp(let host, let port):
            serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: host == "*" ? "0.0.0.0" : host, port: Int(port))
        case .ipc(let path):
            bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true)
        }
    }
}

extension Endpoint {
    /// The endpoint with the port that the system chose.
    func bound(to address: SocketAddress?) throws -> Endpoint {
        guard case .tcp(let host, 0) = self.address, let port = address?.port else { return self }
        return try Endpoint("tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)")
    }
}
