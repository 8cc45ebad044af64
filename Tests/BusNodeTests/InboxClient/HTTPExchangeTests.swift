import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import BusNodeKit

@Suite struct HTTPExchangeTests {
    /// Answers as soon as it has a request's head, and hangs up.
    private final class HastyHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
            context.channel.writeAndFlush(ByteBuffer(string: reply), promise: nil)
            context.close(promise: nil)
        }
    }

    @Test("a reply before the end of the request is still read")
    func hasty() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // As many may knock at once; a connection that finds no room is tried for seconds.
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HastyHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        // Many at once: then a request is seldom written in one go.
        try await withThrowingTaskGroup(of: HTTPExchange.Reply.self) { group in
            for _ in 0..<400 {
                group.addTask {
                    try await HTTPExchange(
                        host: "127.0.0.1", port: port, method: .GET, path: "/", token: nil
                    ).reply(within: .seconds(300))
                }
            }
            for try await reply in group {
                #expect(reply.status == 200)
                #expect(reply.body == Array("{}".utf8))
            }
        }
        try await server.close()
    }
}
