import Hummingbird
import Logging
import NIOCore

/// In front of every route: lets in who may come in, says why not to the others and to the log,
/// and puts the headers on every answer.
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
            let verdict = try gate.verdict(on: ConsoleGate.Facts(request))
            isKnown = verdict != .enterPage
            if isKnown { connections.know(context.channel) }
            response =
                verdict == .keepToken ? keepingToken : try await next(request, context)
        } catch {
            let problem = problem(error, request)
            log(problem, request, context)
            response = refusal(problem, request)
        }
        // A stranger keeps no connection for later.
        if !isKnown { response.headers[.connection] = "close" }
        page.protect(&response)
        return response
    }

    private var keepingToken: Response {
        let cookie =
            "\(ConsoleGate.cookieName)=\(gate.token.text); HttpOnly; SameSite=Strict; Path=/"
        return Response(status: .seeOther, headers: [.location: "/", .setCookie: cookie])
    }

    private func problem(_ error: any Error, _ request: Request) -> APIProblem {
        switch error {
        case let problem as APIProblem:
            // What no route takes is refused as that, whatever it carries.
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
        // Two people at once are nothing to warn of. The path comes without its query: a token may
        // be in that. It may be anywhere in an address that was mistyped.
        refusals.note(
            RefusalLog.Kind(
                host: context.peerHost, status: "\(problem.status.code)", reason: problem.word),
            level: problem.status == .conflict ? .info : .warning, "console: refused",
            [
                "peer": "\(context.peer)", "method": "\(request.method.rawValue)",
                "path": "\(gate.token.hidden(in: request.uri.path))",
                "status": "\(problem.status.code)",
                "reason": "\(problem.word)",
                "problem": "\(gate.token.hidden(in: problem.message))",
            ])
    }

    /// A person who came without the token gets the page, which asks for it.
    private func refusal(_ problem: APIProblem, _ request: Request) -> Response {
        guard problem.status == .unauthorized, request.uri.path == "/",
            (request.headers[.accept] ?? "").contains("text/html")
        else { return problem.response }
        return page.door
    }
}
