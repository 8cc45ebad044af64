import OrderedCollections

// What a rule matches.
extension TopologyReader {
    private static let matchKeys = ["domain", "code", "severity", "origin", "userInfo"]
    private static let fieldPrefix = "userInfo."

    /// Nil when any part cannot be read: a rule with fewer conditions would match too much.
    mutating func ruleMatch(_ field: ConfigurationField) -> RuleMatch? {
        let keys = Self.matchKeys
        let problemCount = decoder.problems.count
        guard
            let fields = decoder.fields(
                field, keys: keys, alsoAllowed: { $0.hasPrefix(Self.fieldPrefix) })
        else { return nil }
        var match = RuleMatch()
        for (key, inner) in fields {
            switch key {
            case "domain": match.domain = patterns(inner)
            case "code": match.code = codes(inner)
            case "severity": match.severity = severities(inner)
            case "origin": match.origin = patterns(inner)
            case "userInfo": readUserInfo(inner, into: &match)
            default:
                readUserInfo(String(key.dropFirst(Self.fieldPrefix.count)), inner, into: &match)
            }
        }
        return decoder.problems.count == problemCount ? match : nil
    }

    private mutating func readUserInfo(_ field: ConfigurationField, into match: inout RuleMatch) {
        let allowed = "a mapping of userInfo fields to what they must be"
        guard let fields = decoder.fields(field, allowed: allowed) else { return }
        for (key, inner) in fields { readUserInfo(key, inner, into: &match) }
    }

    private mutating func readUserInfo(
        _ key: String, _ field: ConfigurationField, into match: inout RuleMatch
    ) {
        guard match.userInfo[key] == nil else {
            decoder.report(field, found: "the field a second time", allowed: "each field once")
            return
        }
        match.userInfo[key] = patterns(field)
    }

    private static let patternAllowed = "a text, a text with *, /regex/, or a list of them"

    private mutating func patterns(_ field: ConfigurationField) -> [TextPattern] {
        patterns(field, allowed: Self.patternAllowed).map(\.pattern)
    }

    private mutating func patterns(
        _ field: ConfigurationField, allowed: String
    ) -> [(pattern: TextPattern, field: ConfigurationField)] {
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        return elements.compactMap { element in
            guard let text = decoder.text(element, allowed: allowed) else { return nil }
            do throws(PatternError) {
                return (try TextPattern(text), element)
            } catch {
                let found = "\"\(error.found.escapedForMessage)\""
                decoder.report(element, found: found, allowed: error.allowed)
                return nil
            }
        }
    }

    private mutating func codes(_ field: ConfigurationField) -> [TextPattern] {
        let allowed = "a whole number, a number with *, /regex/, or a list of them"
        return patterns(field, allowed: allowed).compactMap { pattern, element in
            guard case .exact(let text) = pattern else { return pattern }
            // 0401 and +5 are the numbers 401 and 5, which is how a code is compared.
            guard let code = Int(text) else {
                decoder.report(element, allowed: allowed)
                return nil
            }
            return .exact(String(code))
        }
    }

    private mutating func severities(_ field: ConfigurationField) -> Set<Severity>? {
        let words = Severity.allCases.map(\.rawValue)
        let allowed = words.joined(separator: ", ") + ", or >= before one of them"
        var severities: Set<Severity> = []
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        for element in elements {
            guard let text = decoder.text(element, allowed: allowed) else { continue }
            if text.hasPrefix(">=") {
                let word = String(text.dropFirst(2).drop { $0 == " " })
                if let least = Severity(rawValue: word) {
                    severities.formUnion(Severity.allCases.filter { $0 >= least })
                    continue
                }
            } else if let pattern = try? TextPattern(text) {
                let matching = Severity.allCases.filter { pattern.matches($0.rawValue) }
                severities.formUnion(matching)
                if !matching.isEmpty { continue }
            }
            let word = String(text.drop { ">= ".contains($0) })
            decoder.report(
                element, allowed: allowed, hint: Suggestion.hint(for: word, among: words))
        }
        return severities
    }
}
