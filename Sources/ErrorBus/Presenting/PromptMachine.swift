/// The life of one question: open, then answered once or closed unanswered. Decides which answer
/// counts; nothing else may.
struct PromptMachine: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        /// Becomes answered or closed.
        case open
        /// Final.
        case answered(Answer)
        /// Final.
        case closed(Outcome.Reason)
    }

    private var state = State.open
    /// Given, and kept back so that it can be taken back; it was given in time.
    var held: Answer?
    private let offered: [String]

    init(offered: [String]) { self.offered = offered }

    /// How the question ended; nil while it is open.
    var ending: PromptEnding? {
        switch state {
        case .open: nil
        case .answered(let answer): .answered(answer)
        case .closed(let reason): .closed(reason)
        }
    }

    /// The answer that counts, once there is one.
    var answer: Answer? {
        if case .answered(let answer) = state { answer } else { nil }
    }

    /// An answer was given. Returns the one that counts: the same answer again, by id and option,
    /// is acknowledged with what was recorded (A23).
    mutating func answered(_ answer: Answer) throws(AnswerRefusal) -> Answer {
        switch state {
        case .open:
            guard offered.contains(answer.option) else {
                throw .notOffered(option: answer.option, offered: offered)
            }
            state = .answered(answer)
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

    /// The question ended without an answer. False when it was answered or closed before: the
    /// answer stands, whatever came later. So does one that is kept back when the time is over.
    mutating func ended(_ reason: Outcome.Reason) -> Bool {
        guard state == .open else { return false }
        if reason == .expired, let held {
            state = .answered(held)
            return false
        }
        state = .closed(reason)
        return true
    }
}
