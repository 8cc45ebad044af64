import Logging
import Synchronization

/// How a node decides: the decision is written down first, then carried out by the option's
/// owner, then its result is written. One way for people, policies and commands.
struct Decisions: Sendable {
    /// The pause before a decision that could not be written is tried again.
    private static let pause: Duration = .seconds(1)

    private let decider: String
    private let journal: (any DecisionJournal)?
    private let audit: (any AuditLog)?
    private let unwritten: UnwrittenResults
    private let logger: Logger

    /// - Parameters:
    ///   - decider: Who decided, in outcomes.
    ///   - journal: Where decisions survive this process; nil where nothing has to.
    ///   - audit: Where what happened is written for people.
    ///   - unwrittenMax: How many results wait at most for a journal that does not take them.
    init(
        by decider: String, journal: (any DecisionJournal)? = nil, audit: (any AuditLog)? = nil,
        logger: Logger, unwrittenMax: Int = 16_384
    ) {
        self.decider = decider
        self.journal = journal
        self.audit = audit
        self.logger = logger
        unwritten = UnwrittenResults(max: unwrittenMax)
    }

    /// Whether decisions survive this process.
    var areRecorded: Bool { journal != nil }

    /// The error is put to a person or a policy.
    func presenting(_ error: any Error, in context: PresentationContext) async {
        let present = context.received?.present
        record(
            .presented(
                ErrorReport(describing: error), origin: present?.origin, path: present?.path ?? []),
            of: context.id)
        let asked = asked(error, in: context)
        await attempt("shown", context.id) { try await $0.shown(context.id, asked) }
    }

    /// No answer came before the deadline. What is declared for that is the origin's to apply.
    func expired(_ error: any Error, in context: PresentationContext) {
        let report = ErrorReport(describing: error)
        record(
            .ended(
                report, .expired, origin: context.received?.origin, by: decider,
                applied: report.options.first { $0.id == report.onExpiry }?.id),
            of: context.id)
    }

    private func record(_ what: PresentationEvent.What, of id: PresentationID) {
        audit?.record(PresentationEvent(id, what))
    }

