/// Tells a Return that was meant for this question from one that was on its way when the question
/// took the screen.
struct ReturnPause {
    /// No person reads a question faster.
    static let readingTime: Duration = .seconds(1)

    /// Nil as long as a part of it is not on the screen yet.
    let shownAt: ContinuousClock.Instant?

    /// Whether a line that was read at `time` came too soon to be trusted: a bare Return, which
    /// would take the default whatever the question is. A choice that was typed out names itself.
    func isTooSoon(_ line: String, readAt time: ContinuousClock.Instant) -> Bool {
        line.allSatisfy(\.isWhitespace)
            && shownAt.map { time - $0 < Self.readingTime } ?? true
    }
}
