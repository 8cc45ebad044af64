import ErrorBus
import ErrorBusTesting
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOSSL
import Testing

@testable import BusNodeKit

/// The limits of a console's connections behind TLS, in virtual time.
struct SecureHTTPChannelTests {
    private let server: EmbeddedChannel
    private let client: EmbeddedChannel
    private let connections = ConsoleConnections()

    init() async throws {
        let authority = try await TestAuthority()
        let files = try await authority.certificate()
        let refusals = RefusalLog(.silent)
        let context = try ConsoleCertificate(files, logger: .silent).context
        server = EmbeddedChannel(
            handlers: [
                NIOSSLServerHandler(context: context), TLSFaults(refusals),
                Requests(), ClientPatience(connections, refusals),
            ])
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(authority.file)
        client = EmbeddedChannel(
            handler: try NIOSSLClientHandler(
                context: try NIOSSLContext(configuration: tls), serverHostname: "localhost"))
        try server.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// In the place of a codec: each record is the end of a request.
    private final class Requests: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        }

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            context.write(wrapOutboundOut(ByteBuffer(string: "x")), promise: promise)
        }
    }

    private func pass(_ time: TimeAmount) { server.embeddedEventLoop.advanceTime(by: time) }

    /// Hands over what each has sent, until neither sends more.
    private func exchange() throws {
        var isMore = true
        while isMore {
            isMore = false
            while let bytes = try client.readOutbound(as: ByteBuffer.self) {
                isMore = true
                try server.writeInbound(bytes)
            }
            while let bytes = try server.readOutbound(as: ByteBuffer.self) {
                isMore = true
                try client.writeInbound(bytes)
            }
        }
    }

    private func shakeHands() throws {
        try client.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try exchange()
        let handler = try server.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
        #expect(handler.tlsVersion != nil)
    }

    @Test("A handshake that never comes, or comes by half, has the time of a request")
    func silent() throws {
        pass(ConsoleLimits.requestTime - .seconds(1))
        #expect(server.isActive)
        // The beginning of a record.
        try server.writeInbound(ByteBuffer(bytes: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
        #expect(server.isActive)
        pass(.seconds(1))
        #expect(!server.isActive)
    }

    @Test("After the handshake too: the time counts from the connection on")
    func noRequest() throws {
        pass(ConsoleLimits.requestTime - .seconds(1))
        try shakeHands()
        #expect(server.isActive)
        pass(.seconds(1))
        #expect(!server.isActive)
    }

    @Test("A client that does not say farewell is waited for a second")
    func farewell() throws {
        try shakeHands()
        try client.writeOutbound(ByteBuffer(string: "x"))
        try exchange()
        try server.writeOutbound(
            HTTPResponsePart.head(
                HTTPResponse(status: .ok, headerFields: [.connection: "close"])))
        try server.writeOutbound(HTTPResponsePart.end(nil))
        #expect(server.isActive)
        pass(ConsoleLimits.farewellTime)
        #expect(!server.isActive)
    }

    @Test("The end of the node, and a stranger too many, wait for no farewell")
    func cut() throws {
        try shakeHands()
        connections.closeAll()
        #expect(!server.isActive)
    }

    @Test("Plain HTTP is no handshake: the connection is closed, and HTTP sees no error")
    func plain() throws {
        try server.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(!server.isActive)
        try server.throwIfErrorCaught()
    }

    @Test("A client that is gone without a farewell is no fault")
    func gone() throws {
        try shakeHands()
        server.pipeline.fireErrorCaught(NIOSSLError.uncleanShutdown)
        #expect(server.isActive)
        try server.throwIfErrorCaught()
    }
}
