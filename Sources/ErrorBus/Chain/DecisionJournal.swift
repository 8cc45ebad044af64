/// Where a presenter node keeps what it decided, across its lives: an answer is in it before it
/// is sent, so that a node that dies in between never asks twice and never answers twice.
public protocol DecisionJournal: Sendable {
    /// What is known of a presentation; nil when it was never shown here.
    ///
    /// - Throws: When what was kept cannot be read, or is not what was written.
    func record(of id: PresentationID) async throws -> DecisionRecord?

    /// It is being put to this node's presenters.
    func shown(_ id: PresentationID, _ question: DecisionRecord.Question) async throws

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
public struct DecisionRecord: Hashable, Sendable {
    /// What was asked, and by whom.
    public struct Question: Hashable, Sendable {
        /// Nil when it arose in the presenter's own process.
        public var origin: NodeName?
        public var digest: ReportDigest?
        public var report: ErrorReport

        public init(origin: NodeName?, digest: ReportDigest?, report: ErrorReport) {
            self.origin = origin
            self.digest = digest
            self.report = report
        }
    }

    public enum State: Hashable, Sendable {
        /// Shown, in this life or an earlier one.
        case shown
        /// Decided; the result once the option's owner reported one.
        case decided(Answer, RecoveryResult?)
        case ended(Outcome.Reason)
    }

    public let origin: NodeName?
    public let digest: ReportDigest?
    public let state: State

    public init(origin: NodeName?, digest: ReportDigest?, state: State) {
        self.origin = origin
        self.digest = digest
        self.state = state
    }
}
