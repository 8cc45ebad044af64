import Foundation
import NIOCore
import NIOHTTP1

/// A request line with a whole address (`GET http://host/path`) is made to the host it names,
/// whatever its Host field says (RFC 9112, 3.2.2). What comes after this sees no more than the
/// path of it.
final class TargetHost: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Puts it where requests are still as they came.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) {
        let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        guard let decoder else { return }
        try? pipeline.addHandler(TargetHost(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.uri.hasPrefix("/"),
            let scheme = head.uri.range(of: "://")
        else { return context.fireChannelRead(data) }
        let named = head.uri[scheme.upperBound...].prefix { !"/?#".contains($0) }
        head.headers.replaceOrAdd(name: "Host", value: String(named))
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
