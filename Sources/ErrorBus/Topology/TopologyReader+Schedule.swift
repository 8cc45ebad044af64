import Foundation
import OrderedCollections

// When a rule is in force.
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
        // No default: the author of 09:00 has a place in mind, and a container is seldom there.
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

    /// One day, or those from one to another, past Sunday where need be.
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
