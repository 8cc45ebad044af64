public import Foundation

/// When a rule is in force: days of the week and hours, by the clock on the wall of a time zone.
public struct RuleSchedule: Hashable, Sendable, CustomStringConvertible {
    /// A day of the week, in the order of the working week.
    public enum Day: String, Hashable, Sendable, CaseIterable {
        case monday = "mon"
        case tuesday = "tue"
        case wednesday = "wed"
        case thursday = "thu"
        case friday = "fri"
        case saturday = "sat"
        case sunday = "sun"

        var before: Day { Self.allCases[(index + 6) % 7] }

        fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// From one minute of the day up to and without another. An end that is not after the start
    /// is on the next day.
    public struct Hours: Hashable, Sendable, CustomStringConvertible {
        /// The minutes of a day; the latest end.
        public static let minuteCount = 24 * 60

        public let start: Int
        public let end: Int

        /// Nil when a minute is not within a day, or both are the same.
        public init?(from start: Int, to end: Int) {
            guard (0..<Self.minuteCount).contains(start), (0...Self.minuteCount).contains(end),
                start != end
            else { return nil }
            self.start = start
            self.end = end
        }

        public var description: String { "\(Self.text(start))-\(Self.text(end))" }

        private static func text(_ minute: Int) -> String {
            let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
        }
    }

    /// The days on which the hours begin.
    public let days: Set<Day>
    /// Nil: all day.
    public let hours: Hours?
    public let timeZone: TimeZone

    public init(
        days: Set<Day> = Set(Day.allCases), hours: Hours? = nil, timeZone: TimeZone
    ) {
        self.days = days
        self.hours = hours
        self.timeZone = timeZone
    }

    /// Whether the rule is in force at that moment.
    public func contains(_ date: Date) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.weekday, .hour, .minute], from: date)
        guard let weekday = parts.weekday, let hour = parts.hour, let minute = parts.minute else {
            return false
        }
        // Foundation counts from Sunday, 1.
        let today = Day.allCases[(weekday + 5) % 7]
        guard let hours else { return days.contains(today) }
        let now = hour * 60 + minute
        if hours.start < hours.end {
            return now >= hours.start && now < hours.end && days.contains(today)
        }
        if now >= hours.start { return days.contains(today) }
        return now < hours.end && days.contains(today.before)
    }

    /// As in `mon tue wed 09:00-17:00 Europe/Berlin`.
    public var description: String {
        let words =
            days.count == Day.allCases.count
            ? [] : Day.allCases.filter(days.contains).map(\.rawValue)
        let hours = hours.map { [$0.description] } ?? []
        return (words + hours + [timeZone.identifier]).joined(separator: " ")
    }
}
