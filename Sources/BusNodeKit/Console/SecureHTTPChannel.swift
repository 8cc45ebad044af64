import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// The connections of a console with TLS: HTTP behind a handshake. The limits of HTTP hold from the
/// connection on, so that a handshake has the time of a request and no more.
struct SecureHTTPChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let certificate: ConsoleCertificate
    private let refusals: RefusalLog

    init(_ http: HTTP1Channel, _ certificate: ConsoleCertificate, _ refusals: RefusalLog) {
        self.http = http
        self.certificate = certificate
        self.refusals = refusals
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
            try pipeline.addHandler(TLSFaults(refusals))
        }.flatMap { http.setup(channel: channel, logger: logger) }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}

/// Ends connections whose TLS fails: clients that speak plain HTTP, do not trust the certificate,
/// or probe the port. This node then has no fault: the log has such an end at debug level only.
final class TLSFaults: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let refusals: RefusalLog

    init(_ refusals: RefusalLog) { self.refusals = refusals }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard Self.isOfTLS(error) else { return context.fireErrorCaught(error) }
        // The client is gone without a farewell. HTTP knows by itself whether a request was whole.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        refusals.note(
            .init(host: context.channel.peerHost, status: "-", reason: "TLS"), level: .debug,
            "console: no TLS connection",
            [
                "peer": "\(context.channel.remoteAddress?.description ?? "?")", "reason": "TLS",
                "problem": "\(error)",
            ])
        context.close(promise: nil)
    }

    private static func isOfTLS(_ error: any Error) -> Bool {
        error is NIOSSLError || error is BoringSSLError || error is NIOTLSUnwrappingError
            || error is NIOSSLCloseTimedOutError
    }
}

extension Channel {
    /// Closes at once, even if TLS would wait for the peer's farewell.
    func cut() {
        guard eventLoop.inEventLoop else { return eventLoop.execute { self.cut() } }
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        // From there on towards the network.
        if let tls { tls.close(promise: nil) } else { close(promise: nil) }
    }
}
