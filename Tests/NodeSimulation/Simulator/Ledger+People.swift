import ErrorBus

extension Ledger {
    /// A prompt as it was in front of people.
    struct Shown {
        let id: PresentationID
        let presenter: String
        let time: UInt64
        /// Nil while it is there.
        var hidden: UInt64?
        /// The presenter's process ended while it was there.
        var isCutOff = false
        let origin: String?
        let path: [String]
        /// In which life of the presenter.
        var life = 0
        /// People read that it may have been shown before.
        var isMarked = false
        /// What they read of the same operation's presentations before.
        var retryOf: PresentationID?
        var retryCount = 0
        let options: [String]
        let onExpiry: String?
        /// Whether people read what their caller's process may have kept to itself.
        var hasSecret = false
        let deadline: UInt64?
    }

    /// An answer that an inbox took from a person.
    struct Given {
        let id: PresentationID
        let presenter: String
        let answer: UniqueID
        /// The answer that counts, as the inbox said when it was given once more; nil where it
        /// refused that.
        let counted: UniqueID?
        let by: String
        /// That person's account, where it is known.
        var account: String?
        /// The person who confirmed it.
        var second: String?
        /// What the person gave for the option's fields.
        var values: [String: JSONValue] = [:]
        /// Why the person gave it.
        var comment: String?
        let time: UInt64
        /// For how long it could be taken back.
        let undo: UInt64
        var isUndone = false
        /// Who had claimed the presentation at that time.
        let claimant: String?
        /// In which life of the presenter.
        var life = 0
    }

    /// What a bare client asked for first.
    struct BareAsk {
        let time: UInt64
        let deadline: UInt64?
        let onExpiry: String?
        let parent: String
    }

    struct BareReply {
        let time: UInt64
        var outcome: String
        let option: String?
        /// Why there is no answer, as the document numbers it.
        var code: Int?
        /// Of what a process above carried out.
        var didRecover: Bool?
        var values: [String: String] = [:]
    }

    /// A request of a program without a link, which gets one reply.
    struct Request {
        let id: PresentationID
        let parent: String
        let time: UInt64
        var replied: UInt64?
    }

    /// How an inbox shows a presentation at the end.
    struct Item {
        let id: PresentationID
        let presenter: String
        let answer: UniqueID?
        let result: RecoveryResult?
        /// Why it ended without an answer.
        let closed: Outcome.Reason?
        let isReachable: Bool
        /// It has a secret that was given.
        var hasSecret = false
        /// In which life of the presenter.
        var life = 0
        /// When it was first asked, as people read it.
        var openedAt: UInt64 = 0
        var notes: [String] = []
    }

    /// What a caller asked about; nil for a bare client's.
    func trouble(of id: PresentationID) -> Int? { asks.first { $0.id == id }?.trouble }

    /// The decision of an equal error that an answer to `ask` came from, where equal ones share.
    func shared(_ answer: UniqueID, by ask: Ask, _ plan: Plan) -> Decision? {
        guard plan.coalescer != nil else { return nil }
        return decisions.first { $0.answer.id == answer && trouble(of: $0.id) == ask.trouble }
    }

    /// A program without a link says its last word once: a life of its parent that dies after that
    /// may take it along. Where its time is over it says nothing to a parent that does not know it.
    func saidToADead(_ ask: Ask, _ plan: Plan) -> Bool {
        guard ask.worker == Plan.requester, let end = ask.completions.first?.time else {
            return false
        }
        let parent = plan.processes.first { $0.name == ask.worker }?.parents.first
        let since = ask.hasExpired ? ask.time : end
        return lifeEnds.values.contains { $0.process == parent && $0.time > since }
    }

    /// Its time was over in an earlier life of its process, which gave it up: that is final.
    func wasGivenUp(before ask: Ask) -> Bool {
        asks.contains { other in
            guard let end = other.lifeEnd, let deadline = other.deadline else { return false }
            return other.id == ask.id && end <= ask.time && deadline <= end
        }
    }

    /// The process where equal ones wait was restarted while people had this one, or its origin
    /// went over to that process: there it waited for another, and was completed by that answer.
    func isOvertaken(_ decision: Decision, _ plan: Plan) -> Bool {
        guard let coalescer = plan.coalescer else { return false }
        let isRestarted = plan.isRestarted(coalescer)
        return asks.contains { ask in
            guard ask.id == decision.id, let answer = ask.completions.first?.outcome.answer,
                isRestarted || plan.onlyWay(from: ask.worker) == nil
            else { return false }
            return answer.id != decision.answer.id && shared(answer.id, by: ask, plan) != nil
        }
    }

    /// Whether what is attempted was chosen for an equal error.
    func isShared(_ attempt: Attempt) -> Bool {
        decisions.contains {
            $0.id != attempt.id && trouble(of: $0.id) == trouble(of: attempt.id)
                && $0.answer.option == attempt.option && $0.time <= attempt.time
        }
    }
}
