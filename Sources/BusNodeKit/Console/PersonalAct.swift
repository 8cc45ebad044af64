import ErrorBus

/// An act of a person at a console, other than an answer.
enum PersonalAct: Hashable, Sendable {
    case claim(until: Moment), release, undo
    /// Handed a claim to another person.
    case handOver(to: String, until: Moment)
    /// Made a silence, or ended one early.
    case silence(Silence), silenceEnd(Silence)
    /// Chose an option, whose answer is held for an undo.
    case leaving(option: String)
    /// Chose an option that needs two people, as the first person.
    case propose(option: String)
    /// Confirmed the proposal of another person.
    case confirm(option: String, of: String)
    /// Withdrew the own proposal, or declined that of another person.
    case decline(option: String, of: String)
    /// Wrote a note on the presentation.
    case note(InboxNote)
    /// Sent a message of a hook again.
    case resend(DeadLetter)
    /// Answered by a link of a hook's message.
    case link(option: String, hook: NodeName)
    /// Saved a new view for everyone, replaced a view, or removed one.
    case saveView(ViewRow), replaceView(ViewRow), removeView(String)

    /// A claim of its author, or of the receiver to whom it was handed.
    static func claiming(until: Moment, for receiver: String?) -> PersonalAct {
        receiver.map { PersonalAct.handOver(to: $0, until: until) } ?? .claim(until: until)
    }

    var word: String {
        switch self {
        case .claim: "claim"
        case .handOver: "handOver"
        case .release: "release"
        case .undo: "undo"
        case .leaving: "leaving"
        case .propose: "propose"
        case .confirm: "confirm"
        case .decline: "decline"
        case .silence: "silence"
        case .silenceEnd: "silenceEnd"
        case .note: "note"
        case .resend: "resend"
        case .link: "link"
        case .saveView: "saveView"
        case .replaceView: "replaceView"
        case .removeView: "removeView"
        }
    }

    func fields(_ person: String) -> [String: String] {
        switch self {
        case .release, .undo: return ["by": person]
        case .claim(let until): return ["by": person, "until": TimeText.text(until.date)]
        case .handOver(let receiver, let until):
            return ["by": person, "to": receiver, "until": TimeText.text(until.date)]
        case .leaving(let option), .propose(let option):
            return ["by": person, "option": option]
        case .confirm(let option, let proposer), .decline(let option, let proposer):
            return ["by": person, "option": option, "proposedBy": proposer]
        case .silence(let silence), .silenceEnd(let silence):
            var fields = [
                "by": person, "silence": String(silence.number),
                "match": String(decoding: silence.request.pattern.encoded(), as: UTF8.self),
                "until": TimeText.text(silence.endsAt.date), "comment": silence.request.comment,
            ]
            fields["option"] = silence.request.option
            return fields
        case .note(let note):
            return ["by": person, "note": note.id.description, "text": note.text]
        case .resend(let letter):
            return [
                "by": person, "letter": String(letter.number), "hook": letter.hook.description,
                "message": letter.failed.message.id,
            ]
        case .link(let option, let hook):
            return ["by": person, "option": option, "hook": hook.description]
        case .saveView(let view), .replaceView(let view):
            return [
                "by": person, "view": view.name, "filter": view.filter, "sort": view.sort,
                "show": view.show,
            ]
        case .removeView(let name): return ["by": person, "view": name]
        }
    }

    /// - Parameter report: The report of the presentation, if it is known.
    func sentence(_ person: String, of report: ErrorReport?) -> String {
        func named(_ option: String) -> String { ErrorReport.name(of: option, in: report) }
        return switch self {
        case .claim: "Claimed by \(person)"
        case .handOver(let receiver, _): "Handed to \(receiver) by \(person)"
        case .release: "Released by \(person)"
        case .undo: "Taken back by \(person)"
        case .leaving(let option): "\(person) chose \(named(option)), held back to undo"
        case .propose(let option): "\(person) proposes \(named(option)), which needs two people"
        case .confirm(let option, let proposer):
            "\(person) confirms \(named(option)), proposed by \(proposer)"
        case .decline(let option, person): "\(person) withdraws the proposal \(named(option))"
        case .decline(let option, let proposer):
            "\(person) declines \(named(option)), proposed by \(proposer)"
        case .silence(let silence):
            "Silence \(silence.number) made by \(person): \(silence.request.comment)"
        case .silenceEnd(let silence): "Silence \(silence.number) ended by \(person)"
        case .note(let note): "Note by \(person): \(note.text)"
        case .resend(let letter):
            "Undelivered message \(letter.number) of hook \(letter.hook) sent again by \(person)"
        case .link(let option, let hook):
            "\(person) chose \(named(option)) by a link in a message of hook \(hook)"
        case .saveView(let view): "View \(view.name) saved for everyone by \(person)"
        case .replaceView(let view): "View \(view.name) for everyone replaced by \(person)"
        case .removeView(let name): "View \(name) for everyone removed by \(person)"
        }
    }
}
