public import Logging

/// How a node decides: the decision is written down first, then carried out by the option's
/// owner, then its result is written. One way for people, policies and commands.
public struct Decisions: Sendable {
    /// The pause before a decision that could not be written is tried again.
    private static let pause: Duration = .seconds(1)

    private let decider: String
    private let journal: (any DecisionJournal)?
    private let audit: (any AuditLog)?
    private let logger: Logger

    /// - Parameters:
    ///   - decider: Who decided, in outcomes.
    ///   - journal: Where decisions survive this process; nil where nothing has to.
    ///   - audit: Where what happened is written for people.
    public init(
        by decider: String, journal: (any DecisionJournal)? = nil, audit: (any AuditLog)? = nil,
        logger: Logger
    ) {
        self.decider = decider
        self.journal = journal
        self.audit = audit
        self.logger = logger
    }

    /// Whether decisions survive this process.
    var areRecorded: Bool { journal != nil }

    /// The question is put to a person or a policy.
    func presenting(_ error: any Error, _ id: PresentationID) async {
        audit?.record(AuditEvent(presenting: error, id))
        let question = question(error)
        await attempt("shown", id) { try await $0.shown(id, question) }
    }

    /// No answer came before the deadline. What is declared for that is the origin's to apply.
    func expired(_ error: any Error, _ id: PresentationID) {
        let report = ErrorReport(describing: error)
        audit?.record(
            AuditEvent(
                ending: report, id, .expired, origin: PresentedOrigin.current?.origin, by: decider,
                applied: report.options.first { $0.id == report.onExpiry }?.id))
    }

    private func question(_ error: any Error) -> DecisionRecord.Question {
        let from = PresentedOrigin.current
        return DecisionRecord.Question(
            origin: from?.origin, digest: from?.digest, report: ErrorReport(describing: error))
    }

    /// Writes the answer down, runs what stands behind it, and writes down what came of it.
    ///
    /// While it cannot be written (a full disk) nothing is sent: the answer waits, and the log
    /// says so, until it can be or the presentation is withdrawn. Where the journal has another
    /// answer already, as when one id is presented twice at once, the recorded one counts.
    ///
    /// - Parameter recorded: Called with whether this answer is on record, before anything is done
    ///   about it.
    func carryOut(
        _ answer: Answer, _ error: any Error, _ id: PresentationID,
        recorded: @Sendable (Bool) -> Void = { _ in }
    ) async -> Outcome {
        let entry = await persist(answer, error, id)
        switch entry {
        case nil:
            recorded(false)
            return Outcome(
                didRecover: false, reason: .withdrawn, decidedBy: decider,
                detail: "withdrawn before the answer could be recorded")
        case .written:
            recorded(true)
            audit?.record(AuditEvent(deciding: answer, for: id))
            return await deliver(answer, error, id)
        case .earlier(let answer, let result):
            recorded(false)
            return await restore(answer, result, error, id)
        }
    }

    /// Delivers what is on record. After a restart this node may have died between journal and
    /// ledger, so the ledger gets the decision again.
    ///
    /// - Parameter result: What came of it, once that is known: then nothing is attempted again.
    func restore(
        _ answer: Answer, _ result: RecoveryResult?, _ error: any Error, _ id: PresentationID
    ) async -> Outcome {
        if let result, result != .unknown {
            var outcome = Outcome(answer: answer, result: .remote(result), decidedBy: answer.by)
            outcome.isRemote = true
            return outcome
        }
        audit?.record(AuditEvent(deciding: answer, for: id, isRestored: true))
        return await deliver(answer, error, id)
    }

    /// Runs what stands behind a recorded answer.
    private func deliver(_ answer: Answer, _ error: any Error, _ id: PresentationID) async
        -> Outcome
    {
        // Outside the presentation: what an attempt presents is a question of its own.
        let result = await PresentationContext.$current.withValue(nil) {
            await error.attemptRecovery(answer)
        }
        await settled(id, answer, result.settled)
        return Outcome(answer: answer, result: result, decidedBy: decider)
    }

    /// What came of an answer, now or long after it was given.
    func settled(_ id: PresentationID, _ answer: Answer, _ result: RecoveryResult) async {
        audit?.record(AuditEvent(result, of: answer, for: id))
        await attempt("result", id) { try await $0.settled(id, answer: answer.id, result) }
    }

    /// What came of an answer that an earlier life of this node gave. Only what is on record as
    /// asked by `origin`, and not known yet.
    func settledBefore(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult, of origin: NodeName,
        _ digest: ReportDigest
    ) async {
        guard let (recorded, known) = await recorded(id, origin, digest), recorded.id == answer,
            known == nil || known == .unknown
        else { return }
        await settled(id, recorded, result)
    }

    /// The origin gave up what an earlier life of this node was asked.
    func withdrawnBefore(
        _ id: PresentationID, of origin: NodeName, _ digest: ReportDigest
    ) async {
        guard let (recorded, known) = await recorded(id, origin, digest),
            known == nil || known == .unknown
        else { return }
        await settled(id, recorded, .withdrawn)
    }

    private func recorded(
        _ id: PresentationID, _ origin: NodeName, _ digest: ReportDigest
    ) async -> (Answer, RecoveryResult?)? {
        do {
            guard let record = try await journal?.record(of: id), record.origin == origin,
                record.digest == digest, case .decided(let answer, let result) = record.state
            else { return nil }
            return (answer, result)
        } catch {
            logUnwritten("result", id, error)
            return nil
        }
    }

    /// It ended without an answer.
    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async {
        await attempt("end", id) { try await $0.ended(id, reason) }
    }

    /// What the journal has once an answer was to be written.
    private enum Entry {
        case written
        case earlier(Answer, RecoveryResult?)
    }

    /// Tries until an answer is on disk; nil when the presentation is withdrawn before.
    private func persist(
        _ answer: Answer, _ presented: any Error, _ id: PresentationID
    ) async -> Entry? {
        guard let journal else { return .written }
        while true {
            do {
                return try await write(answer, question(presented), id, to: journal)
            } catch {
                // Withdrawn meanwhile: nothing is wrong with the journal, as far as known.
                if Task.isCancelled { return nil }
                logger.critical(
                    "the answer cannot be recorded and is not sent",
                    metadata: [
                        "id": "\(id)", "option": "\(answer.option)",
                        "problem": "\(ErrorReport(describing: error).description)",
                    ])
            }
            do { try await Task.sleep(for: Self.pause) } catch { return nil }
        }
    }

    private func write(
        _ answer: Answer, _ question: DecisionRecord.Question, _ id: PresentationID,
        to journal: any DecisionJournal
    ) async throws -> Entry {
        do {
            try await journal.decided(id, answer)
        } catch {
            if case .decided(let earlier, let result) = try await journal.record(of: id)?.state,
                earlier.id != answer.id
            {
                return .earlier(earlier, result)
            }
            // It may lack the presentation, if that came while it could not be written.
            try await journal.shown(id, question)
            try await journal.decided(id, answer)
        }
        return .written
    }

    /// Writes what is not a decision: a fault is logged, and nothing waits for it.
    private func attempt(
        _ what: String, _ id: PresentationID,
        _ write: (any DecisionJournal) async throws -> Void
    ) async {
        guard let journal else { return }
        do {
            try await write(journal)
        } catch {
            logUnwritten(what, id, error)
        }
    }

    private func logUnwritten(_ what: String, _ id: PresentationID, _ error: any Error) {
        logger.error(
            "journal: not written",
            metadata: [
                "what": "\(what)", "id": "\(id)",
                "problem": "\(ErrorReport(describing: error).description)",
            ])
    }
}
