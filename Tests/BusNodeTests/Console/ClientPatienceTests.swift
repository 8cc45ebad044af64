import ErrorBusTesting
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import BusNodeKit

struct ClientPatienceTests {
    private let channel: EmbeddedChannel
    private let connections = ConsoleConnections()

    init() throws {
        channel = EmbeddedChannel(handler: ClientPatience(connections, RefusalLog(.silent)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private var isOpen: Bool { channel.isActive }

    private func request(whole: Bool = true) throws {
        try channel.writeInbound(
            HTTPRequestPart.head(
                HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")))
        if whole { try channel.writeInbound(HTTPRequestPart.end(nil)) }
    }

    private func answer(_ fields: HTTPFields = [:], whole: Bool = true) throws {
        try channel.writeOutbound(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)))
        if whole { try channel.writeOutbound(HTTPResponsePart.end(nil)) }
    }

    private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    @Test("Who sends no request, or half of one, is dropped")
    func silent() throws {
        pass(ConsoleLimits.requestTime - .seconds(1))
        #expect(isOpen)
        try request(whole: false)
        pass(.seconds(1))
        #expect(!isOpen)
    }

    @Test("A stream lives as long as it is written, however long that is")
    func stream() throws {
        try request()
        try answer(whole: false)
        pass(.hours(24))
        #expect(isOpen)
    }

    @Test("After an answer the next request has its time")
    func idle() throws {
        try request()
        try answer()
        pass(ConsoleLimits.idleTime - .seconds(1))
        #expect(isOpen)
        try request()
        pass(.hours(1))
        #expect(isOpen)
        try answer()
        pass(ConsoleLimits.idleTime)
        #expect(!isOpen)
    }

    @Test("An answer to a request that is not read whole leaves no time without end for its rest")
    func early() throws {
        try request(whole: false)
        try answer()
        pass(ConsoleLimits.idleTime)
        #expect(!isOpen)
    }

    @Test("Who takes nothing of what is sent is dropped; who takes it late is not")
    func stalled() throws {
        try request()
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        pass(ConsoleLimits.stallTime - .seconds(1))
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        pass(.seconds(2))
        #expect(isOpen)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        pass(ConsoleLimits.stallTime)
        #expect(!isOpen)
    }

    @Test("An answer that closes, closes")
    func closes() throws {
        try request(whole: false)
        try answer([.connection: "close"])
        #expect(!isOpen)
    }

    @Test("After what is no HTTP a connection is not kept for more")
    func malformed() throws {
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        pass(ConsoleLimits.malformedTime)
        #expect(!isOpen)
    }

    @Test("The end of the node closes what is open")
    func end() {
        connections.closeAll()
        #expect(!isOpen)
    }
}
