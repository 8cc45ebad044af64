import ErrorBus
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Serves a console over HTTP until its node stops.
struct ConsoleServer: Service {
    let console: Console
    private let connections = ConsoleConnections()
    private let refusals: RefusalLog

    init(_ console: Console) {
        self.console = console
        refusals = RefusalLog(console.logger)
    }

    /// - Throws: When it cannot listen at its address.
    func run() async throws {
        let (host, port) = address
        let responder = LateResponder()
        var configuration = ApplicationConfiguration(address: .hostname(host, port: port))
        configuration.availableConnectionsDelegate =
            .maximum(ConsoleLimits.connectionCountMax, logger: quietLogger)
        let application = Application(
            responder: responder,
            server: .http1(configuration: channelConfiguration),
            configuration: configuration,
            onServerRunning: { channel in
                responder.set(self.opened(port: channel.localAddress?.port ?? port))
            }, logger: quietLogger)
        async let _: Void = closeConnectionsAtTheEnd()
        do {
            try await application.run()
            // No answer can be taken back any more, and the node is there to send them.
            await console.inbox.giveHeld()
        } catch is CancellationError {
        } catch {
            // The framework's own text names its functions.
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
            throw Failure(
                .cannotCreate,
                "console: cannot listen on \(host):\(port): \(reason ?? "\(error)")")
        }
    }

    private var address: (host: String, port: Int) {
        guard case .tcp(let host, let port) = console.settings.listen.address else {
            return ("127.0.0.1", 0)
        }
        return (host == "*" ? "0.0.0.0" : host, Int(port))
    }

    /// The framework's own messages, when they say that something is wrong.
    private var quietLogger: Logger {
        var logger = console.logger
        logger.logLevel = .error
        return logger
    }

    private var channelConfiguration: HTTP1Channel.Configuration {
        let (connections, refusals) = (connections, refusals)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ClientPatience(connections, refusals)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: ConsoleLimits.headerByteMax,
                maxHeaderListSize: ConsoleLimits.headerByteMax * 4,
                maxHeaderFieldCount: ConsoleLimits.headerCountMax))
    }

    /// Now the port is known, and with it who may be asked for.
    private func opened(port: Int) -> RouterResponder<ConsoleContext> {
        let hosts = ConsoleHosts(console.settings, port: port)
        announce(hosts)
        let api = ConsoleAPI(console)
        let routes = api.routes
        return routes.router(
            behind: ConsoleMiddleware(
                gate: ConsoleGate(hosts: hosts, token: console.token), page: api.page,
                routes: routes, connections: connections, refusals: refusals,
                logger: console.logger)
        ).buildResponder()
    }

    /// The only time that a token is shown, and only one that stands in no file.
    private func announce(_ hosts: ConsoleHosts) {
        let address = "http://\(hosts.address)/"
        guard let file = console.token.file else {
            return Terminal.say("console: \(address)?token=\(console.token.text)")
        }
        Terminal.say("console: \(address) with the token in \(file.shown())")
    }

    private func closeConnectionsAtTheEnd() async {
        try? await gracefulShutdown()
        try? await Task.sleep(for: ConsoleLimits.shutdownTime)
        connections.closeAll()
    }
}

/// Answers once it is known how: before that no connection is taken.
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
