import Logging

/// The parent process as a responder: the `next` of a service in this process, and the end of a
/// relay's chain.
///
/// An error presented here goes to the parent; the answer comes back, its owner runs the chosen
/// option (here, or below for a child's error), and the parent gets the result. User cancellations
/// do not cross.
struct UplinkResponder: Responder {
    /// The reaction when no parent can be reached.
    enum WhenUnreachable: Sendable {
        case hold
        case fail(grace: UInt64)
        case presentLocally(grace: UInt64, any Responder)

        var grace: UInt64? {
            switch self {
            case .hold: nil
            case .fail(let grace), .presentLocally(let grace, _): grace
            }
        }

        /// The grace of a child's presentation: as long as its origin waits, or until it can be
        /// presented here.
        var graceForChildren: UInt64? {
            if case .presentLocally(let grace, _) = self { grace } else { nil }
        }
    }

    /// The most milliseconds by which the end of a deadline may come early without an alarm.
    private static let earlyMax: UInt64 = 1_000

    let name: NodeName
    let origin: NodeName
    /// The link to the parents; nil without a parent.
    let uplink: Uplink?
    let whenUnreachable: WhenUnreachable
    let deadline: Duration?
    let cancellation: UserCancellation
    let audit: (any AuditLog)?
    /// The keys that know the signers whose answers to this process's options count.
    let keys: KeyRing?
    let logger: Logger
    /// A call that ensures that the node's thread runs.
    let wake: @Sendable () throws(TransportError) -> Void

    init(
        _ settings: NodeSettings, uplink: Uplink?, parts: NodeParts,
        fallback: (any Responder)?,
        wake: @escaping @Sendable () throws(TransportError) -> Void
    ) {
        name = settings.name
        origin = parts.origin ?? settings.name
        self.uplink = uplink
        deadline = settings.deadline
        cancellation = parts.cancellation
        audit = parts.audit
        keys = parts.keys
        logger = parts.logger
        self.wake = wake
        let grace = settings.grace.wholeMilliseconds
        switch settings.whenUnreachable {
        case .hold: whenUnreachable = .hold
        case .fail: whenUnreachable = .fail(grace: grace)
        case .presentLocally:
            whenUnreachable =
                fallback.map { .presentLocally(grace: grace, $0) }
                ?? .fail(grace: grace)
        }
    }

    var responderName: String { name.description }

    /// The next responder; nil, since it is in the parent process.
    var next: (any Responder)? { get async { nil } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await carryOn(context) { context in
            // Only a child's unchanged error is passed on unparsed.
            if !(error is RemoteError), cancellation.matches(error) {
                return Outcome(
                    didRecover: false, reason: .userCancelled,
                    decidedBy: context.userCancelledBy ?? responderName)
            }
            guard let uplink else { return await forwardError(error, in: context) }
            let request = request(for: error, in: context, uplink.driver.transport.now)
            guard context.received == nil else {
                return await ask(uplink, request, error, context)
            }
            record(.reported(ErrorReport(describing: error)), of: context.id)
            let outcome = await ask(uplink, request, error, context)
            record(.completed(outcome), of: context.id)
            return outcome
        }
    }

    private func request(
        for error: any Error, in context: PresentationContext, _ now: MonotonicTime
    ) -> UplinkRequest {
        let payload = (error as? RemoteError)?.payload ?? encode(error, in: context)
        if let received = context.received {
            var present = received.present
            present.payload = payload
            return UplinkRequest(
                forwarding: present, deadline: received.deadline,
                grace: whenUnreachable.graceForChildren)
        }
        let wait = context.deadline.map { ContinuousClock.now.duration(to: $0) } ?? deadline
        let present = Message.Present(
            id: context.id, origin: origin, path: [], digest: ReportDigest(of: payload),
            retryOf: context.retryOf, payload: payload)
        return UplinkRequest(
            present: present, deadline: wait.map { now + $0.wholeMilliseconds },
            grace: whenUnreachable.grace, isForwarded: false)
    }

    private func encode(_ error: any Error, in context: PresentationContext) -> Frame {
        var report = ErrorReport(describing: error)
        // Rules record their own changes.
        if let asked = context.received?.present,
            let before = try? ErrorReport(payload: asked.payloadFromBelow),
            before.changes.count == report.changes.count
        {
            report.noteChanges(from: before, by: name)
        }
        report.retryOf = report.retryOf ?? context.retryOf
        report.onExpiry = context.onExpiry ?? report.onExpiry
        if context.retryCount > 0 { report.retryCount = context.retryCount }
        return report.payload()
    }

