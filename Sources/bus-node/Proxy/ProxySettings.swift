import ErrorBus

/// What a client posts about a proxy; nil: not said.
struct ProxySettings: Hashable, Sendable {
    var name: String?
    var listen: Endpoint?
    var connect: Endpoint?
    var isEnabled: Bool?

    init(_ json: JSONValue) throws(ProxyProblem) {
        guard case .object(let fields) = json else { throw .badRequest("not a JSON object") }
        // `toxics` is what Toxiproxy's clients send back with a proxy they have read.
        try ToxicFields.checkNames(
            in: fields, allowed: ["name", "listen", "upstream", "enabled", "toxics"], of: "proxy")
        name = try ToxicFields.text("name", in: fields)
        if let name { try ToxicFields.checkName(name, "name") }
        listen = try Self.endpoint("listen", in: fields)
        connect = try Self.endpoint("upstream", in: fields)
        isEnabled = try ToxicFields.bool("enabled", in: fields)
        // Who may steer proxies here may not open this machine to others.
        if let listen, !listen.isLocal {
            throw .badRequest("listen: found \(listen); allowed: ipc or a loopback address")
        }
    }

    /// An endpoint, or host and port as Toxiproxy writes them, where port 0 lets the system choose.
    private static func endpoint(
        _ name: String, in fields: [String: JSONValue]
    ) throws(ProxyProblem) -> Endpoint? {
        guard var text = try ToxicFields.text(name, in: fields) else { return nil }
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
    /// As the API tells it, in Toxiproxy's names.
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
