import Foundation

/// A time of a log or a console, for people: with its date unless that is today's.
enum TimeText {
    /// - Parameters:
    ///   - text: As logs and consoles have it, in UTC: `2026-11-21T10:00:00.000Z`. Anything else
    ///     stays as it is.
    ///   - hasFraction: False leaves the parts of a second out.
    static func text(_ text: String, now: Date, hasFraction: Bool = true) -> String {
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, parts[0].count == 10, parts[1].hasSuffix("Z") else { return text }
        let time = String(parts[1].dropLast().prefix { hasFraction || $0 != "." })
        return now.formatted(.iso8601).hasPrefix(parts[0]) ? time : "\(parts[0]) \(time)"
    }
}
