package import ErrorBus
import Foundation
import OrderedCollections

// The conditions of a rule.
extension TopologyReader {
    private static let matchKeys = ["domain", "code", "severity", "origin", "userInfo"]
    private static let fieldPrefix = "userInfo."

    /// The condition of a rule; nil if any part is invalid: a rule with fewer conditions would
    /// match too much.
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
        if match.stepCount > RuleMatch.stepCountMax {
            decoder.report(
                field, found: "patterns that take \(match.stepCount) steps for each character",
                allowed: "patterns of at most \(RuleMatch.stepCountMax) steps in one match; a text "
                    + "without * takes none")
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
        let allowed = Severity.allowed
        var severities: Set<Severity> = []
        let elements = decoder.elementsOrOne(field, allowed: allowed)
        if elements.isEmpty { decoder.report(field, allowed: allowed) }
        for element in elements {
            guard let text = decoder.text(element, allowed: allowed) else { continue }
            if let these = Severity.atLeast(text) {
                severities.formUnion(these)
                continue
            } else if !text.hasPrefix(">="), let pattern = try? TextPattern(text) {
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

// The schedule of a rule.
extension TopologyReader {
    private static let daysAllowed =
        "days of \(RuleSchedule.Day.allCases.map(\.rawValue).joined(separator: ", ")), "
        + "a range such as mon-fri, or a list of them"
    private static let hoursAllowed = "hours such as 09:00-17:00 or 22:00-06:00, up to 24:00"
    private static let zoneAllowed = "the name of a time zone, such as Europe/Berlin or UTC"

    mutating func schedule(_ field: ConfigurationField) -> RuleSchedule? {
        let keys = ["days", "hours", "timeZone"]
        let problemCount = decoder.problems.count
        guard let fields = decoder.fields(field, keys: keys) else { return nil }
        if fields["days"] == nil, fields["hours"] == nil, decoder.problems.count == problemCount {
            decoder.report(field, found: "neither days nor hours", allowed: "days, hours or both")
        }
        let days = fields["days"].map { self.days($0) } ?? Set(RuleSchedule.Day.allCases)
        let hours = fields["hours"].flatMap { self.hours($0) }
        // No default: 09:00 is meant in the author's time zone, which is rarely the container's.
        guard let zoneField = fields["timeZone"] else {
            decoder.report(field, found: "no timeZone", allowed: "timeZone: \(Self.zoneAllowed)")
            return nil
        }
        guard let zone = timeZone(zoneField), decoder.problems.count == problemCount else {
            return nil
        }
        return RuleSchedule(days: days, hours: hours, timeZone: zone)
    }

    private mutating func days(_ field: ConfigurationField) -> Set<RuleSchedule.Day> {
        var days: Set<RuleSchedule.Day> = []
        let elements = decoder.elementsOrOne(field, allowed: Self.daysAllowed)
        if elements.isEmpty { decoder.report(field, allowed: Self.daysAllowed) }
        for element in elements {
            guard let text = decoder.text(element, allowed: Self.daysAllowed) else { continue }
            let range = Self.days(text)
            if range.isEmpty {
                decoder.report(element, allowed: Self.daysAllowed)
            }
            days.formUnion(range)
        }
        return days
    }

    /// One day, or a range of days, which may include Sunday in its middle.
    private static func days(_ text: String) -> [RuleSchedule.Day] {
        let all = RuleSchedule.Day.allCases
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
            .map { RuleSchedule.Day(rawValue: String($0)).flatMap(all.firstIndex) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2 else {
            return []
        }
        return (0...(last - first + 7) % 7).map { all[(first + $0) % 7] }
    }

    private mutating func hours(_ field: ConfigurationField) -> RuleSchedule.Hours? {
        guard let text = decoder.text(field, allowed: Self.hoursAllowed) else { return nil }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard ends.count == 2, let start = ends[0], let end = ends[1],
            let hours = RuleSchedule.Hours(from: start, to: end)
        else {
            decoder.report(field, allowed: Self.hoursAllowed)
            return nil
        }
        return hours
    }

    /// The minute of the day that `HH:MM` names.
    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isASCII) }),
            parts.allSatisfy({ $0.allSatisfy(\.isNumber) }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private mutating func timeZone(_ field: ConfigurationField) -> TimeZone? {
        guard let text = decoder.text(field, allowed: Self.zoneAllowed) else { return nil }
        if let zone = TimeZone(identifier: text) { return zone }
        decoder.report(
            field, allowed: Self.zoneAllowed,
            hint: Suggestion.hint(for: text, among: TimeZone.knownTimeZoneIdentifiers))
        return nil
    }
}

extension RuleMatch {
    /// Reads the conditions of a rule from JSON, with the words and patterns of a policy file.
    /// Texts are literal: `${` stands for itself.
    ///
    /// - Throws: The first problem: the field, the value found and the values allowed.
    package init(json: JSONValue) throws(ConfigurationProblem) {
        let place = ConfigurationLocation(file: "match", line: 1, column: 1)
        // A sender of JSON must not read the environment of this process.
        var reader = TopologyReader(folder: "", environment: [:]) {
            _ throws(ConfigurationFailure) in
            throw ConfigurationFailure.unreadable(path: "", reason: "no file")
        }
        reader.decoder.expandsVariables = false
        let field = ConfigurationField(ConfigurationNode(json, at: place), path: "match")
        let match = reader.ruleMatch(field)
        if let problem = reader.decoder.problems.first { throw problem }
        self = match ?? RuleMatch()
    }
}

extension ConfigurationNode {
    fileprivate init(_ json: JSONValue, at place: ConfigurationLocation) {
        let value: Value =
            switch json {
            case .null: .scalar("null", isQuoted: false)
            case .bool(let bool): .scalar(String(bool), isQuoted: false)
            case .integer(let number): .scalar(String(number), isQuoted: false)
            case .number(let number): .scalar(String(number), isQuoted: false)
            case .string(let text): .scalar(text, isQuoted: true)
            case .array(let elements):
                .sequence(elements.map { ConfigurationNode($0, at: place) })
            case .object(let members):
                .mapping(
                    members.sorted { $0.key < $1.key }.map { key, value in
                        Entry(
                            key: key, keyLocation: place,
                            value: ConfigurationNode(value, at: place))
                    })
            }
        self.init(value, at: place)
    }
}

extension Severity {
    /// The texts that name severities, for refusals.
    static let allowed =
        allCases.map(\.rawValue).joined(separator: ", ") + ", or >= before one of them"

    /// The severities of a text such as `>=error`; nil for another text.
    static func atLeast(_ text: String) -> Set<Severity>? {
        guard text.hasPrefix(">="),
            let least = Severity(rawValue: String(text.dropFirst(2).drop { $0 == " " }))
        else { return nil }
        return Set(allCases.filter { $0 >= least })
    }
}
