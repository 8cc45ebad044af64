package import ErrorBus
import Foundation

/// The refusal of a request.
package protocol RequestProblem: Error {
    static func badRequest(_ message: String) -> Self
}

/// The fields of a JSON object from a client. Unknown fields are refused, not skipped; null means
/// absent.
package struct JSONFields<Problem: RequestProblem> {
    private let fields: [String: JSONValue]

    /// - Parameter what: The name of the object in a refusal.
    package init(_ value: JSONValue, of what: String, allowing names: [String]) throws(Problem) {
        guard case .object(let fields) = value else {
            throw .badRequest("\(what): found \(value.kind); allowed: a JSON object")
        }
        if let other = fields.keys.sorted().first(where: { !names.contains($0) }) {
            throw .badRequest(
                "\(what): found \(other.shown()); allowed: "
                    + (names.isEmpty ? "nothing" : names.joined(separator: ", ")))
        }
        self.fields = fields.filter { !$0.value.isNull }
    }

    /// A field of any kind.
    package subscript(name: String) -> JSONValue? { fields[name] }

    func value(_ name: String) throws(Problem) -> JSONValue {
        guard let value = fields[name] else { throw .badRequest("\(name): found nothing") }
        return value
    }

    package func string(_ name: String) throws(Problem) -> String? {
        try read(name, "a text", \.stringValue)
    }

    /// A text of at least one character, for people to read.
    func text(
        _ name: String, upTo limit: Int = ConsoleLimits.nameScalarMax
    ) throws(Problem) -> String {
        guard case .string(let text)? = fields[name],
            text.unicodeScalars.contains(where: Self.isVisible), text.unicodeScalars.count <= limit
        else {
            throw .badRequest(
                "\(name): found \(found(name, upTo: limit)); allowed: a text of 1 to \(limit) "
                    + "characters")
        }
        return text
    }

    /// The value found in place of a text, for a refusal.
    private func found(_ name: String, upTo limit: Int) -> String {
        let count = fields[name]?.stringValue?.unicodeScalars.count ?? 0
        return count > limit ? "\(count) characters" : fields[name].map(Self.shown) ?? "nothing"
    }

    private static func shown(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self).escapedForTerminal(scalarLimit: 64)
    }

    /// A text of one line without invisible or reordering characters: it appears in logs, and
    /// beside other words.
    func name(_ name: String) throws(Problem) -> String {
        let text = try text(name)
        guard !text.unicodeScalars.contains(where: Self.isTrick) else {
            throw .badRequest(
                "\(name): found \(text.shown()); allowed: no control characters, and none that "
                    + "turn the direction of text")
        }
        return text
    }

    private static func isTrick(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isBidiControl
            || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }

    /// Whether a name may have the scalar: a name of invisible characters would hide its author.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && ![.control, .format, .unassigned].contains(properties.generalCategory)
    }

    package func word(_ name: String, among words: [String]) throws(Problem) -> String? {
        try read(name, words.joined(separator: ", ")) { value in
            value.stringValue.flatMap { words.contains($0) ? $0 : nil }
        }
    }

    func id(_ name: String) throws(Problem) -> UniqueID? {
        try read(name, "a UUID") { $0.stringValue.flatMap { UniqueID($0) } }
    }

    /// The ids; nil when the field is absent.
    func ids(_ name: String, upTo limit: Int) throws(Problem) -> Set<UniqueID>? {
        try read(name, "1 to \(limit) different UUIDs") { value in
            guard let texts = value.arrayValue, (1...limit).contains(texts.count) else {
                return nil
            }
            let ids = Set(texts.compactMap { $0.stringValue.flatMap { UniqueID($0) } })
            return ids.count == texts.count ? ids : nil
        }
    }

    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        try read(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.integerValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        try read(name, "\(range.lowerBound) to \(range.upperBound)") { value in
            value.numberValue.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    package func bool(_ name: String) throws(Problem) -> Bool? {
        try read(name, "true or false", \.boolValue)
    }

    /// A field that `read` reads; nil when the field is absent.
    private func read<Value>(
        _ name: String, _ allowed: String, _ take: (JSONValue) -> Value?
    ) throws(Problem) -> Value? {
        guard let value = fields[name] else { return nil }
        guard let taken = take(value) else {
            throw .badRequest("\(name): found \(Self.shown(value)); allowed: \(allowed)")
        }
        return taken
    }
}

extension JSONFields {
    /// The values of an option's fields.
    ///
    /// - Parameter isConfirmation: Whether a proposal is confirmed, which has values of its own.
    func values(confirming isConfirmation: Bool) throws(Problem) -> [String: JSONValue] {
        // A value may be a secret: the refusal, also in the log, has its kind alone.
        let given = fields["values"] ?? .object([:])
        guard let values = given.objectValue else {
            throw .badRequest("values: found \(given.kind); allowed: a JSON object")
        }
        guard values.isEmpty || !isConfirmation else {
            throw .badRequest(
                "values: allowed only without confirms, since those of the proposal are confirmed")
        }
        return values
    }

    /// The comment, a person's reason for the answer; nil without a comment.
    ///
    /// - Parameter isConfirmation: Whether a proposal is confirmed, which has a comment of its own.
    func comment(confirming isConfirmation: Bool) throws(Problem) -> String? {
        let comment = try read("comment", GivenValues.allowedComment) { value in
            value.stringValue.flatMap { $0.isComment ? $0 : nil }
        }
        guard comment == nil || !isConfirmation else {
            throw .badRequest(
                "comment: allowed only without confirms, since that of the proposal is confirmed")
        }
        return comment
    }

    /// The chosen members of a group; nil for all.
    func chosen() throws(Problem) -> Set<PresentationID>? {
        let ids = try ids("ids", upTo: ConsoleLimits.chosenCountMax)
        return ids.map { Set($0.map { PresentationID($0) }) }
    }
}

extension JSONValue {
    /// A duration in whole milliseconds.
    package static func milliseconds(_ duration: Duration) -> JSONValue {
        .integer(Int64(duration / .milliseconds(1)))
    }
}

/// The fields of a request's body.
typealias BodyFields = JSONFields<APIProblem>

extension BodyFields {
    init(_ bytes: [UInt8], allowing names: String...) throws(APIProblem) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw .badRequest("body: \(error)")
        }
        try self.init(value, of: "body", allowing: names)
    }
}

