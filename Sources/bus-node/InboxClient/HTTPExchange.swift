import NIOCore
import NIOHTTP1
import NIOPosix

/// One request and its reply, over a connection of its own.
struct HTTPExchange: Sendable {
    struct Reply: Sendable {
        let status: Int
        let body: [UInt8]
    }

    /// The largest reply that is read: a list of some ten thousand presentations.
    static let bodyByteMax = 64 * 1024 * 1024
    private static let connectTime = TimeAmount.seconds(5)

    let host: String
    let port: Int
    let head: HTTPRequestHead
    let body: [UInt8]

    init(
        host: String, port: Int, method: HTTPMethod, path: String, token: String?,
        body: [UInt8]? = nil, lastEvent: String? = nil
    ) {
        self.host = host
        self.port = port
        self.body = body ?? []
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
        let name = host.contains(":") ? "[\(host)]" : host
        head.headers.add(name: "Host", value: "\(name):\(port)")
        head.headers.add(name: "Connection", value: "close")
        if let token { head.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let lastEvent { head.headers.add(name: "Last-Event-ID", value: lastEvent) }
        if let body {
            head.headers.add(name: "Content-Type", value: "application/json")
            head.headers.add(name: "Content-Length", value: "\(body.count)")
        }
        self.head = head
    }

    /// The whole reply.
    ///
    /// - Throws: When no server listens there, or the reply does not come whole and in time.
    func reply(within limit: Duration) async throws -> Reply {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            group.addTask {
                var status = 0
                var body: [UInt8] = []
                try await run { part in
                    switch part {
                    case .head(let head): status = Int(head.status.code)
                    case .body(let bytes):
                        body += bytes.readableBytesView
                        guard body.count <= Self.bodyByteMax else { throw Problem.tooLarge }
                    case .end: return false
                    }
                    return true
                }
                return Reply(status: status, body: body)
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw Problem.tooLate
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw Problem.cut }
            return reply
        }
    }

    /// Hands the reply over part by part, until `take` says that it is enough.
    func run(_ take: (HTTPClientResponsePart) async throws -> Bool) async throws {
        typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(Self.connectTime)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var parts: [HTTPClientRequestPart] = [.head(head), .end(nil)]
            if !body.isEmpty {
                parts.insert(.body(.byteBuffer(ByteBuffer(bytes: body))), at: 1)
            }
            // In one go: a reply may come, and the connection go, after the first of several.
            try await outbound.write(contentsOf: parts)
            for try await part in inbound {
                guard try await take(part) else { return }
            }
            throw Problem.cut
        }
    }

    enum Problem: Error, CustomStringConvertible {
        case tooLarge
        case tooLate
        case cut

        var description: String {
            switch self {
            case .tooLarge: "a reply of more than \(HTTPExchange.bodyByteMax) bytes"
            case .tooLate: "no reply in time"
            case .cut: "the connection ended before the reply did"
            }
        }
    }
}
