/// A follower of the events of a node's presentations, such as the node's ledger.
public protocol AuditLog: Sendable {
    /// Called in the order of events, from any thread. Must not wait for long.
    func record(_ event: PresentationEvent)
}

/// An event of a presentation in this node.
public struct PresentationEvent: Hashable, Sendable {
    /// The event, with its values.
    public enum What: Hashable, Sendable {
        /// The presentation began: this process is its origin.
        case reported(ErrorReport)
        /// The error was put to this node's presenters.
        ///
        /// - Parameters:
        ///   - origin: The process that presents the error; nil: this one.
        ///   - path: The nodes that the presentation came through.
        case presented(ErrorReport, origin: NodeName?, path: [NodeName])
        /// The decision, recorded before it is carried out.
        ///
        /// - Parameter isRestored: The decision was made before a restart; the journal had it.
        case decided(Answer, isRestored: Bool)
        /// The result that the option's owner reported.
        case settled(RecoveryResult, of: Answer)
        /// The presentation ended here without an answer: withheld or expired.
        ///
        /// - Parameters:
        ///   - by: The responder, silence or node that ended it.
        ///   - applied: The option that the origin then applies.
        case ended(
            ErrorReport, Outcome.Reason, origin: NodeName?, by: String, applied: String? = nil)
        /// The caller in this process got its outcome.
        case completed(Outcome)
    }

    /// The id of the presentation.
    public let id: PresentationID
    /// The event, with its values.
    public let what: What

    /// An event for tests of an ``AuditLog``; in production a node makes it.
    public init(_ id: PresentationID, _ what: What) {
        self.id = id
        self.what = what
    }
}

extension PresentationEvent.What {
    /// The error is put to this node's presenters. Not inlined, for the callers that wait.
    @inline(never)
    static func presenting(_ error: any Error, in context: PresentationContext) -> Self {
        let present = context.received?.present
        return .presented(
            ErrorReport(describing: error), origin: present?.origin, path: present?.path ?? [])
    }
}
