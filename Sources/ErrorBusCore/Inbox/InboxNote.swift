/// A note that a person wrote on a presentation, for the other people who see it.
package struct InboxNote: Hashable, Sendable {
    /// The id of the note: repeating it changes nothing.
    package let id: UniqueID
    package let by: String
    /// The text of the note, plain and not escaped.
    package let text: String
    package let at: Moment

    package init(id: UniqueID, by: String, text: String, at: Moment) {
        self.id = id
        self.by = by
        self.text = text
        self.at = at
    }

    /// Whether both notes have the same id, author and text.
    fileprivate func repeats(_ other: InboxNote) -> Bool {
        id == other.id && by == other.by && text == other.text
    }
}

extension InboxMachine {
    /// A person wrote a note, also on a presentation that has ended. Nil when the note is there
    /// already: repeating it changes nothing.
    package mutating func noted(
        _ id: PresentationID, _ note: InboxNote, at now: Moment
    ) throws(InboxRefusal) -> InboxNote? {
        let item = try item(id, at: now)
        if let earlier = item.notes.first(where: { $0.id == note.id }) {
            guard note.repeats(earlier) else { throw .otherNote(by: earlier.by) }
            return nil
        }
        guard item.notes.count < limits.noteMax else {
            throw .tooManyNotes(allowed: limits.noteMax)
        }
        add(note, to: id)
        return note
    }
}
