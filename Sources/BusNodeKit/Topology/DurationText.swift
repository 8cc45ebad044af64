/// Durations as written in configuration files: a whole number and a unit.
package enum DurationText {
    /// The longest duration, in days.
    package static let dayCountMax = 3650

    private static let units: [(name: String, duration: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
        ("d", .seconds(86_400)),
    ]

    static func allowed(mayBeZero: Bool, also words: [String] = []) -> String {
        (["a duration \(mayBeZero ? "" : "above 0 ")such as 250ms, 30s, 10m, 1h or 2d"] + words)
            .joined(separator: ", or ")
    }

    /// The duration, or nil when the text is no duration or above the limit.
    package static func read(_ text: String) -> Duration? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, digits.count <= 12, let count = Int64(Substring(digits)),
            let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })
        else { return nil }
        let (seconds, attoseconds) = unit.duration.components
        let duration =
            seconds == 0
            ? Duration.milliseconds(count * (attoseconds / 1_000_000_000_000_000))
            : Duration.seconds(count * seconds)
        return duration <= .seconds(dayCountMax * 86_400) ? duration : nil
    }

    /// The text of a duration, in the largest unit without a remainder.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        // In whole numbers: a quotient of two durations is rounded.
        for unit in units.reversed() where duration >= unit.duration {
            let (whole, part) = unit.duration.components
            if whole > 0, attoseconds == 0, seconds.isMultiple(of: whole) {
                return "\(seconds / whole)\(unit.name)"
            }
            if whole == 0, attoseconds.isMultiple(of: part) {
                return "\(seconds * 1_000 + attoseconds / part)\(unit.name)"
            }
        }
        return duration == .zero ? "0s" : "\(duration)"
    }
}
