extension DownlinkVerdict {
    /// The chain's outcome for the hop below. Nil if there is nothing to send: the node stops, and
    /// its children present again.
    ///
    /// - Parameter answerID: The id of the answer for an outcome that has none.
    package init?(
        _ outcome: Outcome, node: NodeName,
        answerID: @autoclosure () -> UniqueID = PresentationID.make().value
    ) {
        let reason = outcome.detail ?? outcome.reason.rawValue
        if let code = outcome.refusalCode.flatMap({ RejectCode(rawValue: $0) }) {
            // With the detail each hop would prepend the number again.
            self = .refused(code, outcome.refusalText ?? reason)
            return
        }
        // A decision is passed down, whatever another node calls its reason.
        guard outcome.decision == nil else {
            self = .decided(Answer(outcome, node: node, id: answerID()))
            return
        }
        switch outcome.reason {
        case .shutDown: return nil
        case .detached: self = .refused(.noResponder, "no responder at \(node) and above")
        case .unreachable: self = .refused(.noResponder, reason)
        case .cycle: self = .refused(.loop, reason)
        case .tooManyHops: self = .refused(.tooManyHops, reason)
        case .busy: self = .refused(.busy, reason)
        case .rejected: self = .refused(.malformed, reason)
        default: self = .decided(Answer(outcome, node: node, id: answerID()))
        }
    }
}

extension Answer {
    fileprivate init(_ outcome: Outcome, node: NodeName, id: @autoclosure () -> UniqueID) {
        let decider = outcome.isRemote ? outcome.decidedBy : node.description
        let answer = outcome.answer
        let decision = outcome.decision
        self.init(
            id: decision?.id ?? id(), option: answer?.option,
            by: answer?.by ?? outcome.spokenBy ?? decider,
            via: decision?.via ?? (outcome.reason == .expired ? .expiry : .handler),
            second: decision?.second,
            didRecover: outcome.didRecover, reason: outcome.reason.rawValue,
            // The values were for the option's owner, which is above the receiver.
            extras: decision?.withoutValues.extras ?? Extras())
        isFromAbove = true
    }
}

extension Outcome {
    /// The outcome of a presentation at the parent when no attempt is left to run here.
    package init(_ ending: UplinkEnding, at node: NodeName) {
        switch ending {
        case .answered(let answer): self.init(above: answer)
        case .refused(let reject): self.init(reject, at: node)
        case .expired: self.init(.expired, at: node, RejectCode.noAnswer)
        case .withdrawn: self.init(.withdrawn, at: node, "the caller gave up")
        case .shutDown: self.init(.shutDown, at: node, "node \(node) is going down")
        case .unreachable(let tried, let isTooSoon, let refusal):
            self.init(.unreachable, at: node, tried)
            self.isTooSoon = isTooSoon
            refusalCode = refusal?.code.rawValue
        }
    }

    private init(_ reason: Reason, at node: NodeName, _ detail: String) {
        self.init(
            didRecover: false, reason: reason, decidedBy: node.description, detail: detail)
    }

    private init(_ reject: Message.Reject, at node: NodeName) {
        let reason: Reason =
            switch reject.code {
            case .noResponder: .detached
            case .loop: .cycle
            case .tooManyHops: .tooManyHops
            case .busy: .busy
            case .deadlinePassed: .expired
            default: .rejected
            }
        self.init(reason, at: node, "\(reject.code.rawValue) \(reject.reason)")
        refusalCode = reject.code.rawValue
        refusalText = reject.reason
        isRemote = true
    }
}

extension Outcome {
    /// The outcome of an error that a process above handled.
    package init(above answer: Answer) {
        let reason = answer.reason.map { Reason(rawValue: $0) }
        self.init(
            didRecover: answer.didRecover ?? false,
            reason: reason ?? (answer.chosen == nil ? .handled : .answered),
            decidedBy: answer.by, answer: answer.plain)
        isRemote = true
    }
}
