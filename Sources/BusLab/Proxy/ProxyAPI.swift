import BusNodeKit
package import ErrorBus

/// Toxiproxy's HTTP interface to the proxies of this process, without sockets: maps requests to
/// actions.
package struct ProxyAPI: Sendable {
    let registry: ProxyRegistry

    package init(registry: ProxyRegistry) {
        self.registry = registry
    }

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

/// The settings of a proxy in a request; nil for an absent one.
struct ProxySettings: Hashable, Sendable {
    var name: String?
    var listen: Endpoint?
    var connect: Endpoint?
    var isEnabled: Bool?

    init(_ json: JSONValue) throws(ProxyProblem) {
        // `toxics`, since Toxiproxy's clients send back the proxy as they read it.
        let fields = try ToxicFields(
            json, of: "proxy", allowing: ["name", "listen", "upstream", "enabled", "toxics"])
        name = try fields.itemName()
        listen = try Self.endpoint("listen", in: fields)
        connect = try Self.endpoint("upstream", in: fields)
        isEnabled = try fields.bool("enabled")
        // A client of this interface may not open this machine to others.
        if let listen, !listen.isLocal {
            throw .badRequest("listen: found \(listen); allowed: ipc or a loopback address")
        }
    }

    /// An endpoint, or host and port as Toxiproxy writes them, where port 0 means the system's
    /// choice.
    private static func endpoint(
        _ name: String, in fields: ToxicFields
    ) throws(ProxyProblem) -> Endpoint? {
        guard var text = try fields.given(name) else { return nil }
        if !text.contains("://") { text = "tcp://" + text }
        if text.hasPrefix("tcp://"), text.hasSuffix(":0") { text = text.dropLast() + "*" }
        do throws(EndpointError) {
            return try Endpoint(text)
        } catch {
            throw .badRequest("\(name): \(error)")
        }
    }
}

extension FaultProxy.Status {
    /// In the API's form, with Toxiproxy's names.
    var json: JSONValue {
        [
            "name": .string(name), "listen": .string(Self.text(listen)),
            "upstream": .string(Self.text(connect)), "enabled": .bool(isEnabled),
            "toxics": .array(toxics.map(\.json)),
        ]
    }

    private static func text(_ endpoint: Endpoint) -> String {
        let text = endpoint.description
        return text.hasPrefix("tcp://") ? String(text.dropFirst(6)) : text
    }
}

/// The proxies of this process, by name.
package actor ProxyRegistry {
    /// The most proxies.
    static let proxyCountMax = 256

    private var proxies: [String: FaultProxy] = [:]
    private let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// Names appear in paths, so they have the form of a node's name.
    package static func checkName(_ name: String, _ field: String) throws(ProxyProblem) {
        guard NodeName(name) != nil else {
            throw .badRequest("\(field): found \(name.shown()); allowed: \(NodeName.allowed)")
        }
    }

    var all: [FaultProxy] { proxies.sorted { $0.key < $1.key }.map(\.value) }

    func proxy(_ name: String) throws(ProxyProblem) -> FaultProxy {
        guard let proxy = proxies[name] else { throw .notFound("no proxy \(name.shown())") }
        return proxy
    }

    /// Makes a proxy, enabled by default.
    @discardableResult
    package func create(
        _ name: String, listen: Endpoint, connect: Endpoint, isEnabled: Bool = true
    ) async throws(ProxyProblem) -> FaultProxy {
        guard proxies[name] == nil else { throw .conflict("there is a proxy \(name) already") }
        guard proxies.count < Self.proxyCountMax else {
            throw .badRequest("there are \(proxies.count) proxies, the most allowed")
        }
        let proxy = try FaultProxy(
            name, listen: listen, connect: connect, seed: SeededGenerator.seed(seed, part: name))
        // Before the first await, so that a second request of that name finds it.
        proxies[name] = proxy
        do {
            try await proxy.setEnabled(isEnabled)
        } catch {
            proxies[name] = nil
            throw error
        }
        return proxy
    }

    func remove(_ name: String) async throws(ProxyProblem) {
        let proxy = try proxy(name)
        try await proxy.setEnabled(false)
        proxies[name] = nil
    }

    /// All enabled, without toxics.
    func reset() async throws(ProxyProblem) {
        for proxy in all { try await proxy.reset() }
    }

    package func closeAll() async {
        for proxy in all { try? await proxy.setEnabled(false) }
        proxies = [:]
    }
}

/// The refusal of a proxy or its API: the HTTP status and a sentence.
package struct ProxyProblem: RequestProblem, Hashable, CustomStringConvertible {
    package let status: Int
    package let description: String

    package static func badRequest(_ text: String) -> ProxyProblem {
        .init(status: 400, description: text)
    }

    static func notFound(_ text: String) -> ProxyProblem { .init(status: 404, description: text) }
    static func conflict(_ text: String) -> ProxyProblem { .init(status: 409, description: text) }
}
