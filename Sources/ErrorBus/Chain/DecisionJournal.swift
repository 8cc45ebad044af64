/// Where a presenter node keeps what it decided, across its lives: an answer is in it before it
/// is sent, so that a node that dies in between never asks twice and never answers twice.
package protocol DecisionJournal: Sendable {
    /// What is known of a presentation; nil when it was never shown here.
    ///
    /// - Throws: When what was kept cannot be read, or is not what was written.
    func record(of id: PresentationID) async throws -> DecisionRecord?

    /// It is being put to this node's presenters.
    func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws

    /// It was decided. Durable when this returns. An answer that is recorded is never replaced.
    ///
    /// - Throws: When it cannot be written, as for a full disk, a presentation that was never
    ///   shown, or one for which another answer is recorded.
    func decided(_ id: PresentationID, _ answer: Answer) async throws

    /// What came of the answer. `unknown` may still become a result.
    func settled(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) async throws

    /// It ended without an answer.
    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws
}

/// What a ``DecisionJournal`` knows of one presentation.
package struct DecisionRecord: Hashable, Sendable {
    /// What was asked, and by whom.
    package struct Asked: Hashable, Sendable {
        /// Nil when it arose in the presenter's own process.
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
        /// Shown, in this life or an earlier one.
        case shown
        /// Decided; the result once the option's owner reported one.
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
