/// The life of one prompt: open, then answered once or closed unanswered. Decides which answer
/// counts; nothing else may.
struct PromptMachine: Hashable, Sendable {
    /// How the prompt ended; nil while it is open. Set once.
    private(set) var ending: PromptEnding?
    /// Given, and kept back so that it can be taken back; it was given in time.
    var held: Answer?
    private let offered: [String]

    init(offered: [String]) { self.offered = offered }

    /// The answer that counts, once there is one.
    var answer: Answer? {
        if case .answered(let answer) = ending { answer } else { nil }
    }

    /// An answer was given. Returns the one that counts: the same answer again, by id and option,
    /// is acknowledged with what was recorded (A23).
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

    /// The prompt ended without an answer. False when it was answered or closed before: the
    /// answer stands, whatever came later. So does one that is kept back when the time is over.
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
    /// Unanswered; `declined` when its presenters left it to the next responder.
    case closed(Outcome.Reason)
}
