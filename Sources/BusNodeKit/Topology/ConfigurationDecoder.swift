import ErrorBus
import OrderedCollections

/// The decoder of a configuration's values, which is strict, and collects every problem instead of
/// stopping at the first. An unreadable value is nil.
struct ConfigurationDecoder {
    /// A value's path within its file.
    struct Place: Hashable {
        let file: String
        let field: String
    }

    typealias Fields = OrderedDictionary<String, ConfigurationField>

    let environment: [String: String]
    /// Whether texts may have `${NAME}`; false: they are literal.
    var expandsVariables = true
    private(set) var problems: [ConfigurationProblem] = []
    /// The location of each value, for checks after reading.
    private(set) var locations: [Place: ConfigurationLocation] = [:]

    init(environment: [String: String]) { self.environment = environment }

    mutating func report(_ problem: ConfigurationProblem) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    mutating func report(
        _ field: ConfigurationField, found: String? = nil, allowed: String, hint: String? = nil
    ) {
        report(
            ConfigurationProblem(
                at: field.location, field: field.path, found: found ?? field.node.found,
                allowed: allowed, hint: hint))
    }

    private mutating func note(_ field: ConfigurationField) {
        locations[Place(file: field.location.file, field: field.path)] = field.location
    }

    // MARK: Shapes

    /// A mapping with any keys, each at most once.
    mutating func fields(_ field: ConfigurationField, allowed: String) -> Fields? {
        note(field)
        guard case .mapping(let entries) = field.node.value else {
            report(field, allowed: allowed)
            return nil
        }
        var fields: Fields = [:]
        for entry in entries {
            let inner = ConfigurationField(entry, in: field.path)
            guard fields[entry.key] == nil else {
                let again = ConfigurationField(
                    entry.value, path: inner.path, location: entry.keyLocation)
                report(again, found: "the key a second time", allowed: "each key once")
                continue
            }
            fields[entry.key] = inner
            note(inner)
        }
        return fields
    }

    /// A mapping with these keys only.
    mutating func fields(
        _ field: ConfigurationField, keys: [String],
        alsoAllowed: (String) -> Bool = { _ in false }
    ) -> Fields? {
        let allowed = keys.joined(separator: ", ")
        guard var fields = fields(field, allowed: "a mapping with keys of: \(allowed)") else {
            return nil
        }
        for key in Array(fields.keys) where !keys.contains(key) && !alsoAllowed(key) {
            guard let inner = fields.removeValue(forKey: key) else { continue }
            let shown = "unknown key \"\(key.cut(toScalars: 80).escapedForMessage)\""
            report(
                inner, found: shown, allowed: allowed,
                hint: Suggestion.hint(for: key, among: keys))
        }
        return fields
    }

    mutating func elements(_ field: ConfigurationField, allowed: String) -> [ConfigurationField]? {
        note(field)
        guard case .sequence(let nodes) = field.node.value else {
            report(field, allowed: allowed)
            return nil
        }
        let elements = nodes.enumerated().map { field.element($0, $1) }
        for element in elements { note(element) }
        return elements
    }

    /// A list, or a single value in place of a list; null is an empty list.
    mutating func elementsOrOne(
        _ field: ConfigurationField, allowed: String
    ) -> [ConfigurationField] {
        if case .sequence = field.node.value { return elements(field, allowed: allowed) ?? [] }
        note(field)
        return field.node.isNull ? [] : [field]
    }

    // MARK: Scalars

    /// A text, with environment variables expanded unless texts are literal.
    ///
    /// - Parameter mayBeEmpty: Whether it may be empty, before its variables are expanded or after.
    mutating func text(
        _ field: ConfigurationField, allowed: String = "a text", mayBeEmpty: Bool = false
    ) -> String? {
        guard case .scalar(let raw, _) = field.node.value, !field.node.isNull,
            mayBeEmpty || !raw.isEmpty
        else {
            report(field, allowed: allowed)
            return nil
        }
        guard expandsVariables else { return raw }
        do {
            let text = try EnvironmentExpansion.expand(raw, environment)
            if mayBeEmpty || !text.isEmpty { return text }
            report(field, found: "\(field.node.found), which is empty", allowed: allowed)
        } catch {
            report(field, found: error.found, allowed: error.allowed, hint: error.hint)
        }
        return nil
    }

    /// The expanded text; nil, without a report, for anything but a text.
    func expanded(_ field: ConfigurationField) -> String? {
        guard case .scalar(let raw, _) = field.node.value else { return nil }
        guard expandsVariables else { return raw }
        return try? EnvironmentExpansion.expand(raw, environment)
    }

    mutating func bool(_ field: ConfigurationField) -> Bool? {
        guard let text = text(field, allowed: "true or false") else { return nil }
        if text == "true" { return true }
        if text == "false" { return false }
        report(field, allowed: "true or false")
        return nil
    }

