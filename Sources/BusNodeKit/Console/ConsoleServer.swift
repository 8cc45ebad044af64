import ErrorBus
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The service that serves a console over HTTP, with TLS or without, until its node stops.
struct ConsoleServer: Service {
    let console: Console
    private let clock: any Clock<Duration>
    private let refusals: RefusalLog
    private let say: @Sendable (String) -> Void
    private let listens: @Sendable () -> Void

    /// - Parameters:
    ///   - clock: The clock of the limits of requests.
    ///   - say: A closure that gets the line with the address, which may hold the token.
    ///   - listens: A closure to call once the console listens; must not wait.
    init(
        _ console: Console, clock: any Clock<Duration> = ContinuousClock(),
        say: @escaping @Sendable (String) -> Void = { Terminal.say($0) },
        listens: @escaping @Sendable () -> Void = {}
    ) {
        self.console = console
        self.clock = clock
        self.say = say
        self.listens = listens
        refusals = RefusalLog(console.logger)
    }

    /// - Throws: When the console cannot listen at its address.
    func run() async throws {
        let (host, port) = address
        let responder = LateResponder()
        var configuration = ApplicationConfiguration(address: .hostname(host, port: port))
        configuration.availableConnectionsDelegate =
            .maximum(ConsoleLimits.connectionCountMax, logger: quietLogger)
        let application = Application(
            responder: responder,
            server: server,
            configuration: configuration,
            onServerRunning: { channel in
                responder.set(self.opened(port: channel.localAddress?.port ?? port))
                self.listens()
            }, logger: quietLogger)
        async let _: Void = closeConnectionsAtTheEnd()
        async let _: Void? = console.kept?.keeper.run()
        do {
            try await application.run()
            // From here on no answer can be undone, and the node is still there to send them.
            await console.inbox.giveHeld()
            // Before the node withdraws what is open: that returns in its next life.
            await console.kept?.keeper.write()
        } catch is CancellationError {
        } catch {
            // The framework's own text names its functions.
            let number = (error as? IOError)?.errnoCode
            let reason = number.map { String(cString: strerror($0)) } ?? "\(error)"
            throw Failure(
                .cannotCreate,
                "console: cannot listen on \(host):\(port): \(reason)"
                    + (number == EADDRINUSE ? Failure.inUseRemedy : ""))
        }
    }

    private var server: HTTPServerBuilder {
        let (configuration, refusals) = (channelConfiguration, refusals)
        guard let certificate = console.certificate else {
            return .http1(configuration: configuration)
        }
        return HTTPServerBuilder { responder in
            SecureHTTPChannel(
                HTTP1Channel(responder: responder, configuration: configuration), certificate,
                refusals)
        }
    }

    private var address: (host: String, port: Int) {
        guard case .tcp(let host, let port) = console.settings.listen.address else {
            return ("127.0.0.1", 0)
        }
        return (host == "*" ? "0.0.0.0" : host, Int(port))
    }

    /// A logger for the errors of the framework alone.
    private var quietLogger: Logger {
        var logger = console.logger
        logger.logLevel = .error
        return logger
    }

    private var channelConfiguration: HTTP1Channel.Configuration {
        let (connections, refusals) = (console.connections, refusals)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ClientPatience(connections, refusals)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: ConsoleLimits.headerByteMax,
                maxHeaderListSize: ConsoleLimits.headersByteMax,
                maxHeaderFieldCount: ConsoleLimits.headerCountMax))
    }

    /// Notes the port, which decides the hosts that requests may name.
    private func opened(port: Int) -> RouterResponder<ConsoleContext> {
        let hosts = ConsoleHosts(console.settings, port: port)
        announce(hosts)
        console.listens(at: hosts)
        let api = ConsoleAPI(console, clock: clock)
        let routes = api.routes
        return routes.router(
            behind: ConsoleMiddleware(
                gate: ConsoleGate(
                    hosts: hosts, admission: console.admission, sessions: console.sessions,
                    proxy: console.proxy, signIn: console.signIn),
                page: api.page, routes: routes, connections: console.connections,
                refusals: refusals, logger: console.logger)
        ).buildResponder()
    }

    /// Prints the address, with the token only if no file has it.
    private func announce(_ hosts: ConsoleHosts) {
        let address = "\(hosts.scheme)://\(hosts.address)/"
        switch console.admission {
        case .users(let users):
            let proxy = console.proxy == nil ? "" : ", and those of them whom the proxy names"
            let provider = console.signIn.map { ", and those who sign in at \($0.settings.title)" }
            say(
                "console: \(address) for the users in \(users.file.shown())\(proxy)"
                    + (provider ?? ""))
        case .token(let token):
            guard let file = token.file else {
                return say("console: \(address)?token=\(token.text)")
            }
            say("console: \(address) with the token in \(file.shown())")
        }
    }

    private func closeConnectionsAtTheEnd() async {
        try? await gracefulShutdown()
        try? await Task.sleep(for: ConsoleLimits.shutdownTime)
        console.connections.closeAll()
    }
}

