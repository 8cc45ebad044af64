/// The decisions of a presenter node, kept across restarts. The node writes an answer before it
/// sends it, so a node that dies in between neither asks nor answers twice.
///
/// A fault that is no ``LastingFault`` may pass, like a full disk: presentations wait meanwhile.
package protocol DecisionJournal: Sendable {
    /// The record of a presentation; nil when it was never shown here.
    ///
    /// - Throws: When the record cannot be read, or differs from what was written.
    func record(of id: PresentationID) async throws -> DecisionRecord?

    /// Records that this node's presenters get a presentation.
    func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws

    /// Records the answer, which comes without its secrets. Durable when this returns. A recorded
    /// answer is never replaced, unless it was ``lost(_:answer:)``.
    ///
    /// - Throws: When the answer cannot be written: the disk is full, the presentation was never
    ///   shown, or another answer is recorded for it.
    func decided(_ id: PresentationID, _ answer: Answer) async throws

    /// Records the result of the answer. `unknown` may later be replaced by a result.
    func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) async throws

    /// Drops this answer if it has no result or `unknown`: its secrets are gone, so that the node
    /// cannot deliver it. The presentation counts as shown.
    func lost(_ id: PresentationID, answer: UniqueID) async throws

    /// Records an end without an answer; `declined` when the presenters here passed it on.
    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws

    /// Whether so much waits for the journal that children should send nothing more for now.
    var isBehind: Bool { get }

    /// Calls a closure, on any thread, each time that the journal has caught up.
    func onCaughtUp(_ call: @escaping @Sendable () -> Void)
}

extension DecisionJournal {
    package var isBehind: Bool { false }

    package func onCaughtUp(_ call: @escaping @Sendable () -> Void) {}
}

/// A fault of a journal that a repetition cannot mend, such as a damaged record.
package protocol LastingFault: Error {}

/// The entry of one presentation in a ``DecisionJournal``.
package struct DecisionRecord: Hashable, Sendable {
    /// The report of a presentation and the peer that sent it.
    package struct Asked: Hashable, Sendable {
        /// The node that the error arose in; nil in the presenter's own process.
        package var origin: NodeName?
        package var digest: ReportDigest?
        package var report: ErrorReport

        package init(origin: NodeName?, digest: ReportDigest?, report: ErrorReport) {
            self.origin = origin
            self.digest = digest
            self.report = report
        }
    }

    package enum State: Hashable, Sendable {
        /// Shown, in this life of the node or an earlier one.
        case shown
        /// Answered, with the result once the option's owner has reported one.
        case decided(Answer, RecoveryResult?)
        case ended(Outcome.Reason)
    }

    package let origin: NodeName?
    package let digest: ReportDigest?
    package let state: State

    package init(origin: NodeName?, digest: ReportDigest?, state: State) {
        self.origin = origin
        self.digest = digest
        self.state = state
    }
}
