import Logging

/// The decisions of a node: the node records an answer first, then the option's owner attempts it,
/// then the node records the result. The order is the same for people, policies and commands.
final class Decisions: Sendable {
    /// The pause before the journal is tried again.
    private static let pause: Duration = .seconds(1)

    private let decider: String
    private let journal: (any DecisionJournal)?
    private let audit: (any AuditLog)?
    private let unwritten: UnwrittenResults
    private let logger: Logger

    /// - Parameters:
    ///   - decider: The decider in outcomes.
    ///   - journal: The store of decisions that survive this process; nil for none.
    ///   - audit: The ledger.
    ///   - unwrittenMax: The most results that wait for a journal that cannot be written.
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
    @inline(never)
    func presenting(_ error: any Error, in context: PresentationContext) async {
        record(.presenting(error, in: context), of: context.id)
        guard areRecorded else { return }
        await attempt("shown", context.id) {
            try await $0.shown(context.id, asked(error, in: context))
        }
    }

    /// No answer came before the deadline.
    ///
    /// - Returns: The outcome of the declared option, which only the origin applies; nil when there
    ///   is no such option.
    func expire(_ error: any Error, in context: PresentationContext) async -> Outcome? {
        recordExpiry(error, in: context)
        guard let answer = context.answerOnExpiry(of: error, by: decider) else { return nil }
        return await carryOut(answer, error, in: context)
    }

    private func recordExpiry(_ error: any Error, in context: PresentationContext) {
        let report = ErrorReport(describing: error)
        let declared = context.onExpiry ?? report.onExpiry
        record(
            .ended(
                report, .expired, origin: context.received?.origin, by: decider,
                applied: declared.flatMap { report.offers($0) ? $0 : nil }),
            of: context.id)
    }

    /// Records an event. Not inlined: events are large, and callers that wait would keep them.
    @inline(never)
    private func record(
        _ what: @autoclosure () -> PresentationEvent.What, of id: PresentationID
    ) {
        audit?.record(PresentationEvent(id, what()))
    }

    private func asked(
        _ error: any Error, in context: PresentationContext
    ) -> DecisionRecord.Asked {
        let asked = context.received?.present
        return DecisionRecord.Asked(
            origin: asked?.origin, digest: asked?.digest, report: ErrorReport(describing: error))
    }

    /// Records the answer, runs its attempt, and records the result.
    ///
    /// While the answer cannot be recorded (a full disk) it is not sent: it waits, with a log line,
    /// until it can be, the presentation is withdrawn, or its deadline passes. If the journal has
    /// another answer already, as when one id is presented twice at once, the recorded one counts.
    ///
    /// - Parameter recorded: Called with the state of this answer's record, before the attempt.
    func carryOut(
        _ answer: Answer, _ error: any Error, in context: PresentationContext,
        recorded: @Sendable (AnswerRecord.Standing) -> Void = { _ in }
    ) async -> Outcome {
        let id = context.id
        let entry: Entry?
        do {
            entry = try await persist(answer, error, in: context) { recorded(.delayed) }
        } catch {
            logUnsent(answer, of: id)
            recorded(.refused)
            return .refused(.gone, "the answer cannot be recorded here", by: decider)
        }
        switch entry {
        case nil:
            let isWithdrawn = Task.isCancelled
            if answer.via != .expiry { logUnsent(answer, of: id) }
            recorded(.unwritten)
            if isWithdrawn {
                return Outcome(
                    didRecover: false, reason: .withdrawn, decidedBy: decider,
                    detail: "withdrawn before the answer could be recorded")
            }
            // The origin is in this process: no later life of it needs the record.
            if answer.via == .expiry {
                return await deliver(answer, isRestored: false, error, in: context)
            }
            return await expire(error, in: context)
                ?? Outcome(
                    didRecover: false, reason: .expired, decidedBy: decider,
                    detail: "the deadline passed before the answer could be recorded")
        case .written:
            // A later call gets it without its secrets, and asks again.
            let isLost =
                answer.withoutSecrets.lacksSecrets && context.received?.beginsAttempt() == false
            recorded(isLost ? .superseded() : .recorded)
            return await deliver(answer, isRestored: false, error, in: context)
        case .earlier(let earlier, let result):
            recorded(.superseded(by: earlier))
            if let result, result != .unknown {
                // No second attempt: the author of the other answer sees the one that counts.
                record(.decided(earlier, isRestored: true), of: id)
                record(.settled(result, of: earlier), of: id)
            }
            return await restore(earlier, result, error, in: context)
        }
    }

