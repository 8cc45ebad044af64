import Foundation

/// The reason why an inbox refused an action of a person. The inbox is unchanged.
package enum InboxRefusal: Error, Hashable, Sendable {
    /// The presentation was never here, or ended too long ago to be kept.
    case unknown(PresentationID)
    case unknownGroup(Int)
    case notOffered(option: String, offered: [String])
    /// The option needs the signature of this node, which is no signer of its topology.
    case cannotSign(option: String)
    /// The option needs two people, and no sign-in proves who the sender is.
    case needsTwoPeople(option: String)
    /// A value is missing, or is not one of the option's field.
    case badValue(option: String, FieldFault)
    /// A person has proposed an option, which another person has to confirm or decline first.
    case proposed(InboxProposal)
    /// The open proposal is not one of the proposals that the person confirms.
    case otherProposal(InboxProposal)
    /// The proposal is gone: withdrawn, declined, too old, or replaced by another one.
    case noProposal
    /// The person who proposed it cannot confirm it.
    case samePerson(String)
    /// The presentation is already answered.
    case answered(Answer, at: Moment)
    /// Another person has claimed the presentation.
    case claimed(by: String, until: Moment)
    /// The presentation ended without an answer.
    case closed(Outcome.Reason, at: Moment)
    /// The inbox holds no answer: none was given, or it was sent.
    case nothingToUndo
    /// This answer was undone before; its repetition is a mistake of the client.
    case takenBack
    /// The presentation already has the most notes allowed.
    case tooManyNotes(allowed: Int)
    /// Another answer has this id: one of another person, to another presentation, or with another
    /// option, values or comment.
    case otherAnswer(by: String)
    /// Another note has this id.
    case otherNote(by: String)
    /// The requested value is above a limit.
    case tooLong(what: String, allowed: Duration)
}

extension InboxRefusal {
    /// The refusal of a prompt, as a person sees it.
    package init(_ refusal: AnswerRefusal, at time: Moment) {
        self =
            switch refusal {
            case .alreadyAnswered(let winner): .answered(winner, at: time)
            case .closed(let reason): .closed(reason, at: time)
            case .notOffered(let option, let offered):
                .notOffered(option: option, offered: offered)
            case .cannotSign(let option): .cannotSign(option: option)
            case .needsTwoPeople(let option): .needsTwoPeople(option: option)
            case .badValue(let option, let fault): .badValue(option: option, fault)
            }
    }
}

extension InboxRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let id): "no presentation \(id) here; it may have ended long ago"
        case .unknownGroup(let number): "no group \(number) is open; it may have been answered"
        case .notOffered(let option, let offered):
            AnswerRefusal.notOffered(option: option, offered: offered).description
        case .cannotSign(let option): AnswerRefusal.cannotSign(option: option).description
        case .needsTwoPeople(let option):
            "option \"\(option)\" needs two people, and this console knows none by their sign-in; "
                + "give it `users` (bus-node users add), or answer at a console that has them"
        case .badValue(let option, let fault):
            AnswerRefusal.badValue(option: option, fault).description
        case .proposed(let proposal):
            "\(proposal.by) proposes \"\(proposal.option)\" until "
                + "\(proposal.until.date.ISO8601Format()); another person has to confirm it, or "
                + "decline it first"
        case .otherProposal(let proposal):
            "\(proposal.by) proposes \"\(proposal.option)\", which is not what you confirmed; read "
                + "it, then confirm or decline it"
        case .noProposal:
            "no such proposal is open here; it may have been withdrawn or declined, or have expired"
        case .samePerson(let person):
            "you proposed it, as \(person): another person has to confirm it"
        case .answered(let answer, let at):
            "\(AnswerRefusal.alreadyAnswered(answer)) at \(at.date.ISO8601Format())"
        case .claimed(let by, let until):
            "claimed by \(by) until \(until.date.ISO8601Format()); take the claim over first"
        case .closed(let reason, let at):
            "\(AnswerRefusal.closed(reason)) at \(at.date.ISO8601Format())"
        case .nothingToUndo: "nothing to undo: it is not answered, or the answer has left"
        case .takenBack: "this answer was taken back; give another one, under an id of its own"
        case .tooManyNotes(let allowed):
            "notes: the limit of \(allowed) on one presentation is reached; this one was not added"
        case .otherAnswer(let by):
            "another answer, by \(by), has this id; give each answer an id of its own"
        case .otherNote(let by):
            "another note, by \(by), has this id; give each note an id of its own"
        case .tooLong(let what, let allowed):
            "\(what) may last at most \(allowed.components.seconds) s"
        }
    }
}
