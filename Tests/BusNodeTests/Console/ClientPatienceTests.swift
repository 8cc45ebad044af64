import ErrorBusTesting
import Glibc
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import BusNodeKit

struct ClientPatienceTests {
    private final class Unsent {
        var value = 0
    }

    private let channel: EmbeddedChannel
    private let connections = ConsoleConnections()
    private let unsent = Unsent()

    init() throws {
        channel = EmbeddedChannel(
            handler: ClientPatience(connections, RefusalLog(.silent)) { [unsent] _ in unsent.value }
        )
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

    @Test("A client that sends no request, or half of one, is dropped")
    func silent() throws {
        pass(ConsoleLimits.requestTime - .seconds(1))
        #expect(isOpen)
        try request(whole: false)
        pass(.seconds(1))
        #expect(!isOpen)
    }

    @Test("A stream lives as long as it is written")
    func stream() throws {
        try request()
        try answer(whole: false)
        pass(.hours(24))
        #expect(isOpen)
    }

    @Test("After a response the next request has its full time")
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

    @Test("After a response to a partly read request its rest has a time limit")
    func early() throws {
        try request(whole: false)
        try answer()
        pass(ConsoleLimits.idleTime)
        #expect(!isOpen)
    }

    @Test("The rest of a request after its response does not end the time limit for the next one")
    func rest() throws {
        try request(whole: false)
        try answer()
        pass(ConsoleLimits.idleTime - .seconds(1))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        pass(ConsoleLimits.idleTime - .seconds(1))
        #expect(isOpen)
        pass(.seconds(1))
        #expect(!isOpen)
    }

    @Test("A client that takes nothing of a response is dropped; a slow reader is not")
    func stalled() throws {
        unsent.value = 1 << 20
        try request()
        try answer(whole: false)
        // Long after a request would have been expected.
        for _ in 0..<100 {
            unsent.value -= ConsoleLimits.stallByteCountMin
            pass(ConsoleLimits.stallTime)
            #expect(isOpen)
        }
        unsent.value -= ConsoleLimits.stallByteCountMin - 1
        pass(ConsoleLimits.stallTime)
        #expect(!isOpen)
    }

    @Test("The last bytes of a response may be few; those of one not taken at all end it")
    func lastBytes() throws {
        unsent.value = 100
        try request()
        try answer(whole: false)
        unsent.value = 0
        pass(ConsoleLimits.stallTime)
        pass(.hours(1))
        #expect(isOpen)
        unsent.value = 100
        try answer()
        pass(ConsoleLimits.stallTime)
        #expect(!isOpen)
    }

    @Test("A response with Connection: close closes the connection")
    func closes() throws {
        try request(whole: false)
        try answer([.connection: "close"])
        #expect(!isOpen)
    }

    @Test("What is no request is told what it lacks, in place of the framework's empty response")
    func refused() throws {
        for (fault, text) in [
            (HTTPParserError.headerOverflow, "more than 24576 bytes"),
            (.invalidMethod, "no HTTP/1.1: invalid HTTP method"),
        ] {
            let channel = EmbeddedChannel(
                handler: ClientPatience(connections, RefusalLog(.silent)) { _ in 0 })
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            channel.pipeline.fireErrorCaught(fault)
            #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
            let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
            try channel.writeOutbound(
                HTTPResponsePart.head(HTTPResponse(status: .badRequest, headerFields: fields)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
            var parts: [HTTPResponsePart] = []
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                parts.append(part)
            }
            try #require(parts.count == 3)
            guard case .head(let head) = parts[0], case .body(let body) = parts[1] else {
                Issue.record("found \(parts)")
                continue
            }
            #expect(head.headerFields[.contentLength] == String(body.readableBytes))
            let reply = String(buffer: body)
            #expect(reply.hasPrefix(#"{"error":"malformed","message":"the request"#), "\(reply)")
            #expect(reply.contains(text), "\(reply)")
            #expect(!channel.isActive)
        }
    }

    @Test("After input that is not HTTP the connection is closed")
    func malformed() throws {
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        pass(ConsoleLimits.malformedTime)
        #expect(!isOpen)
    }

    @Test("A connection that the client broke is not logged as a refusal")
    func broken() throws {
        let log = RecordedLog()
        let channel = EmbeddedChannel(
            handler: ClientPatience(connections, RefusalLog(log.logger)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        #expect(log.lines.elements.isEmpty)
    }

    @Test("The end of the node closes open connections")
    func end() {
        connections.closeAll()
        #expect(!isOpen)
    }
}