    private func asked(
        _ error: any Error, in context: PresentationContext
    ) -> DecisionRecord.Asked {
        let asked = context.received?.present
        return DecisionRecord.Asked(
            origin: asked?.origin, digest: asked?.digest, report: ErrorReport(describing: error))
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
        _ answer: Answer, _ error: any Error, in context: PresentationContext,
        recorded: @Sendable (Bool) -> Void = { _ in }
    ) async -> Outcome {
        let id = context.id
        let entry = await persist(answer, error, in: context)
        switch entry {
        case nil:
            recorded(false)
            return Outcome(
                didRecover: false, reason: .withdrawn, decidedBy: decider,
                detail: "withdrawn before the answer could be recorded")
        case .written:
            recorded(true)
            record(.decided(answer, isRestored: false), of: id)
            return await deliver(answer, error, id)
        case .earlier(let earlier, let result):
            recorded(false)
            if let result, result != .unknown {
                // Nothing is done about it again: who gave the other answer sees what counts.
                record(.decided(earlier, isRestored: true), of: id)
                record(.settled(result, of: earlier), of: id)
            }
            return await restore(earlier, result, error, id)
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
        record(.decided(answer, isRestored: true), of: id)
        return await deliver(answer, error, id)
    }

    /// Runs what stands behind a recorded answer.
    private func deliver(_ answer: Answer, _ error: any Error, _ id: PresentationID) async
        -> Outcome
    {
        let result = await error.attemptRecovery(answer)
        await settled(id, answer, result.settled)
        return Outcome(answer: answer, result: result, decidedBy: decider)
    }

    /// What came of an answer, now or long after it was given. People read it at once; where the
    /// journal does not take it, it is written there later: a child says a result once.
    func settled(_ id: PresentationID, _ answer: Answer, _ result: RecoveryResult) async {
        record(.settled(result, of: answer), of: id)
        await attemptAgain("result", id) { try await $0.settled(id, answer: answer.id, result) }
    }

    /// What came of an answer that an earlier life of this node gave. Only what is on record as
    /// asked by `origin`, and not known yet.
    func settledBefore(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult, of origin: NodeName,
        _ digest: ReportDigest
    ) async {
        await attemptAgain("result", id) { journal in
            guard
                let (recorded, known) = try await recorded(id, origin, digest, in: journal),
                recorded.id == answer, known == nil || known == .unknown
            else { return }
            await settled(id, recorded, result)
        }
    }

    /// The origin gave up what an earlier life of this node was asked.
    ///
    /// - Parameter isHere: This life was asked: it says itself what comes of what it carries out,
    ///   and only what it could not deliver has no other result.
    func withdrawnBefore(
        _ id: PresentationID, of origin: NodeName, _ digest: ReportDigest, isHere: Bool = false
    ) async {
        await attemptAgain("withdrawal", id) { journal in
            guard
                let (recorded, known) = try await recorded(id, origin, digest, in: journal),
                known == .unknown || known == nil && !isHere
            else { return }
            await settled(id, recorded, .withdrawn)
        }
    }

    private func recorded(
        _ id: PresentationID, _ origin: NodeName, _ digest: ReportDigest,
        in journal: any DecisionJournal
    ) async throws -> (Answer, RecoveryResult?)? {
        guard let record = try await journal.record(of: id), record.origin == origin,
            record.digest == digest, case .decided(let answer, let result) = record.state
        else { return nil }
        return (answer, result)
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
        _ answer: Answer, _ presented: any Error, in context: PresentationContext
    ) async -> Entry? {
        guard let journal else { return .written }
        let id = context.id
        while true {
            do {
                return try await write(
                    answer, asked(presented, in: context), id, to: journal)
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
        _ answer: Answer, _ asked: DecisionRecord.Asked, _ id: PresentationID,
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
            try await journal.shown(id, asked)
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

    /// As ``attempt(_:_:_:)``, and again and again until it is written: what is lost here is known
    /// nowhere else once the process below has ended.
    private func attemptAgain(
        _ what: String, _ id: PresentationID,
        _ write: @escaping @Sendable (any DecisionJournal) async throws -> Void
    ) async {
        guard let journal else { return }
        do { try await write(journal) } catch {
            logUnwritten(what, id, error)
            guard unwritten.enter() else {
                return logger.error(
                    """
                    journal: too many results wait to be written; this one is not tried again, and \
                    its answer stays without a result: make the journal writable
                    """,
                    metadata: [
                        "what": "\(what)", "id": "\(id)", "allowed": "\(unwritten.max)",
                    ])
            }
            // Unstructured: a caller that waits for the outcome does not wait for the disk.
            Task {
                defer { unwritten.leave() }
                for pause in UnwrittenResults.pauses {
                    try? await Task.sleep(for: pause)
                    guard (try? await write(journal)) == nil else {
                        return logger.notice(
                            "journal: written at last",
                            metadata: ["what": "\(what)", "id": "\(id)"])
                    }
                }
                logger.error(
                    "journal: not written within a day, and not tried again",
                    metadata: ["what": "\(what)", "id": "\(id)"])
            }
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

/// How many results wait until they can be written, and when each is tried again.
private final class UnwrittenResults: Sendable {
    let max: Int
    /// 1, 2, 4 .. 60 s, a day in all.
    static var pauses: some Sequence<Duration> & Sendable {
        (0..<1_445).lazy.map { .seconds(Swift.min(60, 1 << Swift.min($0, 6))) }
    }

    private let count = Atomic(0)

    init(max: Int) { self.max = max }

    /// False when there is no more room.
    func enter() -> Bool {
        guard count.add(1, ordering: .relaxed).newValue > max else { return true }
        leave()
        return false
    }

    func leave() { count.subtract(1, ordering: .relaxed) }
}
