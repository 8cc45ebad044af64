import HTTPTypes
import Logging
import NIOCore
import NIOHTTPTypes

/// Drops clients that take too long: over their request, over the next one, or over what is sent
/// to them. Also closes a connection after an answer that says so.
final class ClientPatience: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: ConsoleConnections
    private let refusals: RefusalLog
    /// Requests read whole less answers written whole.
    private var openCount = 0
    /// Something of a request has come that is not answered, or nothing at all yet.
    private var isOwed = true
    private var closes = false
    private var reading: Scheduled<Void>?
    private var stalling: Scheduled<Void>?

    init(_ connections: ConsoleConnections, _ refusals: RefusalLog) {
        self.connections = connections
        self.refusals = refusals
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.add(context.channel)
        // Here, since a server is given no handlers of its own in front of the codec.
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
            reading?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headerFields[.connection]?.lowercased() == "close" { closes = true }
        case .body: break
        case .end:
            guard !closes else {
                context.writeAndFlush(data, promise: promise)
                return context.close(promise: nil)
            }
            // Answered before it was read whole, its rest may take as long as a request.
            openCount -= 1
            isOwed = openCount != 0
            if openCount <= 0 { expectRequest(context, within: ConsoleLimits.idleTime) }
        }
        context.write(data, promise: promise)
    }

    /// What is no HTTP, or has too much of it, never comes to the routes: it is answered with 400.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let peer = context.channel.remoteAddress?.description ?? "?"
        refusals.note(
            .init(host: context.channel.peerHost, status: "400", reason: "malformed"),
            "console: refused",
            [
                "peer": "\(peer)", "status": "400", "reason": "malformed",
                "problem": "\(error)",
            ])
        context.fireErrorCaught(error)
        // What comes after it is not known to be a request.
        isOwed = false
        expectRequest(context, within: ConsoleLimits.malformedTime)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalling?.cancel()
        if !context.channel.isWritable {
            stalling = close(context, after: ConsoleLimits.stallTime, "takes nothing")
        }
        context.fireChannelWritabilityChanged()
    }

    private func expectRequest(_ context: ChannelHandlerContext, within time: TimeAmount) {
        reading?.cancel()
        reading = close(context, after: time, "sends no whole request")
    }

    private func close(
        _ context: ChannelHandlerContext, after time: TimeAmount, _ reason: String
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) {
            own.value.drop(bound.value, reason)
        }
    }

    private func drop(_ context: ChannelHandlerContext, _ reason: String) {
        // A browser that keeps a connection for later is not slow.
        if isOwed {
            let peer = context.channel.remoteAddress?.description ?? "?"
            refusals.note(
                .init(host: context.channel.peerHost, status: "-", reason: reason), level: .info,
                "console: slow client dropped", ["peer": "\(peer)", "reason": "\(reason)"])
        }
        context.close(promise: nil)
    }
}
