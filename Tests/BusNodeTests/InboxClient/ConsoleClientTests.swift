import ErrorBusTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// What a client makes of a console's replies, and of a reply that is lost.
struct ConsoleClientTests {
    /// Hangs up on the first request, and replies to the others.
    private final class HangingUp: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let requests: Recorder<String>
        private var request = ""

        init(_ requests: Recorder<String>) { self.requests = requests }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            request += String(buffer: unwrapInboundIn(data))
            // The end of its body.
            guard request.hasSuffix("}") else { return }
            requests.record(request)
            if requests.elements.count > 1 {
                let reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
                context.channel.writeAndFlush(ByteBuffer(string: reply), promise: nil)
            }
            context.close(promise: nil)
        }
    }

    private let report = ErrorReport(
        domain: "d", description: "full", options: [.init(id: "retry", title: "Retry")])

    private func client(_ address: String = "http://h:1") throws -> ConsoleClient {
        try ConsoleClient(try ConsoleAddress(address, option: "--to"))
    }

    /// Presents so many equal reports, and waits until all are open.
    private func present(_ count: Int, at inbox: Inbox) async -> [Task<Answer?, any Error>] {
        let asking = (0..<count).map { _ in
            let prompt = Prompts.prompt(report)
            return Task { try await inbox.present(prompt) }
        }
        for await _ in inbox.changes() where inbox.openCount == count { break }
        return asking
    }

    @Test(
        "a proxy without its console, and a journal that is full, may be asked again later",
        arguments: [429, 502, 503, 504])
    func later(status: Int) throws {
        let client = try client()
        #expect(client.failure(status, ["message": "why"]).status == .temporaryFailure)
        let unstored: JSONValue = ["error": "notStored", "message": "why"]
        #expect(client.failure(500, unstored).status == .temporaryFailure)
        #expect(client.failure(500, ["error": "internal"]).status == .software)
    }

    @Test("a note whose reply is lost is sent again under the same id, so that it counts once")
    func sentAgain() async throws {
        let requests = Recorder<String>()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HangingUp(requests))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let request = InboxRequest.note(id: PresentationID.make().description, text: "full")
        _ = try await request.sent(to: try client("http://127.0.0.1:\(port)"), by: "ann")
        let notes = try requests.elements.map { request in
            let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
            return try JSONValue.parse(Array(body.utf8))
        }
        #expect(notes.count == 2 && notes[0] == notes[1])
        #expect(UniqueID(notes[0].text("note")) != nil)
        try await server.close()
    }

    @Test("a name in the place of the user's own is refused before anything is sent")
    func person() async throws {
        let folder = try TemporaryFolder()
        let users = UserFile("\(folder.path)/users.txt")
        let token = try users.add("ann", [.answer])
        try await ServedConsole.run({ $0.usersFile = users.path }, logger: .silent) { served in
            var address = served.address
            address.token = token
            let client = try ConsoleClient(address)
            #expect(try await client.person(nil) == "ann")
            #expect(try await client.person("ann") == "ann")
            let failure = await #expect(throws: Failure.self) { try await client.person("bob") }
            #expect(failure?.status == .notPermitted)
        }
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let client = try ConsoleClient(served.address)
            #expect(try await client.person("bob") == "bob")
        }
    }

    @Test("answers of a group are undone in several requests, of which one may undo none")
    func undoneInParts() async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let inbox = served.console.inbox
            let asking = await present(1, at: inbox)
            let item = try #require(inbox.items().first)
            let answer = try inbox.answer(
                item.id, option: "retry", by: "ann", undo: .seconds(60))
            let client = try ConsoleClient(served.address)
            let others = (0..<ConsoleLimits.chosenCountMax).map { _ in
                PresentationID.make().description
            }
            let group = Int64(item.group)
            let reply = try await client.undo(
                others + [answer.id.description], ofGroup: group, by: "ann")
            #expect(reply.texts("undone") == [item.id.description])
            #expect(try inbox.item(item.id).answer == nil)
            let failure = await #expect(throws: Failure.self) {
                try await client.undo(others, ofGroup: group, by: "ann")
            }
            #expect(failure?.status == .declined)
            for task in asking { task.cancel() }
        }
    }

    @Test("a presentation that only the journal has is none that can be answered")
    func archived() async throws {
        let folder = try TemporaryFolder()
        let journal = try SQLiteJournal("\(folder.path)/central.sqlite")
        let id = PresentationID.make()
        var item = InboxItem(
            InboxPresentation(id: id, report: report, origin: "worker"), group: 0,
            at: ManualTime().now, revision: 1)
        item.stage = .settled(Answer(option: "retry", by: "ann", via: .person), .recovered)
        let ended = item
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            try served.console.keepHistory(in: journal, number: 0)
            try await journal.keep([ended], [], console: 0)
            let client = try ConsoleClient(served.address)
            let past = try await client.get("/presentations/\(id)")
            #expect(past["archived"]?.boolValue == true)
            let failure = await #expect(throws: Failure.self) {
                try await client.presentation(id.description)
            }
            #expect(failure?.status == .declined)
        }
    }

    @Test("a text with which several ids begin names none of them")
    func partOfID() async throws {
        try await ServedConsole.run({ _ in }, logger: .silent) { served in
            let asking = await present(2, at: served.console.inbox)
            let ids = served.console.inbox.items().map(\.id.description)
            let client = try ConsoleClient(served.address)
            let shared = ids[0].commonPrefix(with: ids[1])
            let several = await #expect(throws: Failure.self) { try await client.id(shared) }
            #expect(several?.status == .usage)
            let unknown = await #expect(throws: Failure.self) { try await client.id("ffffffff") }
            #expect(unknown?.status == .declined)
            #expect(try await client.id(String(ids[1].suffix(12))) == ids[1])
            for task in asking { task.cancel() }
        }
    }
}