    /// Says whose answer did not count. No fault: a caller may withdraw while the journal is
    /// written, and what the journal cannot do has an error of its own. Not inlined, so that the
    /// waiting call keeps nothing of it.
    @inline(never)
    private func logUnsent(_ answer: Answer, of id: PresentationID) {
        logger.notice(
            "journal: an answer was not recorded before its presentation ended, and was not sent",
            metadata: [
                "id": "\(id)", "option": "\(answer.option)", "by": "\(answer.authors)",
                "via": "\(answer.via.rawValue)",
            ])
    }

    /// Delivers a recorded answer. Before a restart this node may have died between journal and
    /// ledger, so the ledger gets the decision again.
    ///
    /// - Parameter result: The result, once it is known: then no second attempt follows.
    func restore(
        _ answer: Answer, _ result: RecoveryResult?, _ error: any Error,
        in context: PresentationContext
    ) async -> Outcome {
        if let result, result != .unknown {
            let answer = error.recoveryAttempter?.signedAfterAttempt(answer) ?? answer
            var outcome = Outcome(answer: answer, result: .remote(result), decidedBy: answer.by)
            outcome.isRemote = true
            return outcome
        }
        // Another call for this id has it with its secrets, in this process.
        guard !answer.lacksSecrets else {
            return Outcome(
                didRecover: false, reason: .undelivered, decidedBy: decider,
                detail: "an answer whose secrets are not stored is being delivered elsewhere; "
                    + "present the error again")
        }
        return await deliver(answer, isRestored: true, error, in: context)
    }

    /// Ends the answer of an earlier life whose secrets were not stored, so that it cannot be
    /// delivered: it gets the result `unknown`, and the presentation can be answered again.
    ///
    /// - Throws: When the journal cannot be written.
    func lost(_ answer: Answer, of id: PresentationID) async throws {
        guard let journal else { return }
        try await journal.lost(id, answer: answer.id)
        record(.settled(.unknown, of: answer), of: id)
        logger.notice(
            "an answer was lost with the secrets in it, which are not stored; presented again",
            metadata: ["id": "\(id)", "option": "\(answer.option)", "by": "\(answer.by)"])
    }

    /// Runs the attempt of a recorded answer. Not inlined, so that the waiting call keeps nothing
    /// else.
    @inline(never)
    private func deliver(
        _ answer: Answer, isRestored: Bool, _ error: any Error, in context: PresentationContext
    ) async -> Outcome {
        let id = context.id
        guard context.received?.beginsAttempt() != false else {
            return Outcome(
                didRecover: false, reason: .withdrawn, decidedBy: decider,
                detail: "presented again before the option was carried out")
        }
        record(.decided(answer.withoutSecrets, isRestored: isRestored), of: id)
        let result = await error.attemptRecovery(answer)
        // The next life of the node gets it, if it knows the answer from the journal.
        let isLeft = areRecorded && context.received?.isResultLeft == true
        if !isLeft { await settled(id, answer, result.settled) }
        return Outcome(answer: answer, result: result, decidedBy: decider)
    }

    /// The result of an answer, now or long after the answer. People see it at once; if the journal
    /// cannot be written, the node records it later: a child reports a result once.
    func settled(_ id: PresentationID, _ answer: Answer, _ result: RecoveryResult) async {
        record(.settled(result, of: answer.withoutSecrets), of: id)
        await attemptAgain("result", id) { try await $0.settled(id, answer: answer.id, result) }
    }

    /// The result of an answer that an earlier life of this node gave. Only for a record with this
    /// `origin`, and no result yet.
    func settledBefore(
        _ id: PresentationID, _ answer: UniqueID, _ result: RecoveryResult, of origin: NodeName,
        _ digest: ReportDigest
    ) async {
        await attemptAgain("result", id) { [self] journal in
            guard
                let (recorded, known) = try await recorded(id, origin, digest, in: journal),
                recorded.id == answer, known == nil || known == .unknown
            else { return }
            await settled(id, recorded, result)
        }
    }