    mutating func number(_ field: ConfigurationField, in range: ClosedRange<Int>) -> Int? {
        let allowed = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let text = text(field, allowed: allowed) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            report(field, allowed: allowed)
            return nil
        }
        return number
    }

    mutating func duration(
        _ field: ConfigurationField, mayBeZero: Bool = false, also words: [String] = []
    ) -> Duration? {
        let allowed = DurationText.allowed(mayBeZero: mayBeZero, also: words)
        guard let text = text(field, allowed: allowed) else { return nil }
        guard let duration = DurationText.read(text), mayBeZero || duration > .zero else {
            report(
                field, allowed: allowed,
                hint: Int(text) == nil ? nil : "a unit is missing, as in \"\(text)s\"")
            return nil
        }
        return duration
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ field: ConfigurationField, as type: Word.Type
    ) -> Word? where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue)
        let allowed = words.joined(separator: ", ")
        guard let text = text(field, allowed: allowed) else { return nil }
        if let word = Word(rawValue: text) { return word }
        report(field, allowed: allowed, hint: Suggestion.hint(for: text, among: words))
        return nil
    }
}

/// A value together with the path that leads to it.
struct ConfigurationField: Hashable, Sendable {
    let node: ConfigurationNode
    /// The path, as in `nodes.relay.responders[0]`.
    let path: String
    /// The place that messages name: the value, or the key when the value begins on a later line.
    let location: ConfigurationLocation

    init(_ node: ConfigurationNode, path: String, location: ConfigurationLocation? = nil) {
        self.node = node
        self.path = path
        self.location = location ?? node.location
    }

    init(_ entry: ConfigurationNode.Entry, in parent: String) {
        let path = parent.isEmpty ? entry.key : "\(parent).\(entry.key)"
        if case .scalar = entry.value.value, !entry.value.isNull {
            self.init(entry.value, path: path.escapedForMessage)
        } else {
            self.init(entry.value, path: path.escapedForMessage, location: entry.keyLocation)
        }
    }

    func element(_ index: Int, _ node: ConfigurationNode) -> ConfigurationField {
        ConfigurationField(node, path: "\(path)[\(index)]")
    }
}

/// A value of a configuration file with its location, whatever the file's syntax.
package struct ConfigurationNode: Hashable, Sendable {
    /// The kinds of value.
    package enum Value: Hashable, Sendable {
        /// A scalar; `isQuoted`: written so that it can only be text.
        case scalar(String, isQuoted: Bool)
        case sequence([ConfigurationNode])
        /// A mapping, in the order of the file. A key may appear twice: the decoder refuses it.
        case mapping([Entry])
    }

    /// A key and its value.
    package struct Entry: Hashable, Sendable {
        package let key: String
        package let keyLocation: ConfigurationLocation
        package let value: ConfigurationNode

        package init(key: String, keyLocation: ConfigurationLocation, value: ConfigurationNode) {
            self.key = key
            self.keyLocation = keyLocation
            self.value = value
        }
    }

    package let value: Value
    package let location: ConfigurationLocation

    package init(_ value: Value, at location: ConfigurationLocation) {
        self.value = value
        self.location = location
    }

    /// Whether the value is missing, `~` or `null`.
    package var isNull: Bool {
        guard case .scalar(let text, isQuoted: false) = value else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The value in a few words, for messages.
    var found: String {
        if isNull { return "nothing" }
        switch value {
        case .scalar(let text, _): return "\"\(text.cut(toScalars: 80).escapedForMessage)\""
        case .sequence: return "a list"
        case .mapping: return "a mapping"
        }
    }
}

extension String {
    /// The text without control characters, so that a message stays on one line and cannot steer a
    /// terminal.
    var escapedForMessage: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += scalar.escaped(asASCII: true)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// The hint "did you mean": the nearest of the allowed words.
package enum Suggestion {
    /// The longest word compared: the work grows with the square.
    private static let scalarCountMax = 64
    /// The shortest beginning that stands for its word.
    private static let beginningCountMin = 3

    /// A hint that names the nearest word, or nil when none is near.
    package static func hint(for word: String, among words: some Sequence<String>) -> String? {
        nearest(to: word, among: words).map { "did you mean \"\($0)\"?" }
    }

    /// The word with the fewest changes, else the only one that begins so.
    static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let words = Array(words)
        let allowedDistance = max(1, min(3, word.unicodeScalars.count / 3))
        let near = words.map { (word: $0, distance: distance(word, $0, upTo: allowedDistance)) }
            .filter { $0.distance <= allowedDistance }
            .min { $0.distance < $1.distance }?.word
        if let near { return near }
        guard word.unicodeScalars.count >= beginningCountMin else { return nil }
        let beginning = word.lowercased()
        let longer = words.filter { $0.lowercased().hasPrefix(beginning) }
        return longer.count == 1 ? longer.first : nil
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours, ignoring case.
    ///
    /// - Parameter limit: Above it any number above it may be returned, which takes less work.
    static func distance(_ one: String, _ other: String, upTo limit: Int = .max) -> Int {
        let a = Array(one.lowercased().unicodeScalars.prefix(scalarCountMax))
        let b = Array(other.lowercased().unicodeScalars.prefix(scalarCountMax))
        let least = abs(a.count - b.count)
        guard !a.isEmpty, !b.isEmpty, least <= limit else {
            return max(a.count, b.count)
        }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var best = min(rows[i - 1][j], row[j - 1]) + 1
                best = min(best, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
