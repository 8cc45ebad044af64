import Foundation

/// What stands behind the question mark of an address.
struct QueryFields: Sendable {
    private var fields: [String: String] = [:]

    init(_ query: String?) throws(APIProblem) {
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map {
                $0.replacing("+", with: " ").removingPercentEncoding
            }
            guard let name = decoded.first ?? nil, let value = decoded.count > 1 ? decoded[1] : ""
            else {
                throw .badRequest("query: found a broken percent escape")
            }
            guard fields.updateValue(value, forKey: name) == nil else {
                throw .badRequest("query: found \(name.shown()) twice")
            }
        }
    }

    func allowing(_ names: String...) throws(APIProblem) -> QueryFields {
        guard let other = fields.keys.sorted().first(where: { !names.contains($0) }) else {
            return self
        }
        throw .badRequest(
            "query: found \(other.shown()); allowed: "
                + (names.isEmpty ? "none" : names.joined(separator: ", ")))
    }

    func text(_ name: String) -> String? { fields[name] }

    func number(_ name: String, in range: ClosedRange<Int>) throws(APIProblem) -> Int? {
        guard let text = fields[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest(
                "query: \(name): found \(text.shown()); allowed: "
                    + "\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func word(_ name: String, among words: [String]) throws(APIProblem) -> String? {
        guard let text = fields[name] else { return nil }
        guard words.contains(text) else {
            throw .badRequest(
                "query: \(name): found \(text.shown()); allowed: "
                    + words.joined(separator: ", "))
        }
        return text
    }
}
