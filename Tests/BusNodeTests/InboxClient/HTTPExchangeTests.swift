import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import BusNodeKit

@Suite struct HTTPExchangeTests {
    /// Replies as soon as it has a request's head, and hangs up.
    private final class HastyHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let reply: String

        init(_ reply: String) { self.reply = reply }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !reply.isEmpty else { return }
            context.channel.writeAndFlush(ByteBuffer(string: reply), promise: nil)
            context.close(promise: nil)
        }
    }

    /// A tcp port of this machine that refuses connections as long as this lives: it is taken, and
    /// nothing listens. One that a server has left may be another's by then.
    private final class ClosedPort: Sendable {
        let number: UInt16
        private let descriptor: CInt

        init() throws {
            descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            // As bytes: the members of sockaddr_in6 may seem to be those of one of NIO's modules.
            var address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
            address[0] = UInt8(AF_INET6)
            var length = socklen_t(address.count)
            let result = address.withUnsafeMutableBytes { [descriptor] bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    bind(descriptor, $0.baseAddress, length)
                        + getsockname(descriptor, $0.baseAddress, &length)
                }
            }
            guard result == 0 else { throw POSIXError(.EADDRINUSE) }
            number = UInt16(address[2]) << 8 | UInt16(address[3])
        }

        deinit { close(descriptor) }
    }

    @Test("Of a query and of a form each text is escaped, also what ends a field or is a space")
    func form() {
        let fields = [("q", "a+b &c=é"), ("by", "ann*")]
        #expect(HTTPExchange.form(fields) == "q=a%2Bb%20%26c%3D%C3%A9&by=ann%2A")
    }

    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    /// Runs with a server that replies so, or never for an empty text, on the port given.
    private func withServer(
        replying reply: String, _ body: (_ port: Int) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // As many may knock at once; a connection that finds no room is tried for seconds.
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HastyHandler(reply))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        try await body(port)
        try await server.close()
    }

    @Test("a reply before the end of the request is still read", arguments: [nil, [0x7B, 0x7D]])
    func hasty(body: [UInt8]?) async throws {
        try await withServer(replying: Self.whole) { port in
            // Many at once: then a request is seldom written in one go.
            try await withThrowingTaskGroup(of: HTTPExchange.Reply.self) { group in
                for _ in 0..<400 {
                    group.addTask {
                        try await HTTPExchange(
                            body == nil ? .GET : .POST, "http://127.0.0.1:\(port)/", body: body
                        ).reply(within: .seconds(300))
                    }
                }
                for try await reply in group {
                    #expect(reply.status == 200)
                    #expect(reply.body == Array("{}".utf8))
                }
            }
        }
    }

    @Test(
        "why an exchange failed",
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n",
                "a reply of more than 67108864 bytes"
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
                "the connection ended before the reply did"
            ),
            ("HTTP/1.1 200 OK\r\n", "the connection ended before the reply did"),
        ])
    func cut(reply: String, expected: String) async throws {
        try await withServer(replying: reply) { port in
            let exchange = HTTPExchange(.GET, "http://127.0.0.1:\(port)/")
            let text = await reason { _ = try await exchange.reply(within: .seconds(300)) }
            #expect(text == expected)
        }
    }

    @Test("a server that never replies is given up")
    func late() async throws {
        try await withServer(replying: "") { port in
            let exchange = HTTPExchange(.GET, "http://127.0.0.1:\(port)/")
            let text = await reason { _ = try await exchange.status(within: .milliseconds(50)) }
            #expect(text == "no reply in time")
        }
    }

    @Test("a server that speaks another protocol is one without HTTP")
    func otherProtocol() async throws {
        try await withServer(replying: "SSH-2.0-OpenSSH_9.2\r\n") { port in
            let exchange = HTTPExchange(.GET, "http://127.0.0.1:\(port)/")
            let text = await reason { _ = try await exchange.status(within: .seconds(300)) }
            #expect(text == "no HTTP there")
        }
    }

    @Test("where nothing listens the reason is there at once")
    func unreachable() async throws {
        let closed = try ClosedPort()
        let port = closed.number
        for (address, expected) in [
            ("http://127.0.0.1:\(port)/", "Connection refused"),
            ("http://[::1]:\(port)/", "Connection refused"),
            ("http://a..b:\(port)/", "no such host"),
            ("https://127.0.0.1:\(port)/", "Connection refused"),
        ] {
            let exchange = HTTPExchange(.GET, address)
            let text = await reason { _ = try await exchange.status(within: .seconds(300)) }
            #expect(text == expected, "\(address)")
        }
    }

    @Test("a redirect is a status like any other")
    func redirect() async throws {
        let reply =
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"
        try await withServer(replying: reply) { port in
            let exchange = HTTPExchange(.POST, "http://127.0.0.1:\(port)/", body: [])
            let status = try await exchange.status(within: .seconds(300))
            #expect(status == 307)
        }
    }

    @Test(
        "the pause that a server asks for is read in seconds, another form of it is none",
        arguments: [
            ("Retry-After: 30\r\n", 30), ("retry-after: 0\r\n", 0), ("Retry-After: -1\r\n", nil),
            ("Retry-After: Sun, 22 Nov 2026 10:00:00 GMT\r\n", nil), ("", nil),
        ] as [(String, Int?)])
    func pause(header: String, seconds: Int?) async throws {
        let reply = "HTTP/1.1 429 Too Many Requests\r\n\(header)Content-Length: 0\r\n\r\n"
        try await withServer(replying: reply) { port in
            let exchange = HTTPExchange(.POST, "http://127.0.0.1:\(port)/", body: [])
            let head = try await exchange.head(within: .seconds(300))
            #expect(head.status == 429)
            #expect(head.pause == seconds.map { Duration.seconds($0) })
        }
    }

    private func reason(_ ask: () async throws -> Void) async -> String? {
        do {
            try await ask()
            return nil
        } catch {
            return HTTPExchange.reason(error)
        }
    }
}
