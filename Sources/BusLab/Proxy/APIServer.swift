import BusNodeKit
package import ErrorBus
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Serves a ``ProxyAPI`` over HTTP 1.1, one request a connection.
///
/// It has no password, so it serves only this machine: it listens at ipc or a loopback address, and
/// refuses requests that a browser sends for a page (an Origin, a Host of another name).
package struct APIServer: Sendable {
    /// From the connection to the end of the response.
    static let timeLimit = TimeAmount.seconds(10)
    /// Connections at a time; another one waits.
    static let connectionCountMax = 32

    let api: ProxyAPI
    package let endpoint: Endpoint

    package init(_ api: ProxyAPI, at endpoint: Endpoint) throws(ProxyProblem) {
        guard endpoint.isLocal else {
            throw .badRequest("\(endpoint): allowed: ipc or a loopback address")
        }
        self.api = api
        self.endpoint = endpoint
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: Called with the endpoint it listens on.
    /// - Throws: When it cannot listen on the endpoint.
    package func run(ready: @escaping @Sendable (Endpoint) -> Void) async throws {
        if let obstacle = endpoint.obstacle {
            throw ProxyProblem(status: 500, description: "cannot listen: \(obstacle)")
        }
        let logger = Logger(label: "api") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ApplicationConfiguration(address: address, backlog: 16)
        configuration.availableConnectionsDelegate =
            .maximum(Self.connectionCountMax, logger: logger)
        let application = Application(
            responder: CallbackResponder { (request, _: BasicRequestContext) in
                let answer = await answer(request)
                let body = answer.json.map { $0.encoded() + [UInt8(ascii: "\n")] } ?? []
                return Response(
                    status: HTTPResponse.Status(code: answer.status),
                    headers: body.isEmpty ? [:] : [.contentType: "application/json"],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
            },
            server: .http1(configuration: .init(additionalChannelHandlers: [OneRequest()])),
            configuration: configuration,
            onServerRunning: { channel in
                ready((try? endpoint.bound(to: channel.localAddress)) ?? endpoint)
            },
            logger: logger)
        try await application.run()
    }

    private var address: BindAddress {
        switch endpoint.address {
        case .tcp(let host, let port): .hostname(host, port: Int(port))
        case .ipc(let path): .unixDomainSocket(path: path)
        }
    }

    private func answer(_ request: Request) async -> APIResponse {
        if let problem = Self.problem(with: request.head) { return APIResponse(problem) }
        do {
            let body = try await request.body.collect(upTo: APIRequest.bodyByteMax)
            return await api.respond(
                to: APIRequest(
                    method: request.method.rawValue, path: request.uri.path,
                    body: Array(body.readableBytesView)))
        } catch is NIOTooManyBytesError {
            return APIResponse(
                ProxyProblem(
                    status: 413,
                    description: BodyRefusal.tooLarge(allowed: APIRequest.bodyByteMax)))
        } catch {
            return APIResponse(.badRequest(BodyRefusal.unreadable(error)))
        }
    }

    /// A page in a browser must not control proxies, not even by a name that resolves to this
    /// machine.
    static func problem(with head: HTTPRequest) -> ProxyProblem? {
        guard head.headerFields[.origin] == nil else {
            return ProxyProblem(status: 403, description: "Origin: not for browsers")
        }
        // The first is the authority.
        let others = head.headerFields.count { $0.name.canonicalName == "host" }
        guard let host = head.authority, others == 0 else {
            let count = head.authority == nil ? 0 : others + 1
            return .badRequest("Host: found \(count) of them; allowed: one")
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

/// Closes a connection after its first response, or at the time limit.
private final class OneRequest: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        let timer = channel.eventLoop.scheduleTask(in: APIServer.timeLimit) {
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        context.writeAndFlush(data, promise: promise)
        context.close(promise: nil)
    }
}

/// One request to the proxy's HTTP interface.
struct APIRequest: Hashable, Sendable {
    /// The largest body, in bytes.
    static let bodyByteMax = 64 * 1024

    let method: String
    /// Without the query.
    let path: String
    var body: [UInt8] = []

    /// The parts of the path.
    var segments: [String] { path.split(separator: "/").map(String.init) }
}

/// The response to a request.
struct APIResponse: Hashable, Sendable {
    let status: Int
    /// Nil for none.
    let json: JSONValue?

    init(_ status: Int, _ json: JSONValue?) {
        self.status = status
        self.json = json
    }

    init(_ problem: ProxyProblem) {
        self.init(
            problem.status,
            ["error": .string(problem.description), "status": .integer(Int64(problem.status))])
    }
}
