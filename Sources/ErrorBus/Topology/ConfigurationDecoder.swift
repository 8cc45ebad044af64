import OrderedCollections

/// Takes a configuration apart, strictly, and notes every problem instead of stopping at the
/// first. What cannot be read is nil.
struct ConfigurationDecoder {
    /// A value's path within its file.
    struct Place: Hashable {
        let file: String
        let field: String
    }

    typealias Fields = OrderedDictionary<String, ConfigurationField>

    let environment: [String: String]
    private(set) var problems: [ConfigurationProblem] = []
    /// Where each value stands, for what is checked after reading.
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

    /// A list, or one value in its stead; `nothing` is an empty list.
    mutating func elementsOrOne(
        _ field: ConfigurationField, allowed: String
    ) -> [ConfigurationField] {
        if case .sequence = field.node.value { return elements(field, allowed: allowed) ?? [] }
        note(field)
        return field.node.isNull ? [] : [field]
    }

    // MARK: Scalars

    /// A text that says something, environment variables put in.
    mutating func text(_ field: ConfigurationField, allowed: String = "a text") -> String? {
        guard case .scalar(let raw, _) = field.node.value, !field.node.isNull, !raw.isEmpty else {
            report(field, allowed: allowed)
            return nil
        }
        do {
            return try EnvironmentExpansion.expand(raw, environment)
        } catch {
            report(field, found: error.found, allowed: error.allowed, hint: error.hint)
            return nil
        }
    }

    mutating func bool(_ field: ConfigurationField) -> Bool? {
        guard let text = text(field, allowed: "true or false") else { return nil }
        if text == "true" { return true }
        if text == "false" { return false }
        report(field, allowed: "true or false")
        return nil
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
