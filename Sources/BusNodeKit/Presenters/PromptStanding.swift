/// How a prompt stands on the screen: decides whether a line was typed for it.
struct PromptStanding {
    /// The value of the marks of lines that begin while it is there.
    let mark: Int
    /// When it became visible first; nil while it is not.
    let began: ContinuousClock.Instant?
    /// When it was visible whole, as it stands there now: later than `began` where it was written
    /// again. Nil while part of it is not on the screen yet.
    let ended: ContinuousClock.Instant?
    /// False for input from a pipe, which does not wait for the screen.
    let isTerminal: Bool

    /// The text of a line that counts.
    ///
    /// - Parameter isConfirmation: Whether a word is asked for that no Return stands for.
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

/// Why a line does not count for the prompt on the screen.
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

/// Distinguishes a Return for this prompt from one that was pressed before it was visible.
struct ReturnPause {
    /// Shorter than the time to read any prompt.
    static let readingTime: Duration = .seconds(1)

    /// Nil while part of the prompt is not on the screen yet.
    let shownAt: ContinuousClock.Instant?

    /// Whether a line read at `time` came too soon: only for bare Return, which chooses the default
    /// of any prompt. A typed option names itself.
    func isTooSoon(_ line: String, readAt time: ContinuousClock.Instant) -> Bool {
        line.allSatisfy(\.isWhitespace)
            && shownAt.map { time - $0 < Self.readingTime } ?? true
    }
}
