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
    private let logger: Logger
    /// Requests read whole less answers written whole.
    private var openCount = 0
    private var closes = false
    private var reading: Scheduled<Void>?
    private var stalling: Scheduled<Void>?

    init(_ connections: ConsoleConnections, logger: Logger) {
        self.connections = connections
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.add(context.channel)
        expectRequest(context, within: ConsoleLimits.requestTime)
    }

    func channelInactive(context: ChannelHandlerContext) {
        reading?.cancel()
        stalling?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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
            if openCount <= 0 { expectRequest(context, within: ConsoleLimits.idleTime) }
        }
        context.write(data, promise: promise)
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
        let (channel, logger) = (context.channel, logger)
        return context.eventLoop.scheduleTask(in: time) {
            logger.info(
                "console: slow client dropped",
                metadata: [
                    "peer": "\(channel.remoteAddress?.description ?? "?")", "reason": "\(reason)",
                ])
            channel.close(promise: nil)
        }
    }
}
