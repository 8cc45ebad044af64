import ErrorBus

// Notes on a presentation.
extension InboxScreen {
    /// A note that is being typed.
    struct NoteDraft: Hashable {
        /// The presentation, which may end meanwhile.
        let id: String
        /// The presentation in words that are safe to show.
        let about: String
        var text = ""
    }

    private static var noteMax: Int { ConsoleLimits.noteScalarMax }

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

    mutating func typed(_ before: NoteDraft, _ key: ScreenKey, at now: Moment) -> [Action] {
        var note = before
        message = nil
        switch key {
        case .escape:
            draft = nil
            mode = .list
            return []
        case .enter: return entered(note, at: now)
        case .backspace: note.text = String(note.text.dropLast())
        case .control("u"): note.text = ""
        case .character(let character): note.text.append(character)
        case .paste(let text): note.text += text.prefix { !$0.isNewline }
        default: return []
        }
        if note.text.unicodeScalars.count > Self.noteMax {
            note.text = String(note.text.unicodeScalars.prefix(Self.noteMax))
            say("a note has at most \(Self.noteMax) characters", .yellow, at: now.instant)
        }
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
