import Hummingbird

/// What the console answers to: one list, for the router, for 405 and for the description of the
/// interface.
struct ConsoleRoutes: Sendable {
    typealias Handler = @Sendable (Request, ConsoleContext) async throws -> Response

    struct Route: Sendable {
        let method: HTTPRequest.Method
        /// With `{name}` for what stands in its place.
        let path: String
        let handler: Handler
    }

    private(set) var routes: [Route] = []

    mutating func get(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(method: .get, path: path, handler: handler))
    }

    mutating func post(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(method: .post, path: path, handler: handler))
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
