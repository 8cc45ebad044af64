import ErrorBus

// Notes on a presentation, and the comment on an answer to it.
extension InboxScreen {
    /// A note or a comment that is being typed.
    struct NoteDraft: Hashable {
        /// The presentation, which may end meanwhile.
        let id: String
        /// The presentation in words that are safe to show.
        let about: String
        /// Whether it goes with the next answer of this person.
        var isComment = false
        var text = ""

        private static let noteMax = ConsoleLimits.noteScalarMax
        private static let commentMax = ErrorReport.Limits.commentByteCount

        /// Cuts what is too long; returns the limit in words where it was.
        fileprivate mutating func cut() -> String? {
            let whole = text
            if isComment {
                while text.utf8.count > Self.commentMax { text.unicodeScalars.removeLast() }
            } else {
                text = String(text.unicodeScalars.prefix(Self.noteMax))
            }
            guard text.utf8.count < whole.utf8.count else { return nil }
            return isComment
                ? "a comment has at most \(Self.commentMax) bytes"
                : "a note has at most \(Self.noteMax) characters"
        }
    }

    /// Begins a note on the presentation at the cursor, or goes on with one that was refused.
    mutating func beginNote(at now: Moment) {
        guard let row = chosenRow, let entry = entries[row.id] else { return }
        guard !isBusy else {
            return say("one moment: the last request is on its way", .yellow, at: now.instant)
        }
        let place = row.isGroup ? "the first of \(row.count), " : ""
        let new = NoteDraft(id: entry.id, about: place + entry.description.shown())
        message = nil
        mode = .note(draft.flatMap { $0.id == entry.id ? $0 : nil } ?? new)
    }

    /// Begins the comment on an answer to the presentation at the cursor, or goes on with it.
    mutating func beginComment(at now: Moment) {
        guard let row = chosenRow, let entry = entries[row.id] else { return }
        guard entry.isOpen else { return say("no longer open", .yellow, at: now.instant) }
        let new = NoteDraft(id: entry.id, about: entry.description.shown(), isComment: true)
        message = nil
        mode = .note(comment.flatMap { $0.id == entry.id ? $0 : nil } ?? new)
    }

    /// What this person has typed as the comment on an answer to a presentation.
    func typedComment(on id: String) -> String? {
        comment.flatMap { $0.id == id ? $0.text : nil }
    }

    mutating func typed(_ before: NoteDraft, _ key: ScreenKey, at now: Moment) -> [Action] {
        var note = before
        message = nil
        switch key {
        case .escape:
            if !note.isComment { draft = nil }
            mode = .list
            return []
        case .enter:
            guard note.isComment else { return entered(note, at: now) }
            comment = note.text.allSatisfy(\.isWhitespace) ? nil : note
            mode = .list
            return []
        case .backspace: note.text = String(note.text.dropLast())
        case .control("u"): note.text = ""
        case .character(let character): note.text.append(character)
        case .paste(let text): note.text += text.prefix { !$0.isNewline }
        default: return []
        }
        if let limit = note.cut() { say(limit, .yellow, at: now.instant) }
        mode = .note(note)
        return []
    }

    private mutating func entered(_ note: NoteDraft, at now: Moment) -> [Action] {
        if case .lost = link {
            say("no link to the console: nothing can be sent now", .yellow, at: now.instant)
        } else if isBusy {
            say("one moment: the last request is on its way", .yellow, at: now.instant)
        } else if note.text.allSatisfy(\.isWhitespace) {
            say("a note needs a text", .yellow, at: now.instant)
        } else {
            isBusy = true
            draft = note
            mode = .list
            return [.send(.note(id: note.id, text: note.text))]
        }
        return []
    }

    mutating func noteWritten(at now: ContinuousClock.Instant) {
        draft = nil
        say("note written", .green, at: now)
    }

    /// What was typed stays, to be sent again or changed: at once, unless another key was pressed
    /// meanwhile.
    mutating func noteFailed() {
        if mode == .list, let draft { mode = .note(draft) }
    }
}
