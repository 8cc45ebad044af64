import ErrorBus
import OrderedCollections

// Links, presenters and paths: the settings that name something outside the node.
extension TopologyReader {
    mutating func hops(_ field: ConfigurationField) -> [Hop] {
        let allowed = "a node name, an endpoint, or a list of them"
        var hops: [Hop] = []
        for element in decoder.elementsOrOne(field, allowed: allowed) {
            guard let hop = hop(element, allowed: allowed) else { continue }
            if hops.contains(hop) {
                decoder.report(element, allowed: "each parent once")
            } else {
                hops.append(hop)
            }
        }
        return hops
    }

    mutating func hop(_ field: ConfigurationField, allowed: String) -> Hop? {
        guard let text = decoder.text(field, allowed: allowed) else { return nil }
        guard text.contains("://") else {
            if let name = NodeName(text) { return .node(name) }
            decoder.report(field, allowed: "a node name (\(NodeName.allowed)) or an endpoint")
            return nil
        }
        guard let endpoint = endpoint(text, field) else { return nil }
        guard endpoint.isConnectable else {
            decoder.report(field, allowed: "an endpoint with a host and a port")
            return nil
        }
        return .endpoint(endpoint)
    }

    mutating func endpoints(_ field: ConfigurationField) -> [Endpoint] {
        let allowed = "\(Endpoint.allowed), or a list of them"
        return decoder.elementsOrOne(field, allowed: allowed).compactMap { element in
            decoder.text(element, allowed: allowed).flatMap { endpoint($0, element) }
        }
    }

    mutating func advertised(_ field: ConfigurationField) -> Endpoint? {
        let allowed = "an endpoint with a host and a port"
        guard let text = decoder.text(field, allowed: allowed),
            let endpoint = endpoint(text, field)
        else { return nil }
        guard endpoint.isConnectable else {
            decoder.report(field, allowed: allowed)
            return nil
        }
        return endpoint
    }

    private mutating func endpoint(_ text: String, _ field: ConfigurationField) -> Endpoint? {
        do throws(EndpointError) {
            return try Endpoint(text).resolved(relativeTo: folder)
        } catch {
            let found = "\"\(error.found.cut(toScalars: 200).escapedForMessage)\""
            decoder.report(field, found: found, allowed: error.allowed)
            return nil
        }
    }

    /// A path, relative to the folder of the topology file.
    mutating func path(_ field: ConfigurationField) -> String? {
        decoder.text(field, allowed: "the path of a file").map { FilePath.resolve($0, in: folder) }
    }

    /// A program and its arguments. A relative program with a slash is relative to the file's
    /// folder; a program without a slash is looked up in PATH.
    mutating func command(_ field: ConfigurationField, folder: String) -> [String]? {
        let allowed = "a list of program and arguments, as in [\"./page-oncall\", \"--now\"]"
        guard let elements = decoder.elements(field, allowed: allowed) else { return nil }
        guard !elements.isEmpty else {
            decoder.report(field, found: "an empty list", allowed: allowed)
            return nil
        }
        var words: [String] = []
        for element in elements {
            // An argument, unlike a program, may be empty.
            guard let word = decoder.text(element, mayBeEmpty: !words.isEmpty) else { return nil }
            guard !word.unicodeScalars.contains("\0") else {
                decoder.report(element, allowed: "a text without NUL")
                return nil
            }
            words.append(word)
        }
        if words[0].contains("/") { words[0] = FilePath.resolve(words[0], in: folder) }
        return words
    }

    mutating func readPresenters(
        _ field: ConfigurationField, of owner: NodeName
    ) -> [PresenterSettings] {
        guard !field.node.isNull,
            let elements = decoder.elements(field, allowed: "a list of presenters")
        else { return [] }
        return elements.compactMap { presenter($0, of: owner) }
    }

    private static let presenterKinds = ["policy", "terminal", "command", "console"]

    private mutating func presenter(
        _ field: ConfigurationField, of owner: NodeName
    ) -> PresenterSettings? {
        if case .scalar = field.node.value {
            let kinds = Self.presenterKinds.joined(separator: ", ")
            guard let text = decoder.text(field, allowed: kinds) else { return nil }
            if text == "terminal" { return .terminal }
            decoder.report(
                field, allowed: Self.presenterKinds.contains(text) ? "\(text): SETTINGS" : kinds,
                hint: Suggestion.hint(for: text, among: Self.presenterKinds.filter { $0 != text }))
            return nil
        }
        guard let fields = decoder.fields(field, keys: Self.presenterKinds) else { return nil }
        guard fields.count == 1, let (kind, inner) = fields.elements.first else {
            if fields.count > 1 || decoder.isEmptyMapping(field) {
                decoder.report(
                    field, found: "\(fields.count) presenters", allowed: "one for each list entry")
            }
            return nil
        }
        switch kind {
        case "policy":
            guard let path = path(inner) else { return nil }
            return .policy(path: path, rules: policy(path, named: inner, of: owner))
        case "command":
            return command(inner, folder: folder).map(PresenterSettings.command)
        case "console": return console(inner)
        default:
            if !inner.node.isNull {
                decoder.report(inner, allowed: "nothing: a terminal has no settings")
            }
            return .terminal
        }
    }
}

extension ConfigurationDecoder {
    /// Whether the file has a mapping without keys there.
    func isEmptyMapping(_ field: ConfigurationField) -> Bool {
        field.node.value == .mapping([])
    }
}
