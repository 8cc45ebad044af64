@testable import ErrorBus

/// One line of the event log that the checkers read.
enum Fact: Hashable, Sendable {
    enum Ending: Hashable, Sendable {
        case answered(UniqueID, option: String?)
        case decidedAbove(UniqueID, option: String?, reason: String?)
        case refused(RejectCode)
        case expired, unreachable, shutDown
    }

    case started(NodeName, life: Int)
    case died(NodeName, life: Int)
    case presented(PresentationID, by: NodeName, life: Int, deadline: UInt64?, isLink: Bool)
    /// An answer came, or none is waited for any more.
    case stoppedWaiting(PresentationID, by: NodeName, life: Int)
    case completed(PresentationID, by: NodeName, life: Int, Ending, didRecover: Bool)
    /// An option's attempt began at its owner's.
    case attempted(PresentationID, answer: UniqueID, option: String, by: NodeName, life: Int)
    case attemptEnded(PresentationID, answer: UniqueID, didRecover: Bool)
    case alienOption(PresentationID, option: String, by: NodeName)
    case promptOpened(PresentationID, by: NodeName, life: Int)
    case promptClosed(PresentationID, by: NodeName, life: Int)
    /// Whether the origin can be reached, as the person sees it.
    case promptSays(PresentationID, isReachable: Bool, by: NodeName, life: Int)
    /// How an origin reaches a presenter from now on; nil: it does not.
    case wayChanged(of: NodeName, Way?)
    /// A presenter's chain was told that nobody wants an answer any more.
    case takenBack(PresentationID, by: NodeName, life: Int)
    /// What the chain made of an earlier asking ended a later one.
    case staleVerdict(PresentationID, by: NodeName)
    /// The answer is safe in the journal.
    case recorded(PresentationID, answer: UniqueID, option: String, offered: [String], NodeName)
    /// The presenter hands the answer to its downlink.
    case released(PresentationID, answer: UniqueID, NodeName)
    /// The presenter was told what came of it.
    case settled(PresentationID, answer: UniqueID, RecoveryResult, NodeName)
    /// A machine ended an asking that had ended.
    case endedTwice(PresentationID, by: NodeName)
    /// A machine is due again at once, over and over.
    case spinning(NodeName)
    case miscounted(NodeName, String)
    case codecBroken(String)
}
