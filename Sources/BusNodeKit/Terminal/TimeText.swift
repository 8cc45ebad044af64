package import Foundation

/// Times of logs and consoles: the written form, and texts for people.
package enum TimeText {
    /// The written form, in UTC: `2026-11-21T10:00:00.000Z`.
    package static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    package static var now: String { text(.now) }

    static func text(_ date: Date) -> String { date.formatted(style) }

    static func date(_ text: String) -> Date? { try? Date(text, strategy: style) }

    /// A time to be written again, with or without a fraction of the second.
    package static func read(_ text: String) -> Date? {
        dateToWrite(text) ?? (try? Date(text, strategy: .iso8601))
    }

    /// The texts that ``read(_:)`` takes, for refusals.
    package static let allowed = "a time such as 2026-11-21T10:00:00Z"

    /// A time in the written form, to be written again: half a millisecond later, since writing
    /// cuts it.
    static func dateToWrite(_ text: String) -> Date? { date(text).map { $0 + 0.000_5 } }

    /// The time with its date, unless it is of today.
    ///
    /// - Parameters:
    ///   - text: In the ``style``; any other text stays unchanged.
    ///   - hasFraction: Whether to keep the fraction of the second.
    static func text(_ text: String, now: Date, hasFraction: Bool = true) -> String {
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, parts[0].count == 10, parts[1].hasSuffix("Z") else { return text }
        let time = String(parts[1].dropLast().prefix { hasFraction || $0 != "." })
        return now.formatted(.iso8601).hasPrefix(parts[0]) ? time : "\(parts[0]) \(time)"
    }
}

/// A time of the past, as options take it: a time, a day, or how long ago.
package enum PastTime {
    package static let allowed =
        "\(TimeText.allowed), a day such as 2026-11-21 (UTC), or how long ago, as 30m, 2h, 7d or 2w"

    /// The time in the written form; nil if the text is none of these.
    ///
    /// - Parameter isEnd: Whether a range ends there, which then has the whole day.
    package static func read(
        _ text: String, isEnd: Bool = false, now: Date = Date()
    ) -> String? {
        guard let length = DurationText.read(text) ?? weeks(text) else {
            return (day(text, isEnd: isEnd) ?? TimeText.read(text)).map(TimeText.text)
        }
        let seconds = length / Duration.seconds(1)
        return TimeText.text(now.addingTimeInterval(-seconds))
    }

    private static func day(_ text: String, isEnd: Bool) -> Date? {
        guard let midnight = TimeText.read("\(text)T00:00:00Z"),
            // A day that its month does not have would be one of the next month.
            TimeText.text(midnight).hasPrefix("\(text)T")
        else { return nil }
        return isEnd ? midnight + 86_400 : midnight
    }

    /// A number of weeks, which no file of configuration takes.
    private static func weeks(_ text: String) -> Duration? {
        text.hasSuffix("w") ? DurationText.read(text.dropLast() + "d").map { $0 * 7 } : nil
    }
}

/// A duration for people.
enum AgeText {
    /// The duration in at most two units.
    static func text(milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
        }
    }

    /// The duration in one unit, for columns.
    static func short(seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7_200: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3_600)h"
        default: "\(seconds / 86_400)d"
        }
    }

    static func short(since date: Date, at now: Date) -> String {
        short(seconds: Int(max(0, min(now.timeIntervalSince(date), 1e9))))
    }
}
