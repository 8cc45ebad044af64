/// What a ``DownlinkMachine`` wants done.
enum DownlinkAction: Hashable, Sendable {
    case send(Message, to: PeerID)
    case reply(BareReply, to: PeerID)
    /// A child asks: hand it to the node's chain.
    case offer(DownlinkOffer)
    /// No child wants the answer any more: take the error back from the chain.
    case cancel(PresentationID, generation: Int, reason: Outcome)
    /// What came of the answer that the chain gave. May come again: `unknown` can still become a
    /// result when the child returns.
    case settled(PresentationID, answer: UniqueID, RecoveryResult)
    /// What came of an answer that is not known here: for the node that decided.
    case passOn(Message.Settled)
    /// The origin has given up what is not known here: for the nodes above.
    case passOnWithdrawal(PresentationID, Message.Asked)
    /// The origin has given up what had ended here before without its word.
    case withdrawnForGood(PresentationID)
    /// The asker cannot be reached, or can again.
    case reachable(PresentationID, Bool)
    case childUp(NodeName)
    case childDown(NodeName, reason: String)
    case dropped(Anomaly)
    /// A peer asked how the node is: send STATE.
    case tellState(to: PeerID)

    /// Why an entry was taken back from the chain.
    enum Outcome: String, Hashable, Sendable {
        case withdrawn, abandoned, expired, shutDown
    }
}

/// A presentation for the chain.
struct DownlinkOffer: Hashable, Sendable {
    let generation: Int
    let present: Message.Present
    let deadline: MonotonicTime?
}

/// How the chain's work on a presentation ended without its child's own options being run.
enum DownlinkVerdict: Hashable, Sendable {
    /// Dealt with above: the child attempts nothing.
    case decided(Message.Decision)
    case refused(RejectCode, String)
}