    /// The origin withdrew a presentation of an earlier life of this node.
    ///
    /// - Parameter isHere: Whether this life has the presentation too: it reports the results of
    ///   its own attempts, so only an undelivered answer gets this result.
    func withdrawnBefore(
        _ id: PresentationID, of origin: NodeName, _ digest: ReportDigest?, isHere: Bool = false
    ) async {
        await attemptAgain("withdrawal", id) { [self] journal in
            guard
                let (recorded, known) = try await recorded(id, origin, digest, in: journal),
                known == .unknown || known == nil && !isHere
            else { return }
            await settled(id, recorded, .withdrawn)
        }
    }

    private func recorded(
        _ id: PresentationID, _ origin: NodeName, _ digest: ReportDigest?,
        in journal: any DecisionJournal
    ) async throws -> (Answer, RecoveryResult?)? {
        guard let record = try await journal.record(of: id), record.origin == origin,
            record.digest == digest, case .decided(let answer, let result) = record.state
        else { return nil }
        return (answer, result)
    }

    /// The presentation ended without an answer.
    func ended(_ id: PresentationID, _ reason: Outcome.Reason) async {
        await attempt("end", id) { try await $0.ended(id, reason) }
    }

    /// The content of the journal after the attempt to record an answer.
    private enum Entry {
        case written
        case earlier(Answer, RecoveryResult?)
    }

    /// Retries until an answer is on disk; nil when the presentation is withdrawn, or its deadline
    /// passes, before.
    ///
    /// - Throws: A ``LastingFault``.
    private func persist(
        _ answer: Answer, _ presented: any Error, in context: PresentationContext,
        delayed: () -> Void
    ) async throws -> Entry? {
        guard let journal else { return .written }
        return try await retried(
            "an answer cannot be recorded and is not sent", in: context, delayed: delayed
        ) {
            try await write(answer, asked(presented, in: context), context.id, to: journal)
        }
    }

    /// Retries until the journal carries `operation` out; nil when the presentation is withdrawn,
    /// or its deadline passes, before.
    ///
    /// - Parameters:
    ///   - action: The action that waits for the journal, for one line of the log.
    ///   - delayed: Called after each failed attempt that another one follows.
    /// - Throws: A ``LastingFault``.
    func retried<Value: Sendable>(
        _ action: String, in context: PresentationContext, delayed: () -> Void = {},
        _ operation: () async throws -> Value
    ) async throws -> Value? {
        var isLogged = false
        while true {
            do { return try await operation() } catch {
                if Task.isCancelled { return nil }
                let isLasting = error is any LastingFault
                if !isLogged || isLasting {
                    isLogged = true
                    let outcome = isLasting ? "is refused" : "waits until it can be"
                    logger.critical(
                        "journal: \(action); the presentation \(outcome)",
                        metadata: [
                            "id": "\(context.id)",
                            "problem": "\(ErrorReport(describing: error).description)",
                        ])
                }
                if isLasting { throw error }
                delayed()
            }
            let now = ContinuousClock.now
            let until = min(context.deadline ?? now + Self.pause, now + Self.pause)
            guard until > now, (try? await Task.sleep(until: until, clock: .continuous)) != nil
            else { return nil }
        }
    }

    @inline(never)
    private func write(
        _ answer: Answer, _ asked: DecisionRecord.Asked, _ id: PresentationID,
        to journal: any DecisionJournal
    ) async throws -> Entry {
        // No secret is ever on disk.
        let answer = answer.withoutSecrets
        do {
            try await journal.decided(id, answer)
        } catch {
            if case .decided(let earlier, let result) = try await journal.record(of: id)?.state,
                earlier.id != answer.id
            {
                return .earlier(earlier, result)
            }
            // The journal lacks the presentation if that came while it could not be written.
            try await journal.shown(id, asked)
            try await journal.decided(id, answer)
        }
        return .written
    }

    /// Writes an entry other than a decision: a fault is logged, and no caller waits.
    @inline(never)
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

    /// Writes as ``attempt(_:_:_:)`` does, with retries: once the process below has ended, no other
    /// process knows a lost result.
    @inline(never)
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
