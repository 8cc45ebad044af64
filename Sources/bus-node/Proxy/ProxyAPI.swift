import ErrorBus

/// Toxiproxy's HTTP interface over the proxies of this process: which request does what. Knows
/// nothing of sockets.
struct ProxyAPI: Sendable {
    let registry: ProxyRegistry

    func respond(to request: APIRequest) async -> APIResponse {
        do throws(ProxyProblem) {
            return try await route(request)
        } catch {
            return APIResponse(error)
        }
    }

    private func route(_ request: APIRequest) async throws(ProxyProblem) -> APIResponse {
        let segments = request.segments
        switch segments.first {
        case "reset" where segments.count == 1:
            try allow(["POST"], request)
            try await registry.reset()
            return APIResponse(204, nil)
        case "version" where segments.count == 1:
            try allow(["GET"], request)
            return APIResponse(200, ["version": "bus-node"])
        case "proxies":
            switch segments.count {
            case 1: return try await proxies(request)
            case 2: return try await proxy(segments[1], request)
            case 3 where segments[2] == "toxics": return try await toxics(of: segments[1], request)
            case 4 where segments[2] == "toxics":
                return try await toxic(segments[3], of: segments[1], request)
            default: break
            }
        default: break
        }
        throw .notFound(
            "nothing at \(request.path.shown()); there is /proxies, /proxies/NAME, "
                + "/proxies/NAME/toxics, /proxies/NAME/toxics/TOXIC, /reset, /version")
    }

    private func allow(_ methods: [String], _ request: APIRequest) throws(ProxyProblem) {
        guard methods.contains(request.method) else {
            throw ProxyProblem(
                status: 405,
                description: "found \(request.method.shown()); allowed: "
                    + methods.joined(separator: ", "))
        }
    }

    private func body(_ request: APIRequest) throws(ProxyProblem) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(request.body)
        } catch {
            throw .badRequest("body: \(error)")
        }
    }

    private func proxies(_ request: APIRequest) async throws(ProxyProblem) -> APIResponse {
        try allow(["GET", "POST"], request)
        guard request.method == "POST" else {
            var all: [String: JSONValue] = [:]
            for proxy in await registry.all { all[proxy.name] = await proxy.status.json }
            return APIResponse(200, .object(all))
        }
        let settings = try ProxySettings(try body(request))
        guard let name = settings.name, let listen = settings.listen, let connect = settings.connect
        else { throw .badRequest("name, listen and upstream: all three are needed") }
        let proxy = try await registry.create(
            name, listen: listen, connect: connect, isEnabled: settings.isEnabled ?? true)
        return APIResponse(201, await proxy.status.json)
    }

    private func proxy(
        _ name: String, _ request: APIRequest
    ) async throws(ProxyProblem) -> APIResponse {
        try allow(["GET", "POST", "PATCH", "DELETE"], request)
        let proxy = try await registry.proxy(name)
        switch request.method {
        case "DELETE":
            try await registry.remove(name)
            return APIResponse(204, nil)
        case "POST", "PATCH":
            let settings = try ProxySettings(try body(request))
            guard settings.name ?? name == name else {
                throw .badRequest("name: a proxy cannot be renamed")
            }
            try await proxy.move(listen: settings.listen, connect: settings.connect)
            if let isEnabled = settings.isEnabled { try await proxy.setEnabled(isEnabled) }
        default: break
        }
        return APIResponse(200, await proxy.status.json)
    }

    private func toxics(
        of name: String, _ request: APIRequest
    ) async throws(ProxyProblem) -> APIResponse {
        try allow(["GET", "POST"], request)
        let proxy = try await registry.proxy(name)
        guard request.method == "POST" else {
            return APIResponse(200, .array(await proxy.status.toxics.map(\.json)))
        }
        let toxic = try Toxic(try body(request))
        try await proxy.add(toxic)
        return APIResponse(200, toxic.json)
    }

    private func toxic(
        _ toxic: String, of name: String, _ request: APIRequest
    ) async throws(ProxyProblem) -> APIResponse {
        try allow(["GET", "POST", "PATCH", "DELETE"], request)
        let proxy = try await registry.proxy(name)
        let former = try await proxy.toxic(toxic)
        switch request.method {
        case "GET":
            return APIResponse(200, former.json)
        case "DELETE":
            try await proxy.removeToxic(toxic)
            return APIResponse(204, nil)
        default:
            let changed = try Toxic(try body(request), changing: former)
            guard changed.name == toxic else {
                throw .badRequest("name: a toxic cannot be renamed")
            }
            try await proxy.update(changed)
            return APIResponse(200, changed.json)
        }
    }
}
