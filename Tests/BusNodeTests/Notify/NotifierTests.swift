import ErrorBusTesting
import NIOCore
import NIOPosix
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The sender of messages, beside an inbox and a real receiver.
struct NotifierTests {
    /// Takes requests, and replies to none.
    private final class SilentHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let asked: Recorder<Bool>

        init(_ asked: Recorder<Bool>) { self.asked = asked }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { asked.record(true) }
    }

    @Test(
        "The end of the node is the reason of what waits for a slow receiver, not the receiver",
        .timeLimit(.minutes(10)))
    func slowReceiver() async throws {
        let (asked, log) = (Recorder<Bool>(), RecordedLog())
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SilentHandler(asked))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        var hook = HookSettings(
            name: "slow", url: HookURL(host: "127.0.0.1", port: port, path: "/"))
        hook.digest = .zero
        let inbox = Inbox()
        let notifier = try Notifier(
            [hook], of: "central", url: "http://c.example", links: nil, inbox: inbox,
            logger: log.logger, startedAt: ManualTime().now.date)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await notifier.run() }
            group.addTask { _ = try await inbox.present(Prompts.prompt(NotifyRig.report())) }
            _ = try await asked.next()
            group.cancelAll()
        }
        try await server.close()
        let letters = notifier.machine.dead
        #expect(letters.map(\.failed.reason) == ["the node shut down"])
        #expect(letters.first?.failed.tries == 1)
        #expect(!log.lines.elements.contains { $0.contains("hook fails") })
    }
}