/// The query of an address.
struct QueryFields: Sendable {
    private var fields: [String: String] = [:]

    init(_ query: String?) throws(APIProblem) {
        // By scalars: with a combining one after it, an ampersand is no character of its own.
        for pair in (query ?? "").unicodeScalars.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map {
                String($0).replacingScalars(["+": " "]).removingPercentEncoding
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

    func allowing(_ names: [String] = []) throws(APIProblem) -> QueryFields {
        guard let other = fields.keys.sorted().first(where: { !names.contains($0) }) else {
            return self
        }
        throw .badRequest(
            "query: found \(other.shown()); allowed: "
                + (names.isEmpty ? "none" : names.joined(separator: ", ")))
    }

    func text(_ name: String) -> String? { fields[name] }

    func filter() throws(APIProblem) -> HistoryFilter {
        do throws(InvalidFilter) {
            return try HistoryFilter(fields)
        } catch {
            throw .badRequest("query: \(error)")
        }
    }

    /// The group of equal errors that a list is of, as the messages of hooks name it.
    var groupKey: String? {
        get throws(APIProblem) {
            guard let text = fields["groupKey"] else { return nil }
            guard text.wholeMatch(of: /[0-9a-f]{16}/) != nil else {
                throw .badRequest(
                    "query: groupKey: found \(text.shown()); allowed: 16 of 0-9 a-f")
            }
            return text
        }
    }

    /// Whether a list includes the open groups.
    var wantsGroups: Bool {
        get throws(APIProblem) { try word("groups", among: ["all", "none"]) != "none" }
    }

    /// The groups that a stream includes.
    var eventGroups: EventFeed.Groups {
        get throws(APIProblem) {
            let word = try word("groups", among: EventFeed.Groups.allCases.map(\.rawValue))
            return word.flatMap { EventFeed.Groups(rawValue: $0) } ?? .changed
        }
    }

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
