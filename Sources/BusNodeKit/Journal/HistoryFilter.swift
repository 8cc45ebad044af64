import ErrorBus
import Foundation

/// The conditions of a search in lists, history and audit. All conditions that are set have to
/// hold.
package struct HistoryFilter: Hashable, Sendable {
    /// A text in which only `*` has a meaning, any run of characters.
    struct Pattern: Hashable, Sendable {
        let text: String
        private let pattern: TextPattern

        init?(_ text: String) {
            let escaped = text.replacingScalars(["\\": "\\\\"])
            let literal = escaped.unicodeScalars.first == "/" ? "\\" + escaped : escaped
            guard let pattern = try? TextPattern(literal) else { return nil }
            self.text = text
            self.pattern = pattern
        }

        func matches(_ value: String?) -> Bool { value.map(pattern.matches) ?? false }

        /// The pattern as an operand of SQLite's GLOB, for columns without U+0000; null for a
        /// pattern with one, which SQLite would read up to there.
        var sql: String? {
            text.utf8.contains(0) ? nil : text.replacingScalars(["[": "[[]", "?": "[?]"])
        }
    }

    /// The names of the conditions, in queries.
    package static let names =
        ["q", "by", "origin", "domain", "option", "severity", "end", "since", "until"]
    /// The longest value, in Unicode scalars.
    static let scalarCountMax = 200

    /// A part of a text, in upper or lower case; docs/console-api.md lists the texts.
    var search: TextSearch?
    var text: String? {
        get { search?.text }
        set { search = newValue.map(TextSearch.init) }
    }
    var person: Pattern?
    var origin: Pattern?
    var domain: Pattern?
    var option: Pattern?
    var severities: Set<Severity>?
    /// The pattern of the end in words, or of the stage while there is no end.
    var end: Pattern?
    /// The first time, in the written form.
    var since: String?
    /// The end, exclusive: a time, or the `next` of a page.
    var until: String?

    package init() {}

    /// - Parameter fields: The values by ``names``; others are ignored.
    package init(_ fields: [String: String]) throws(InvalidFilter) {
        for name in Self.names {
            let value = fields[name] ?? ""
            guard value.unicodeScalars.count <= Self.scalarCountMax else {
                throw InvalidFilter(name, value, "at most \(Self.scalarCountMax) characters")
            }
        }
        func pattern(_ name: String) throws(InvalidFilter) -> Pattern? {
            guard let text = fields[name], !text.isEmpty else { return nil }
            guard let pattern = Pattern(text) else {
                throw InvalidFilter(name, text, "a text, with * for any run of characters")
            }
            return pattern
        }
        text = fields["q"].flatMap { $0.isEmpty ? nil : $0 }
        person = try pattern("by")
        origin = try pattern("origin")
        domain = try pattern("domain")
        option = try pattern("option")
        end = try pattern("end")
        if let end, !Self.isKnown(end: end.text) {
            throw InvalidFilter("end", end.text, Self.allowedEnds)
        }
        if let word = fields["severity"] {
            let one = Severity(rawValue: word).map { Set([$0]) }
            guard let severities = one ?? Severity.atLeast(word) else {
                throw InvalidFilter("severity", word, Severity.allowed)
            }
            self.severities = severities
        }
        if let text = fields["since"] {
            guard let time = Self.time(text) else {
                throw InvalidFilter("since", text, TimeText.allowed)
            }
            since = time
        }
        if let text = fields["until"] {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let place = parts.count > 1 ? parts[1] : "0"
            guard let time = Self.time(String(parts[0])), !place.isEmpty,
                place.allSatisfy({ $0.isHexDigit || $0 == "-" })
            else {
                throw InvalidFilter("until", text, "\(TimeText.allowed), or next of a response")
            }
            until = parts.count > 1 ? "\(time)/\(place)" : time
        }
    }

    /// The frequent ends, in words; a newer node may have others, which `*` finds.
    package static let ends: [String] = {
        let results: [RecoveryResult] = [
            .recovered, .failed, .late, .withdrawn, .invalid, .unknown,
        ]
        let reasons: [Outcome.Reason] = [.expired, .withheld, .declined]
        let others = [RecoveryResult.failedAgainWord, RecoveryResult.cancelledWord]
        return results.map(\.words) + others + reasons.map(\.words)
    }()

    /// The stages that a list has in place of an end.
    private static let stages =
        HistoryRow.openStages + ["answered", "settled", InboxItem.unrecordedWord]

    private static let rareEnds: [Outcome.Reason] = [
        .shutDown, .unreachable, .userCancelled, .detached, .cycle, .tooManyHops, .busy, .rejected,
    ]

    private static var allowedEnds: String {
        (ends + stages).joined(separator: ", ") + ", or a part of an end with *"
    }

    /// Whether there are such ends: an end may go on after a comma, as with the option applied.
    private static func isKnown(end text: String) -> Bool {
        let word = String(text.prefix { $0 != "," })
        return text.contains("*")
            || (ends + stages + rareEnds.map(\.words)).contains(word)
    }

    /// The written form of a time with or without fractions of a second.
    private static func time(_ text: String) -> String? {
        TimeText.read(text).map(TimeText.text)
    }

    /// Whether a time, or a time and its place in the order, is in the range.
    func includes(_ key: String) -> Bool {
        since.map { key >= $0 } ?? true && until.map { key < $0 } ?? true
    }

    func matches(_ item: InboxItem) -> Bool {
        if let end, !end.matches(item.wholeEnding ?? item.stage.word) { return false }
        let report = item.report
        let people =
            [
                item.answer?.by, item.answer?.second, item.stage.claim?.person, item.proposal?.by,
            ] + item.notes.map(\.by)
        let option = item.answer?.option
        var chosen = [option, option.flatMap { report.title(of: $0) }]
        for text in item.answer?.given.searchedTexts ?? [] { chosen.append(text) }
        return severities.map { $0.contains(report.severity) } ?? true
            && person.map { people.contains(where: $0.matches) } ?? true
            && origin.map { $0.matches(item.origin?.description) } ?? true
            && domain.map { $0.matches(report.domain) } ?? true
            && self.option.map { $0.matches(option) } ?? true
            && contains(
                [
                    report.description, report.failureReason, report.domain,
                    item.origin?.description, item.id.description,
                ] + chosen + people + item.notes.map(\.text))
            && (since == nil && until == nil || includes(item.timeKey))
    }

    func matches(_ event: AuditHistory.Event, _ key: String) -> Bool {
        person.map { $0.matches(event.fields["by"]) || $0.matches(event.fields["second"]) } ?? true
            && origin.map { $0.matches(event.fields["origin"]) } ?? true
            && domain.map { $0.matches(event.fields["domain"]) } ?? true
            && option.map { $0.matches(event.fields["option"]) } ?? true
            && (search.map(event.contains) ?? true) && includes(key)
    }

    private func contains(_ texts: [String?]) -> Bool {
        guard let search else { return true }
        return texts.contains { text in text.map { search.isFound(in: $0) } ?? false }
    }
}

