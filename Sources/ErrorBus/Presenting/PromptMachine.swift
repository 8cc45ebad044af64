/// The life of one prompt: open, then answered once or closed without an answer. The only place
/// that decides which answer counts.
struct PromptMachine: Hashable, Sendable {
    /// How the prompt ended; nil while it is open. Set once.
    private(set) var ending: PromptEnding?
    /// An answer given in time and held so that it can be undone.
    var held: Answer?
    private let offered: [String]

    init(offered: [String]) { self.offered = offered }

    /// The answer that counts; nil before there is one.
    var answer: Answer? {
        if case .answered(let answer) = ending { answer } else { nil }
    }

    /// An answer was given. Returns the answer that counts. The same answer again, by id and
    /// option, returns the recorded one (A23).
    mutating func answered(_ answer: Answer) throws(AnswerRefusal) -> Answer {
        switch ending {
        case nil:
            guard offered.contains(answer.option) else {
                throw .notOffered(option: answer.option, offered: offered)
            }
            ending = .answered(answer)
            return answer
        case .answered(let earlier):
            guard earlier.id == answer.id, earlier.option == answer.option else {
                throw .alreadyAnswered(earlier)
            }
            return earlier
        case .closed(let reason):
            throw .closed(reason)
        }
    }

    /// The prompt ended without an answer. False when it was answered or closed before: that
    /// stands, and so does an answer that is held when the deadline passes.
    mutating func ended(_ reason: Outcome.Reason) -> Bool {
        guard ending == nil else { return false }
        if reason == .expired, let held {
            ending = .answered(held)
            return false
        }
        ending = .closed(reason)
        return true
    }
}

/// How one prompt ended.
enum PromptEnding: Hashable, Sendable {
    case answered(Answer)
    /// Ended without an answer; `declined` when its presenters left it to the next responder.
    case closed(Outcome.Reason)
}
