import ErrorBus
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves a ``ProxyAPI`` over HTTP 1.1, one request a connection.
///
/// There is no password, so it is for this machine only: it listens at ipc or a loopback address,
/// and refuses what a browser sends on behalf of a page (an Origin, a Host of another name).
struct APIServer: Sendable {
    /// From the connection to the end of the answer.
    static let timeLimit = TimeAmount.seconds(10)
    /// Connections at a time; another one waits.
    static let connectionCountMax = 32

    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let api: ProxyAPI
    let endpoint: Endpoint

    init(_ api: ProxyAPI, at endpoint: Endpoint) throws(ProxyProblem) {
        guard endpoint.isLocal else {
            throw .badRequest("\(endpoint): allowed: ipc or a loopback address")
        }
        self.api = api
        self.endpoint = endpoint
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: Told where it listens.
    /// - Throws: When the endpoint cannot be listened on.
    func run(ready: @Sendable (Endpoint) -> Void) async throws {
        let listener = try await listen()
        ready(try endpoint.bound(to: listener.channel.localAddress))
        defer { if case .ipc(let path) = endpoint.address { unlink(path) } }
        try await listener.executeThenClose { connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                var count = 0
                for try await connection in connections {
                    if count == Self.connectionCountMax {
                        try await group.next()
                        count -= 1
                    }
                    count += 1
                    group.addTask { await serve(connection) }
                }
            }
        }
    }

    private func listen() async throws -> NIOAsyncChannel<Connection, Never> {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
        @Sendable func initialize(_ channel: any Channel) -> EventLoopFuture<Connection> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                    withErrorHandling: true)
                let timer = channel.eventLoop.scheduleTask(in: Self.timeLimit) {
                    channel.close(promise: nil)
                }
                channel.closeFuture.whenComplete { _ in timer.cancel() }
                return try Connection(wrappingChannelSynchronously: channel)
            }
        }
        switch endpoint.address {
        case .tcp(let host, let port):
            return try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: Int(port), childChannelInitializer: initialize)
        case .ipc(let path):
            return try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true,
                childChannelInitializer: initialize)
        }
    }

    private func serve(_ connection: Connection) async {
        // A client that goes away in the middle is no fault of ours.
        try? await connection.executeThenClose { parts, writer in
            // A request that is not whole gets its 400 from the HTTP pipeline.
            guard let response = await answer(parts) else { return }
            let body = response.json.map { $0.encoded() + [UInt8(ascii: "\n")] } ?? []
            var headers = HTTPHeaders([("Connection", "close")])
            if !body.isEmpty { headers.add(name: "Content-Type", value: "application/json") }
            if response.status != 204 {
                headers.add(name: "Content-Length", value: String(body.count))
            }
            let status = HTTPResponseStatus(statusCode: response.status)
            try await writer.write(
                .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
            if !body.isEmpty { try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
            try await writer.write(.end(nil))
        }
    }

    private func answer(
        _ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>
    ) async -> APIResponse? {
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        do {
            for try await part in parts {
                switch part {
                case .head(let received):
                    if let problem = Self.problem(with: received) { return APIResponse(problem) }
                    head = received
                case .body(let buffer):
                    guard body.count + buffer.readableBytes <= APIRequest.bodyByteMax else {
                        return APIResponse(
                            ProxyProblem(
                                status: 413,
                                description: "body: allowed: \(APIRequest.bodyByteMax) bytes"))
                    }
                    body += buffer.readableBytesView
                case .end:
                    guard let head else { continue }
                    let path = head.uri.prefix { $0 != "?" }
                    return await api.respond(
                        to: APIRequest(
                            method: head.method.rawValue, path: String(path), body: body))
                }
            }
        } catch {
            return nil
        }
        return nil
    }

    /// A page in a browser must not steer proxies, not even by a name that leads here.
    static func problem(with head: HTTPRequestHead) -> ProxyProblem? {
        guard head.headers["Origin"].isEmpty else {
            return ProxyProblem(status: 403, description: "Origin: not for browsers")
        }
        let hosts = head.headers["Host"]
        guard hosts.count == 1, let host = hosts.first else {
            return .badRequest("Host: found \(hosts.count) of them; allowed: one")
        }
        let hasPort = host.last != "]" && host.contains(":")
        let text = "tcp://\(hasPort ? host : host + ":80")"
        guard let endpoint = try? Endpoint(text), endpoint.isLocal else {
            return ProxyProblem(
                status: 403, description: "Host: found \(host.shown()); allowed: localhost")
        }
        return nil
    }
}
