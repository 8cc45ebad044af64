/// Reads a verb's fields out of a header, with one way of refusing each.
struct HeaderReader {
    let verb: Verb
    let header: Header
    private var id: PresentationID?

    init(_ verb: Verb, _ header: Header) {
        self.verb = verb
        self.header = header
        id = header["id"].flatMap { PresentationID($0) }
    }

    private func refuse(_ name: String, _ found: String, _ allowed: String) -> WireError {
        WireError(
            .malformed,
            "\(verb.rawValue): field \(name) is \"\(found.cut(toScalars: 60))\"; "
                + "allowed: \(allowed)",
            id: id)
    }

    /// A required field, read by `parse`.
    func required<Value>(
        _ name: String, _ allowed: String, _ parse: (String) -> Value?
    ) throws(WireError) -> Value {
        guard let text = header[name] else {
            throw WireError(
                .malformed, "\(verb.rawValue): field \(name) is missing; expected: \(allowed)",
                id: id)
        }
        guard let value = parse(text) else { throw refuse(name, text, allowed) }
        return value
    }

    /// An optional field: absent is nil, present but wrong is a refusal.
    func optional<Value>(
        _ name: String, _ allowed: String, _ parse: (String) -> Value?
    ) throws(WireError) -> Value? {
        guard let text = header[name] else { return nil }
        guard let value = parse(text) else { throw refuse(name, text, allowed) }
        return value
    }

    func presentationID() throws(WireError) -> PresentationID {
        try required("id", "a UUID") { PresentationID($0) }
    }

    func name(_ field: String) throws(WireError) -> NodeName {
        try required(field, NodeName.allowed) { NodeName($0) }
    }

    /// The name of a peer itself.
    func nodeName(_ field: String) throws(WireError) -> NodeName {
        try required(field, NodeName.allowedForNode) {
            NodeName($0).flatMap { $0 == .bare ? nil : $0 }
        }
    }

    func path(_ field: String) throws(WireError) -> [NodeName] {
        try required(field, "node names separated by commas, origin first") { Self.path($0) }
    }

    static func path(_ text: String) -> [NodeName]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var path: [NodeName] = []
        for part in parts {
            guard let name = NodeName(part) else { return nil }
            path.append(name)
        }
        return path
    }

    func number(_ field: String) throws(WireError) -> UInt64? {
        try optional(field, "a whole number up to 2^53") { Self.number($0) }
    }

    func requiredNumber(_ field: String) throws(WireError) -> UInt64 {
        try required(field, "a whole number up to 2^53") { Self.number($0) }
    }

    /// Decimal digits without sign or leading zeros.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.utf8.first != UInt8(ascii: "0") || text.utf8.count == 1,
            let number = UInt64(text), number <= WireLimits.numberMax
        else { return nil }
        return number
    }

    func bool(_ field: String) throws(WireError) -> Bool? {
        try optional(field, "true or false") { Bool($0) }
    }

    /// Free text: anything that got through the header's own rules. What is too long is cut: a
    /// refusal would cost the message, and with an ANSWER the decision, for a text to look at.
    func text(_ field: String) -> String? {
        header[field]?.asHeaderText
    }

    func requiredText(_ field: String) throws(WireError) -> String {
        try required(field, "a text") { $0.asHeaderText }
    }

    func option(_ field: String) throws(WireError) -> String? {
        try optional(field, ErrorReport.Option.allowedID) {
            ErrorReport.Option.isID($0) ? $0 : nil
        }
    }
}
