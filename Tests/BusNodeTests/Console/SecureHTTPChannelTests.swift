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
    private let serverContext: NIOSSLContext
    private let clientContext: NIOSSLContext

    init() async throws {
        let authority = try await TestAuthority()
        let files = try await authority.certificate()
        serverContext = try ConsoleCertificate(files, logger: .silent).context
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(authority.file)
        clientContext = try NIOSSLContext(configuration: tls)
    }

    private func pair() throws -> SecurePair { try SecurePair(serverContext, clientContext) }

    @Test("A handshake that never comes, or comes by half, has the time of a request")
    func silent() throws {
        let pair = try pair()
        pair.pass(ConsoleLimits.requestTime - .seconds(1))
        #expect(pair.server.isActive)
        // The beginning of a record.
        try pair.server.writeInbound(ByteBuffer(bytes: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]))
        #expect(pair.server.isActive)
        pair.pass(.seconds(1))
        #expect(!pair.server.isActive)
    }

    @Test("After the handshake too: the time counts from the connection on")
    func noRequest() throws {
        let pair = try pair()
        pair.pass(ConsoleLimits.requestTime - .seconds(1))
        try pair.shakeHands()
        #expect(pair.server.isActive)
        pair.pass(.seconds(1))
        #expect(!pair.server.isActive)
    }

    @Test("A client that does not say farewell is waited for a second")
    func farewell() throws {
        let pair = try pair()
        try pair.shakeHands()
        try pair.client.writeOutbound(ByteBuffer(string: "x"))
        try pair.exchange()
        try pair.server.writeOutbound(
            HTTPResponsePart.head(
                HTTPResponse(status: .ok, headerFields: [.connection: "close"])))
        try pair.server.writeOutbound(HTTPResponsePart.end(nil))
        #expect(pair.server.isActive)
        pair.pass(ConsoleLimits.farewellTime)
        #expect(!pair.server.isActive)
    }

    @Test("The end of the node, and a stranger too many, wait for no farewell")
    func cut() throws {
        let pair = try pair()
        try pair.shakeHands()
        pair.connections.closeAll()
        #expect(!pair.server.isActive)
    }

    @Test("Plain HTTP is no handshake: the connection is closed, and HTTP sees no error")
    func plain() throws {
        let pair = try pair()
        try pair.server.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(!pair.server.isActive)
        try pair.server.throwIfErrorCaught()
    }

    @Test("A client that is gone without a farewell is no fault")
    func gone() throws {
        let pair = try pair()
        try pair.shakeHands()
        pair.server.pipeline.fireErrorCaught(NIOSSLError.uncleanShutdown)
        #expect(pair.server.isActive)
        try pair.server.throwIfErrorCaught()
    }
}

/// A console's end of a connection, and a client's. Of one thread, as their event loops are.
private struct SecurePair {
    let server: EmbeddedChannel
    let client: EmbeddedChannel
    let connections = ConsoleConnections()

    init(_ serverContext: NIOSSLContext, _ clientContext: NIOSSLContext) throws {
        let refusals = RefusalLog(.silent)
        server = EmbeddedChannel(
            handlers: [
                NIOSSLServerHandler(context: serverContext), TLSFaults(refusals), Requests(),
                ClientPatience(connections, refusals),
            ])
        client = EmbeddedChannel(
            handler: try NIOSSLClientHandler(context: clientContext, serverHostname: "localhost"))
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

    func pass(_ time: TimeAmount) { server.embeddedEventLoop.advanceTime(by: time) }

    /// Hands over what each has sent, until neither sends more.
    func exchange() throws {
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

    func shakeHands() throws {
        try client.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try exchange()
        let handler = try server.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
        #expect(handler.tlsVersion != nil)
    }
}
