extension DownlinkVerdict {
    /// What the hop below gets of the chain's outcome. Nil when there is nothing to say: the
    /// node is going down, and its children ask again.
    init?(_ outcome: Outcome, id: PresentationID, node: NodeName) {
        let reason = outcome.detail ?? outcome.reason.rawValue
        if let code = outcome.refusalCode.flatMap({ RejectCode(rawValue: $0) }) {
            // Each hop would put the number in front once more.
            let number = "\(code.rawValue) "
            self = .refused(
                code, reason.hasPrefix(number) ? String(reason.dropFirst(number.count)) : reason)
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
        default: self = .decided(Message.Decision(outcome, id: id, node: node))
        }
    }
}

extension Message.Decision {
    fileprivate init(_ outcome: Outcome, id: PresentationID, node: NodeName) {
        let decider = outcome.isRemote ? outcome.decidedBy : node.description
        let answer = outcome.answer
        let above = outcome.handledAbove
        self.init(
            id: id, answer: answer?.id ?? above?.decision ?? PresentationID.make().value,
            by: answer?.by ?? outcome.spokenBy ?? decider,
            via: answer?.via ?? above?.via ?? (outcome.reason == .expired ? .expiry : .handler),
            option: answer?.option, didRecover: outcome.didRecover,
            reason: outcome.reason.rawValue,
            extras: answer?.extras ?? above?.extras ?? AnswerExtras())
    }
}

extension Message.Pending.State {
    init(_ station: PresentationState.Station) {
        self =
            switch station {
            case .relayed: .relayed
            case .queued: .queued
            case .presented: .presented
            case .claimed: .claimed
            case .unreachable: .unreachable
            }
    }
}

extension PresentationState.Station {
    init(_ state: Message.Pending.State) {
        self =
            switch state {
            case .relayed: .relayed
            case .queued: .queued
            case .presented: .presented
            case .claimed: .claimed
            case .unreachable: .unreachable
            }
    }
}