    private func ask(
        _ uplink: Uplink, _ request: UplinkRequest, _ error: any Error,
        _ context: PresentationContext
    ) async -> Outcome {
        let received = context.received
        let ending: UplinkEnding
        do throws(TransportError) {
            try wake()
            ending = await uplink.driver.present(
                request, on: uplink.way, moved: context.stateChanged,
                // A responder of this node may have cancelled it, though the child still asks.
                withdrawal: { received.map { $0.withdrawal ?? .abandoned } ?? .origin },
                isOriginReachable: { received?.contact.isReachable ?? true })
        } catch {
            ending = .unreachable(tried: error.description, isTooSoon: false, nil)
        }
        if case .answered(let answer) = ending {
            let outcome = await carryOut(answer, error, request.present, uplink)
            guard outcome.reason == .expired, outcome.answer == nil else { return outcome }
            return await expired(error, context, request.deadline, uplink) ?? outcome
        }
        if case .unreachable = ending, case .presentLocally(_, let local) = whenUnreachable {
            var context = context
            context.deadline = request.deadline.map { uplink.driver.transport.instant(of: $0) }
            return await local.presentError(error, in: context)
        }
        let outcome = Outcome(ending, at: name)
        guard outcome.reason == .expired else { return outcome }
        return await expired(error, context, request.deadline, uplink) ?? outcome
    }

    /// Runs the option of an answer that arrived, unless a process above handled the error, and
    /// reports the result.
    private func carryOut(
        _ decided: Answer, _ error: any Error, _ present: Message.Present, _ uplink: Uplink
    ) async -> Outcome {
        if let refused = refusal(of: decided, to: error, present, uplink) { return refused }
        guard let answer = decided.toAttempt else {
            if let result = decided.resultAbove {
                uplink.settle(present.id, answer: decided.id, result)
            }
            return Outcome(above: decided)
        }
        let result = await error.attemptRecovery(answer)
        return attempted(answer, result, present.id, uplink)
    }

    /// The refusal of an answer that does not count; nil for an answer that counts. Not inlined,
    /// like ``attempted(_:_:_:_:)``, so that the call keeps nothing of this while an attempt runs.
    @inline(never)
    private func refusal(
        of answer: Answer, to error: any Error, _ present: Message.Present, _ uplink: Uplink
    ) -> Outcome? {
        guard let fault = fault(of: answer, to: error, present) else { return nil }
        uplink.settle(present.id, answer: answer.id, .invalid)
        logger.critical(
            "an answer was refused: its option \(fault.problem)",
            metadata: [
                "id": "\(present.id)", "option": "\(answer.option)", "by": "\(answer.by)",
                "problem": "\(fault.text)",
            ])
        return Outcome(
            didRecover: false, reason: fault.reason, decidedBy: name.description,
            detail: "option \(answer.option): \(fault.text)")
    }

    /// Reports the result of an attempt.
    @inline(never)
    private func attempted(
        _ answer: Answer, _ result: AttemptResult, _ id: PresentationID, _ uplink: Uplink
    ) -> Outcome {
        if case .badValue(let fault) = result {
            logger.error(
                "an answer was refused: a value does not fit its option",
                metadata: [
                    "id": "\(id)", "option": "\(answer.option)", "by": "\(answer.by)",
                    "field": "\(fault.field)", "expected": "\(fault.expected)",
                ])
        }
        if case .remote = result {
        } else {
            record(.settled(result.settled, of: answer.withoutSecrets), of: id)
        }
        uplink.settle(id, answer: answer.id, result.settled)
        let isRefused = if case .badValue = result { true } else { false }
        return Outcome(
            answer: answer.plain, result: result,
            decidedBy: isRefused ? name.description : answer.by)
    }

    /// The reason why the answer does not count; nil if its option was offered and the answer has
    /// everything that it needs, or if the option belongs to a child, which checks the answer.
    ///
    /// An answer that comes with its result runs no attempt here, but the caller gets its option,
    /// and may act on it. That option may be of a node above, which offered it later.
    private func fault(
        of answer: Answer, to error: any Error, _ present: Message.Present
    ) -> AnswerFault? {
        let attempter = error.recoveryAttempter
        let isWithoutOption = answer.chosen == nil && answer.didRecover != nil
        guard !answer.isRepeatedHere, !isWithoutOption,
            attempter?.leavesToChild(answer.option) != true
        else { return nil }
        let report = ErrorReport(describing: error)
        // The attempter still has an option that a rule or a responder took out of the report.
        let isOffered = report.offers(answer.option) || wasOffered(answer.option, in: present)
        if attempter != nil, !isOffered, answer.didRecover == nil {
            let offered = report.offered.map(\.id).joined(separator: ", ")
            return AnswerFault(
                reason: .noAttempter, problem: "was not offered",
                text: "not offered; offered: \(offered)")
        }
        let chosen = Self.chosen(answer.option, of: report, attempter)
        if chosen.contains(where: \.needsTwoPeople), !answer.isOfTwoPeople {
            return AnswerFault(
                reason: .notConfirmed, problem: "needs two people",
                text: "found \(answer.authors) (\(answer.via.rawValue)); expected two different "
                    + "people, of a console with users")
        }
        guard chosen.contains(where: \.needsSignature) else { return nil }
        let known = keys.flatMap(\.keys)
        let fault = known.map { $0.fault(of: answer, to: present) } ?? "this node has no keys"
        return fault.map {
            AnswerFault(reason: .notSigned, problem: "needs a signature", text: $0)
        }
    }

