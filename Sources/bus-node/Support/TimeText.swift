import Foundation

/// A time of a log or a console, for people: with its date unless that is today's.
enum TimeText {
    /// - Parameter text: As logs and consoles have it, in UTC: `2026-11-21T10:00:00.000Z`. Anything
    ///   else stays as it is.
    static func text(_ text: String, now: Date) -> String {
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, parts[0].count == 10, parts[1].hasSuffix("Z") else { return text }
        let time = String(parts[1].dropLast())
        return now.formatted(.iso8601).hasPrefix(parts[0]) ? time : "\(parts[0]) \(time)"
    }
}
