import ErrorBus

extension Toxic {
    /// As the API tells it.
    var json: JSONValue {
        [
            "name": .string(name), "type": .string(effect.type),
            "stream": .string(stream.rawValue), "toxicity": .number(toxicity),
            "attributes": .object(effect.attributes),
        ]
    }

    /// Reads what a client posted for a new toxic, or for a change of `former`.
    init(_ json: JSONValue, changing former: Toxic? = nil) throws(ProxyProblem) {
        guard case .object(let fields) = json else { throw .badRequest("not a JSON object") }
        try ToxicFields.checkNames(
            in: fields, allowed: ["name", "type", "stream", "toxicity", "attributes"], of: "toxic")
        let type = try ToxicFields.text("type", in: fields) ?? former?.effect.type
        guard let type else { throw .badRequest("type: missing; allowed: \(ToxicEffect.allowed)") }
        let stream = try Self.stream(in: fields) ?? former?.stream ?? .downstream
        if let former, type != former.effect.type || stream != former.stream {
            throw .badRequest(
                "type and stream of a toxic cannot be changed; delete it and make one")
        }
        let attributes: [String: JSONValue]
        switch fields["attributes"] {
        case nil, .null?: attributes = [:]
        case .object(let given)?: attributes = given
        default: throw .badRequest("attributes: not a JSON object")
        }
        // A change names only what is different.
        let all = (former?.effect.attributes ?? [:]).merging(attributes) { $1 }
        let effect = try ToxicEffect(type: type, attributes: all)
        let toxicity = try ToxicFields.number("toxicity", in: fields, 0...1)
        let name = try ToxicFields.text("name", in: fields) ?? former?.name
        if let name { try ToxicFields.checkName(name, "name") }
        self.init(effect, on: stream, name: name, toxicity: toxicity ?? former?.toxicity ?? 1)
    }

    private static func stream(
        in fields: [String: JSONValue]
    ) throws(ProxyProblem) -> ToxicStream? {
        guard let text = try ToxicFields.text("stream", in: fields) else { return nil }
        guard let stream = ToxicStream(rawValue: text) else {
            throw .badRequest("stream: found \(text.shown()); allowed: upstream, downstream")
        }
        return stream
    }
}