/// A responder that waits for the routes: before that the console accepts no connection.
private final class LateResponder: HTTPResponder {
    private let responder = Mutex<RouterResponder<ConsoleContext>?>(nil)

    func set(_ responder: RouterResponder<ConsoleContext>) {
        self.responder.withLock { $0 = responder }
    }

    func respond(to request: Request, context: ConsoleContext) async throws -> Response {
        guard let responder = responder.withLock({ $0 }) else {
            return Response(status: .serviceUnavailable)
        }
        return try await responder.respond(to: request, context: context)
    }
}

/// The middleware in front of every route: it admits requests, refuses and logs the others, and
/// adds the headers to every response.
struct ConsoleMiddleware: RouterMiddleware {
    let gate: ConsoleGate
    let page: ConsolePage
    let routes: ConsoleRoutes
    let connections: ConsoleConnections
    let refusals: RefusalLog
    let logger: Logger

    func handle(
        _ request: Request, context: ConsoleContext,
        next: (Request, ConsoleContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        var isKnown = false
        do {
            let verdict = try gate.verdict(
                on: ConsoleGate.Facts(request, from: context.peerHost, by: gate.proxy))
            var context = context
            switch verdict {
            case .enterPage: response = try await next(request, context)
            case .enter(let visitor):
                // A proxy's connection serves many users.
                try connections.know(
                    context.channel, of: visitor.isProxied ? nil : visitor.person)
                isKnown = true
                context.visitor = visitor
                response = try await next(request, context)
            case .keepToken(let token, let former):
                // Of a cookie that is replaced: signing out could no longer end it.
                if let former { await gate.end(former, ofToken: token) }
                try connections.know(context.channel)
                response = try keeping(token, for: request)
            case .tokenIsKept:
                try connections.know(context.channel)
                response = Response(status: .seeOther, headers: [.location: "/"])
            }
        } catch {
            let problem = problem(error, request)
            log(problem, request, context)
            response = refusal(problem, request)
        }
        // A client without the token may not keep a connection; one that has just shown it comes
        // back on a connection that counts for its user.
        if !isKnown { response.headers[.connection] = "close" }
        page.protect(&response)
        if let host = request.head.authority, gate.hosts.isNamed(host) {
            page.insistOnTLS(&response)
        }
        return response
    }

    private func keeping(_ token: String, for request: Request) throws -> Response {
        let cookie = ConsoleCookie(at: request.head.authority, of: gate.hosts.settings)
        let user = gate.user(ofToken: token)
        let label = gate.sessions.newLabel(of: user)
        let sealed = try gate.admission.sealed(token, in: label)
        if let signIn = gate.signIn {
            signIn.signedIn(label, of: user, by: signIn.browsers(of: request))
        }
        return Response(
            status: .seeOther, headers: [.location: "/", .setCookie: cookie.setting(sealed, label)])
    }

    private func problem(_ error: any Error, _ request: Request) -> APIProblem {
        switch error {
        case let problem as APIProblem:
            // A request without a route is refused for that, whatever its body.
            let isRouted = routes.methods(at: request.uri.path).contains(request.method.rawValue)
            return problem.status == .unsupportedMediaType && !isRouted
                ? unrouted(request) : problem
        case is NIOTooManyBytesError: return .tooLarge
        case let error as HTTPError where error.status == .notFound: return unrouted(request)
        default:
            logger.error("console: request failed", metadata: ["error": "\(error)"])
            return APIProblem(.internalServerError, "internal", "the console failed; see its log")
        }
    }

    private func unrouted(_ request: Request) -> APIProblem {
        let methods = routes.methods(at: request.uri.path)
        guard methods.isEmpty else {
            var problem = APIProblem(
                .methodNotAllowed, "methodNotAllowed",
                "\(request.method.rawValue): allowed: \(methods.joined(separator: ", "))")
            problem.methods = methods
            return problem
        }
        return APIProblem(.notFound, "notFound", "no such path")
    }

    private func log(_ problem: APIProblem, _ request: Request, _ context: ConsoleContext) {
        // Two people acting at once, or a value that does not fit, are no reason to warn. The path
        // is logged without its query, which may hold a token. The token may be anywhere in a
        // mistyped address.
        refusals.note(
            RefusalLog.Kind(
                host: context.peerHost, status: "\(problem.status.code)", reason: problem.word),
            level: problem.isOrdinary ? .info : .warning, "console: refused",
            [
                "peer": "\(context.peer)", "method": "\(request.method.rawValue)",
                "path": "\(gate.admission.hidden(in: request.uri.path))",
                "status": "\(problem.status.code)",
                "reason": "\(problem.word)",
                "problem": "\(gate.admission.hidden(in: problem.message))",
            ])
    }

    /// The refusal of a request. A browser without the token gets the page, which asks for it; a
    /// browser that the identity provider does not sign in gets a page that says why.
    private func refusal(_ problem: APIProblem, _ request: Request) -> Response {
        if request.uri.path == AnswerLinks.path, request.method == .get {
            return page.notAnswered(problem)
        }
        var problem = problem
        if let signIn = gate.signIn {
            if [ConsoleSignIn.startPath, ConsoleSignIn.returnPath].contains(request.uri.path) {
                return page.refusal(problem)
            }
            if problem.status == .unauthorized {
                problem.details["signIn"] = .string(signIn.settings.title)
            }
        }
        guard problem.status == .unauthorized, request.uri.path == "/",
            TextSearch("text/html").isFound(in: request.headers[.accept] ?? "")
        else { return problem.response }
        return page.door
    }
}

/// The routes of the console: one list, for the router, for 405 and for the description of the
/// interface.
struct ConsoleRoutes: Sendable {
    typealias Handler = @Sendable (Request, ConsoleContext) async throws -> Response

