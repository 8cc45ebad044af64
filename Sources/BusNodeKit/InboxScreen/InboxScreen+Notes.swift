import ErrorBus
import Foundation

// Notes on a presentation, the comment on an answer to it, and the person to whom it is handed.
extension InboxScreen {
    /// A note, a comment or a name that is being typed.
    struct NoteDraft: Hashable {
        /// The id of the presentation, which may end meanwhile.
        let id: String
        /// The presentation in words that are safe to show.
        let about: String
        var kind = Kind.note
        var text = ""

        enum Kind: Hashable {
            case note
            /// A comment, which goes with the next answer of this person.
            case comment
            /// The name of the person to whom the claim is handed.
            case receiver
        }

        /// The label of the line: the kind of text and its presentation.
        var label: String {
            switch kind {
            case .note: "Note on \(about)"
            case .comment: "Comment on your answer to \(about)"
            case .receiver: "Hand over \(about), to"
            }
        }

        /// The effect of Return.
        var effect: String {
            switch kind {
            case .note: "write"
            case .comment: "keep"
            case .receiver: "hand over"
            }
        }

        private static let noteMax = ConsoleLimits.noteScalarMax
        private static let commentMax = ErrorReport.Limits.commentByteCount

        /// Cuts a text that is too long; returns the limit in words if it was.
        fileprivate mutating func cut() -> String? {
            let whole = text
            let limit: String
            switch kind {
            case .note:
                text = String(text.unicodeScalars.prefix(Self.noteMax))
                limit = "a note has at most \(Self.noteMax) characters"
            case .comment:
                while text.utf8.count > Self.commentMax { text.unicodeScalars.removeLast() }
                limit = "a comment has at most \(Self.commentMax) bytes"
            case .receiver:
                text = String(text.unicodeScalars.prefix(ConsoleLimits.nameScalarMax))
                limit = "a name has at most \(ConsoleLimits.nameScalarMax) characters"
            }
            return text.utf8.count < whole.utf8.count ? limit : nil
        }
    }

    /// Begins a note on the presentation at the cursor, or goes on with a refused note.
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
        let new = NoteDraft(id: entry.id, about: entry.description.shown(), kind: .comment)
        message = nil
        mode = .note(comment.flatMap { $0.id == entry.id ? $0 : nil } ?? new)
    }

    /// Begins the name of the person to whom the claim at the cursor is handed.
    mutating func beginHandOver(at now: Moment) {
        guard let row = chosenRow, let entry = entries[row.id] else { return }
        guard entry.isOpen else { return say("no longer open", .yellow, at: now.instant) }
        let place = row.isGroup ? "the group of " : ""
        message = nil
        mode = .note(
            NoteDraft(id: entry.id, about: place + entry.description.shown(), kind: .receiver))
    }

    /// The comment that this person has typed for an answer to a presentation.
    func typedComment(on id: String) -> String? {
        comment.flatMap { $0.id == id ? $0.text : nil }
    }

    mutating func typed(_ before: NoteDraft, _ key: ScreenKey, at now: Moment) -> [Action] {
        var note = before
        message = nil
        switch key {
        case .escape:
            if note.kind == .note { draft = nil }
            mode = .list
            return []
        case .enter:
            switch note.kind {
            case .note: return entered(note, at: now)
            case .comment: comment = note.text.allSatisfy(\.isWhitespace) ? nil : note
            case .receiver: return handOver(note, at: now)
            }
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

    /// Hands the claim over, unless its presentation is no longer at the cursor.
    private mutating func handOver(_ draft: NoteDraft, at now: Moment) -> [Action] {
        let name = draft.text.trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else {
            say("a claim is handed to a person: type a name", .yellow, at: now.instant)
            return []
        }
        mode = .list
        guard chosenRow?.id == draft.id else {
            say("no longer open: nothing was sent", .yellow, at: now.instant)
            return []
        }
        return claim(takeOver: false, to: name, at: now)
    }

    mutating func noteWritten(at now: ContinuousClock.Instant) {
        draft = nil
        say("note written", .green, at: now)
    }

    /// Keeps a refused note, to be sent again or changed: on the screen at once, unless another key
    /// was pressed meanwhile.
    mutating func noteFailed() {
        if mode == .list, let draft { mode = .note(draft) }
    }
}
