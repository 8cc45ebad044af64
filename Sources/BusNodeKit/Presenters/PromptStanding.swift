/// The standing of a prompt on the screen, which decides whether a line was typed for it.
struct PromptStanding {
    /// The value of the marks of lines that begin while the prompt is there.
    let mark: Int
    /// The time at which the prompt became visible first; nil while it is not.
    let began: ContinuousClock.Instant?
    /// The time at which the prompt was visible whole, as it stands there now: later than `began`
    /// if it was written again. Nil while part of it is not on the screen yet.
    let ended: ContinuousClock.Instant?
    /// Whether the input is a terminal; false for a pipe, which does not wait for the screen.
    let isTerminal: Bool

    /// The text of a line that counts.
    ///
    /// - Parameter isConfirmation: Whether the line has to be a word, for which Return alone does
    ///   not stand.
    func taken(
        _ line: InputLines.Line, isConfirmation: Bool
    ) throws(LineRefusal) -> String {
        let isNew = !isTerminal || began.map { line.start.at >= $0 } ?? false
        guard isNew, line.start.mark == mark else { throw .typedBefore }
        guard let text = line.text else { throw .tooLong }
        let pause = ReturnPause(shownAt: ended)
        guard isConfirmation || !pause.isTooSoon(text, readAt: line.start.at) else {
            throw .returnTooSoon
        }
        return text
    }
}

/// The reason why a line does not count for the prompt on the screen.
enum LineRefusal: Error, CustomStringConvertible {
    case typedBefore, tooLong, returnTooSoon

    var description: String {
        switch self {
        case .typedBefore: "typed before this prompt appeared"
        case .tooLong: "the line is too long; inbox answer --value-file takes long values"
        case .returnTooSoon:
            "Return came as this prompt appeared; press it again after a second to confirm"
        }
    }
}

/// The pause that distinguishes a Return for this prompt from one that was pressed before it was
/// visible.
struct ReturnPause {
    /// The least time on the screen before a Return counts, shorter than the time to read any
    /// prompt.
    static let readingTime: Duration = .seconds(1)

    /// The time at which the prompt was shown whole; nil while part of it is not on the screen yet.
    let shownAt: ContinuousClock.Instant?

    /// Whether a line read at `time` came too soon: only bare Return can, since it chooses the
    /// default of any prompt. A typed option names itself.
    func isTooSoon(_ line: String, readAt time: ContinuousClock.Instant) -> Bool {
        line.allSatisfy(\.isWhitespace)
            && shownAt.map { time - $0 < Self.readingTime } ?? true
    }
}