    /// Whether the report that went up offers the option: an error may describe itself otherwise
    /// later.
    private func wasOffered(_ option: String, in present: Message.Present) -> Bool {
        (try? ErrorReport(payload: present.payload))?.offers(option) ?? false
    }

    /// An option of an error: as people saw it, and as its owner has it.
    private static func chosen(
        _ option: String, of report: ErrorReport, _ attempter: (any RecoveryAttempter)?
    ) -> [ErrorReport.Option] {
        let owned = attempter?.options ?? []
        return [report.options, owned].flatMap { $0.filter { $0.id == option } }
    }

    /// Applies the declared option after the deadline, if this is the origin.
    @inline(never)
    private func expired(
        _ error: any Error, _ context: PresentationContext, _ deadline: MonotonicTime?,
        _ uplink: Uplink
    ) async -> Outcome? {
        guard let answer = context.answerOnExpiry(of: error, by: responderName),
            await mayApply(answer, to: error, context.id, after: deadline, uplink.driver.transport)
        else { return nil }
        record(.decided(answer, isRestored: false), of: context.id)
        let result = await error.attemptRecovery(answer)
        record(.settled(result.settled, of: answer), of: context.id)
        return Outcome(answer: answer, result: result, decidedBy: responderName)
    }

    /// Whether the declared option may be applied: one that no relay may choose only after the
    /// deadline by the clock of this process, since a relay may say too early that it has passed.
    ///
    /// Waits until then; false without a deadline, and if the caller is cancelled meanwhile.
    private func mayApply(
        _ answer: Answer, to error: any Error, _ id: PresentationID, after deadline: MonotonicTime?,
        _ transport: any Transport
    ) async -> Bool {
        let isGuarded = Self.chosen(
            answer.option, of: ErrorReport(describing: error), error.recoveryAttempter
        ).contains { $0.needsSignature || $0.needsTwoPeople }
        guard isGuarded else { return true }
        let left = deadline?.since(transport.now)
        // Clocks of other processes are a little ahead at times.
        if left.map({ $0 > Self.earlyMax }) ?? true {
            logger.critical(
                "the end of a deadline was refused: it came from a node above, before its time",
                metadata: [
                    "id": "\(id)", "option": "\(answer.option)",
                    "left": "\(left.map { "\($0) ms" } ?? "no deadline")",
                ])
        }
        guard let deadline else { return false }
        try? await ContinuousClock().sleepInSteps(until: transport.instant(of: deadline))
        return !Task.isCancelled
    }

    private func record(
        _ what: @autoclosure () -> PresentationEvent.What, of id: PresentationID
    ) {
        audit?.record(PresentationEvent(id, what()))
    }
}

/// The reason why the owner of an option does not carry out the answer of another process.
private struct AnswerFault {
    let reason: Outcome.Reason
    /// What is wrong with the option, for the log.
    let problem: String
    let text: String
}

extension UplinkResponder {
    /// A link of this node to its parents.
    struct Uplink: Sendable {
        let driver: NodeDriver
        let way: NodeMachine.Way

        func settle(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult) {
            driver.settle(id, answer: answer, result: result, on: way)
        }
    }

    /// Whether this link leads only to the parents of a driver's node, so that a child's
    /// presentation is never presented here.
    func isPassage(of driver: NodeDriver) -> Bool {
        whenUnreachable.graceForChildren == nil && uplink?.driver === driver && uplink?.way == 0
    }
}

extension Duration {
    /// The duration in milliseconds, rounded down: 0 if negative, at most the largest header field
    /// (285,000 years).
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds < WireLimits.numberMax / 1_000 else { return WireLimits.numberMax }
        return UInt64(max(0, seconds)) * 1_000 + UInt64(max(0, attoseconds) / 1_000_000_000_000_000)
    }
}
