import NIOCore

/// The end of one socket's pipeline: tells the connection what happened there.
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
