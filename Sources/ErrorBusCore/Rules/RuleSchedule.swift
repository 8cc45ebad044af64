package import Foundation

/// The times when a rule is in force: days of the week and hours, in a time zone.
package struct RuleSchedule: Hashable, Sendable, CustomStringConvertible {
    /// A day of the week, in the order of the working week.
    package enum Day: String, Hashable, Sendable, CaseIterable {
        case monday = "mon"
        case tuesday = "tue"
        case wednesday = "wed"
        case thursday = "thu"
        case friday = "fri"
        case saturday = "sat"
        case sunday = "sun"

        package var before: Day { Self.allCases[(index + 6) % 7] }

        fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A span from one minute of the day up to but excluding another. An end that is not after the
    /// start is on the next day.
    package struct Hours: Hashable, Sendable, CustomStringConvertible {
        /// The minutes of a day; the latest end.
        static let minuteCount = 24 * 60

        package let start: Int
        package let end: Int

        /// The hours; nil when a minute is outside the day, or both are the same.
        package init?(from start: Int, to end: Int) {
            guard (0..<Self.minuteCount).contains(start), (0...Self.minuteCount).contains(end),
                start != end
            else { return nil }
            self.start = start
            self.end = end
        }

        package var description: String { "\(Self.text(start))-\(Self.text(end))" }

        private static func text(_ minute: Int) -> String {
            let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
        }
    }

    /// The days on which the hours begin.
    package var days = Set(Day.allCases)
    /// The hours of these days; nil: all day.
    package var hours: Hours?
    package let timeZone: TimeZone

    package init(days: Set<Day> = Set(Day.allCases), hours: Hours? = nil, timeZone: TimeZone) {
        self.days = days
        self.hours = hours
        self.timeZone = timeZone
    }

    /// Whether the rule is in force at that moment.
    package func contains(_ date: Date) -> Bool {
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

    /// The schedule as in `mon tue wed 09:00-17:00 Europe/Berlin`.
    package var description: String {
        let words =
            days.count == Day.allCases.count
            ? [] : Day.allCases.filter(days.contains).map(\.rawValue)
        let hours = hours.map { [$0.description] } ?? []
        return (words + hours + [timeZone.identifier]).joined(separator: " ")
    }
}