    /// The need of a route: the proof that a client has to show.
    enum Need: Hashable, Sendable {
        /// Nothing: the route has no data, and the gate decides.
        case nothing
        /// Admission to the console.
        case admission
        case permission(ConsolePermission)

        func check(_ context: ConsoleContext) throws(APIProblem) {
            switch self {
            case .nothing: return
            case .admission: _ = try context.admitted
            case .permission(let permission): try context.admitted.require(permission)
            }
        }
    }

    struct Route: Sendable {
        let method: HTTPRequest.Method
        /// The path, with `{name}` for each variable part.
        let path: String
        let needs: Need
        let handler: Handler
    }

    private(set) var routes: [Route] = []

    mutating func get(_ path: String, needs need: Need, _ handler: @escaping Handler) {
        add(.get, path, need, handler)
    }

    mutating func post(_ path: String, needs need: Need, _ handler: @escaping Handler) {
        add(.post, path, need, handler)
    }

    private mutating func add(
        _ method: HTTPRequest.Method, _ path: String, _ need: Need, _ handler: @escaping Handler
    ) {
        let route = Route(method: method, path: path, needs: need) { request, context in
            try need.check(context)
            return try await handler(request, context)
        }
        routes.append(route)
    }

    /// The methods of a path; none when there is no such path.
    func methods(at path: String) -> [String] {
        let parts = path.split(separator: "/")
        return routes.filter { route in
            let pattern = route.path.split(separator: "/")
            return pattern.count == parts.count
                && zip(pattern, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.map(\.method.rawValue)
    }

    func router(behind middleware: ConsoleMiddleware) -> Router<ConsoleContext> {
        let router = Router(context: ConsoleContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: middleware)
        for route in routes {
            router.on(RouterPath(route.path), method: route.method, use: route.handler)
        }
        return router
    }
}

/// One request with the facts that the routes need beside it.
struct ConsoleContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The host and port of the peer; ``peerHost`` has the host alone.
    let peer: String
    let peerHost: String
    /// The visitor; nil for a request that was admitted for the page alone.
    var visitor: ConsoleVisitor?

    var admitted: ConsoleVisitor {
        get throws(APIProblem) {
            guard let visitor else { throw ConsoleGate.unauthorized }
            return visitor
        }
    }

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peerHost = channel.peerHost
        peer = "\(peerHost):\(channel.remoteAddress?.port ?? 0)"
    }
}

extension Channel {
    /// The address of the peer, without the port.
    var peerHost: String { remoteAddress?.ipAddress ?? "?" }
}
