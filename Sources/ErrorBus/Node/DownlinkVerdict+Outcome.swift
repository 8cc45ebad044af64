extension DownlinkVerdict {
    /// The chain's outcome for the hop below. Nil when there is nothing to send: the node stops,
    /// and its children present again.
    init?(_ outcome: Outcome, node: NodeName) {
        let reason = outcome.detail ?? outcome.reason.rawValue
        if let code = outcome.refusalCode.flatMap({ RejectCode(rawValue: $0) }) {
            // Otherwise each hop would prepend the number again.
            let number = "\(code.rawValue) "
            self = .refused(
                code, reason.hasPrefix(number) ? String(reason.dropFirst(number.count)) : reason)
            return
        }
        // A decision is passed down, whatever another node calls its reason.
        guard outcome.decision == nil else {
            self = .decided(Answer(outcome, node: node))
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
        default: self = .decided(Answer(outcome, node: node))
        }
    }
}

extension Answer {
    fileprivate init(_ outcome: Outcome, node: NodeName) {
        let decider = outcome.isRemote ? outcome.decidedBy : node.description
        let answer = outcome.answer
        let decision = outcome.decision
        self.init(
            id: decision?.id ?? PresentationID.make().value, option: answer?.option,
            by: answer?.by ?? outcome.spokenBy ?? decider,
            via: decision?.via ?? (outcome.reason == .expired ? .expiry : .handler),
            second: decision?.second,
            didRecover: outcome.didRecover, reason: outcome.reason.rawValue,
            // The values were for the option's owner, which is above the receiver.
            extras: decision?.withoutValues.extras ?? Extras())
        isFromAbove = true
    }
}