extension GivenValues {
    /// The texts of an answer that a search finds: its comment and its values, but no secret.
    var searchedTexts: [String] {
        [comment].compactMap(\.self)
            + values.values.map { $0.stringValue ?? String(decoding: $0.encoded(), as: UTF8.self) }
    }
}

/// A condition of a search that cannot be read.
package struct InvalidFilter: Error, CustomStringConvertible {
    let name: String
    let found: String
    let allowed: String

    init(_ name: String, _ found: String, _ allowed: String) {
        (self.name, self.found, self.allowed) = (name, found, allowed)
    }

    package var description: String { "\(name): found \(found.shown()); allowed: \(allowed)" }

    /// The refusal for a command's option, which takes more than a query.
    package var forOption: String {
        let option = name == "q" ? "text" : name
        let time = TimeText.allowed
        let rest = allowed.hasPrefix(time) ? String(allowed.dropFirst(time.count)) : nil
        let more = rest.map { PastTime.allowed + $0 }
        return "--\(option): found \"\(found.shown())\", allowed: \(more ?? allowed)"
    }
}

extension InboxItem {
    /// The key that orders presentations by the time of the first presentation; unique.
    var timeKey: String { "\(TimeText.text(openedAt.date))/\(id)" }
}

extension [InboxItem] {
    var newestFirst: [InboxItem] {
        map { ($0.timeKey, $0) }.sorted { $0.0 > $1.0 }.map(\.1)
    }
}
