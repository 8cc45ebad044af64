import ErrorBus

/// Reading fields of the API's JSON: what was found and what is allowed, by name.
enum ToxicFields {
    static func checkNames(
        in fields: [String: JSONValue], allowed: [String], of what: String
    ) throws(ProxyProblem) {
        guard let unknown = fields.keys.sorted().first(where: { !allowed.contains($0) }) else {
            return
        }
        let names = allowed.isEmpty ? "nothing" : allowed.joined(separator: ", ")
        throw .badRequest("\(what): unknown \(unknown.shown()); allowed: \(names)")
    }

    /// Names stand in paths, so they hold what a node's name may hold.
    static func checkName(_ name: String, _ field: String) throws(ProxyProblem) {
        guard NodeName(name) != nil else {
            throw .badRequest("\(field): found \(name.shown()); allowed: \(NodeName.allowed)")
        }
    }

    /// Nil when it is missing, null or empty, which Toxiproxy's clients send for "not given".
    static func text(
        _ name: String, in fields: [String: JSONValue]
    ) throws(ProxyProblem) -> String? {
        switch fields[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        default: throw .badRequest("\(name): not a string")
        }
    }

    static func bool(
        _ name: String, in fields: [String: JSONValue]
    ) throws(ProxyProblem) -> Bool? {
        switch fields[name] {
        case nil, .null?: return nil
        case .bool(let value)?: return value
        default: throw .badRequest("\(name): neither true nor false")
        }
    }

    static func number(
        _ name: String, in fields: [String: JSONValue], _ range: ClosedRange<Double>
    ) throws(ProxyProblem) -> Double? {
        guard let field = fields[name], field != .null else { return nil }
        guard let value = field.numberValue, range.contains(value) else {
            throw .badRequest(
                "\(name): found \(shown(field)); allowed: "
                    + "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    static func integer(
        _ name: String, in fields: [String: JSONValue], _ range: ClosedRange<Int>
    ) throws(ProxyProblem) -> Int? {
        guard let field = fields[name], field != .null else { return nil }
        guard let value = field.integerValue, let integer = Int(exactly: value),
            range.contains(integer)
        else {
            throw .badRequest(
                "\(name): found \(shown(field)); allowed: a whole number from "
                    + "\(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    private static func shown(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self).escapedForTerminal(scalarLimit: 64)
    }
}
