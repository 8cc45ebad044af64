import ErrorBus
import Foundation

/// A policy whose rules are in force at certain times and about certain errors. What each of them
/// is to decide follows from this alone, without the shipped matches and schedules.
struct Ruling {
    /// What an error says of itself beside its texts.
    struct Traits {
        let domain: String
        let code: Int?
        let severity: Severity
        let command: String?
        let tries: Int?
    }

    struct Clause {
        var conditions: [Condition] = []
        var schedule: Schedule?
        /// The option that it answers with; nil where it withholds.
        var option: String?
        var isDryRun = false
    }

    /// What errors say of themselves, by their trouble.
    var traits: [Traits] = []
    /// The first that matches and is in force decides.
    var clauses: [Clause] = []
}

/// What a rule compares one part of an error with.
struct Condition {
    enum Part: CaseIterable {
        case domain, code, origin, severity, command, tries
    }

    /// One of a rule's texts, in the forms that the guide to policies has.
    enum Form {
        case text(String)
        /// With a star at its end, at its beginning, or at both.
        case begins(String), ends(String), includes(String)
        /// A regular expression: the text, and digits up to the end.
        case numbered(String)
        /// A severity, or one above it.
        case atLeast(String)
    }

    let part: Part
    let forms: [Form]

    /// Whether one of the forms holds; none does for what is missing.
    func holds(for traits: Ruling.Traits, from origin: String) -> Bool {
        let text: String? =
            switch part {
            case .domain: traits.domain
            case .code: traits.code.map { "\($0)" }
            case .origin: origin
            case .severity: traits.severity.rawValue
            case .command: traits.command
            case .tries: traits.tries.map { "\($0)" }
            }
        return text.map { text in forms.contains { $0.holds(for: text) } } ?? false
    }
}

extension Condition.Form {
    private static let severities = ["debug", "info", "warning", "error", "critical"]

    func holds(for other: String) -> Bool {
        switch self {
        case .text(let text): return other == text
        case .begins(let text): return other.hasPrefix(text)
        case .ends(let text): return other.hasSuffix(text)
        case .includes(let text): return other.contains(text)
        case .numbered(let text):
            let rest = other.dropFirst(text.count)
            return other.hasPrefix(text) && !rest.isEmpty
                && rest.allSatisfy { "0" <= $0 && $0 <= "9" }
        case .atLeast(let text):
            let least = Self.severities.firstIndex(of: text) ?? 0
            return Self.severities.dropFirst(least).contains(other)
        }
    }

    /// As a rule has it.
    fileprivate var pattern: TextPattern {
        let written =
            switch self {
            case .text(let text), .atLeast(let text): text
            case .begins(let text): "\(text)*"
            case .ends(let text): "*\(text)"
            case .includes(let text): "*\(text)*"
            case .numbered(let text): "/^\(text)[0-9]+$/"
            }
        return (try? TextPattern(written)) ?? { preconditionFailure("no pattern: \(written)") }()
    }
}

/// The days and hours of a rule, by minutes that are counted on.
struct Schedule {
    /// A time zone, and what its clocks show in 2026.
    enum Zone: String, CaseIterable {
        case greenwich = "GMT"
        case berlin = "Europe/Berlin"
        case newYork = "America/New_York"
        case kolkata = "Asia/Kolkata"

        /// How many minutes its clocks are ahead then, more in summer.
        func minutes(at time: Int64) -> Int64 {
            switch self {
            case .greenwich: 0
            case .berlin: (1_774_746_000_000..<1_792_890_000_000).contains(time) ? 120 : 60
            case .newYork: (1_772_953_200_000..<1_793_512_800_000).contains(time) ? -240 : -300
            case .kolkata: 330
            }
        }
    }

    struct Hours {
        let from: Int64
        /// On the next day where it is not after that.
        let to: Int64

        var length: Int64 { to > from ? to - from : to + Schedule.dayLength - from }
    }

    /// In minutes.
    static let dayLength: Int64 = 1_440

    /// From Monday, 0.
    let days: [Int64]
    let hours: Hours?
    let zone: Zone

    /// Whether a day, counted from the first of 1970, is one of its days.
    func has(_ day: Int64) -> Bool {
        // That one was a Thursday.
        days.contains((day + 3) % 7)
    }

    /// - Parameter time: Of the clock on the wall, in milliseconds since 1970.
    func isInForce(at time: Int64) -> Bool {
        let now = time / 60_000 + zone.minutes(at: time)
        let today = now / Self.dayLength
        guard let hours else { return has(today) }
        return [today, today - 1].contains { day in
            let begin = day * Self.dayLength + hours.from
            return has(day) && (begin..<begin + hours.length).contains(now)
        }
    }

    fileprivate var schedule: RuleSchedule {
        let names = RuleSchedule.Day.allCases
        let span = hours.flatMap { RuleSchedule.Hours(from: Int($0.from), to: Int($0.to)) }
        let timeZone =
            TimeZone(identifier: zone.rawValue)
            ?? { preconditionFailure("no time zone \(zone.rawValue)") }()
        return RuleSchedule(days: Set(days.map { names[Int($0)] }), hours: span, timeZone: timeZone)
    }
}

extension Ruling {
    func describe(_ report: inout ErrorReport, _ trouble: Int) {
        let traits = traits[trouble]
        report.domain = traits.domain
        report.code = traits.code
        report.severity = traits.severity
        // What differs in more than a person reads is not equal.
        report.description = "Trouble \(trouble)."
        report.userInfo["command"] = traits.command.map { .string($0) }
        report.userInfo["tries"] = traits.tries.map { .integer(Int64($0)) }
    }

    /// The rules as a policy has them.
    var book: RuleBook {
        let all = clauses.enumerated().map { index, clause in
            let answer = clause.option.map { option in
                RuleAction.answer(RuleAnswer(option, comment: Self.comment(index + 1)))
            }
            return Rule(
                match: clause.match, actions: [answer ?? .withhold], position: index + 1,
                schedule: clause.schedule?.schedule, isDryRun: clause.isDryRun)
        }
        return RuleBook(all, mode: .firstMatch)
    }

    /// By which an answer names its rule.
    static func comment(_ number: Int) -> String { "by rule \(number)" }

    /// The number of the rule that is to decide, from 1; 0 where people are to.
    ///
    /// - Parameter time: What the clock on the wall shows as the error comes.
    func ruleNumber(for ask: Ledger.Ask, at time: Int64) -> Int {
        let index = clauses.firstIndex { clause in
            !clause.isDryRun && clause.schedule?.isInForce(at: time) != false
                && clause.conditions.allSatisfy {
                    $0.holds(for: traits[ask.trouble], from: ask.worker)
                }
        }
        return index.map { $0 + 1 } ?? 0
    }
}

extension Ruling.Clause {
    fileprivate var match: RuleMatch {
        var match = RuleMatch()
        for condition in conditions {
            let patterns = condition.forms.map(\.pattern)
            switch condition.part {
            case .domain: match.domain = patterns
            case .code: match.code = patterns
            case .origin: match.origin = patterns
            case .severity:
                match.severity = Set(
                    Severity.allCases.filter { severity in
                        condition.forms.contains { $0.holds(for: severity.rawValue) }
                    })
            case .command: match.userInfo["command"] = patterns
            case .tries: match.userInfo["tries"] = patterns
            }
        }
        return match
    }
}
