/// The parent process as a responder: what a service in this process uses as `next`, and where a
/// relay's chain ends.
///
/// An error presented here goes to the parent; the answer comes back, the chosen option is run by
/// its owner (here, or below where a child's error came from), and the parent learns what came of
/// it. Errors that say "user cancelled" do not cross.
public struct UplinkResponder: Responder {
    /// What to do when no parent can be reached.
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

        /// A child's question waits as long as its origin likes, or until it can be asked here.
        var graceForChildren: UInt64? {
            if case .presentLocally(let grace, _) = self { grace } else { nil }
        }
    }

    let name: NodeName
    let origin: NodeName
    let uplink: Uplink?
    let whenUnreachable: WhenUnreachable
    let deadline: Duration?
    let cancellation: UserCancellation
    let audit: (any AuditLog)?
    /// Makes sure that the node's thread runs.
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

    public var responderName: String { name.description }

    /// The next responder lives in the parent process.
    public var next: (any Responder)? { get async { nil } }

    public func presentError(_ error: any Error) async -> Outcome {
        await inPresentation { context in
            // Only a child's error as it came is passed on unread.
            if !(error is RemoteError), cancellation.matches(error) {
                return Outcome(
                    didRecover: false, reason: .userCancelled,
                    decidedBy: context.userCancelledBy ?? responderName)
            }
            guard let uplink else { return await forwardError(error) }
            let forwarded = ForwardedPresentation.current.flatMap {
                $0.present.id == context.id ? $0 : nil
            }
            let request = request(for: error, in: context, forwarded, uplink.transport.now)
            guard forwarded == nil else {
                return await ask(uplink, request, error, context, forwarded)
            }
            audit?.record(
                AuditEvent(.report, context.id, ErrorReport(describing: error).auditFields))
            let outcome = await ask(uplink, request, error, context, nil)
            audit?.record(AuditEvent(.complete, context.id, fields(of: outcome)))
            return outcome
        }
    }

    private func request(
        for error: any Error, in context: PresentationContext,
        _ forwarded: ForwardedPresentation?, _ now: MonotonicTime
    ) -> UplinkRequest {
        let payload =
            (error as? RemoteError)?.payload ?? encode(error, in: context, forwarded?.present)
        if let forwarded {
            var present = forwarded.present
            present.payload = payload
            present.waitMilliseconds = nil
            // Whether to go on waiting is for the origin to say, unless a presenter is here.
            return UplinkRequest(
                present: present, deadline: forwarded.deadline,
                grace: whenUnreachable.graceForChildren, isForwarded: true)
        }
        let wait = context.deadline.map { ContinuousClock.now.duration(to: $0) } ?? deadline
        let present = Message.Present(
            id: context.id, origin: origin, path: [], digest: ReportDigest(of: payload),
            retryOf: context.retryOf, payload: payload)
        return UplinkRequest(
            present: present, deadline: wait.map { now + $0.wholeMilliseconds },
            grace: whenUnreachable.grace, isForwarded: false)
    }

    private func encode(
        _ error: any Error, in context: PresentationContext, _ present: Message.Present?
    ) -> Frame {
        var report = ErrorReport(describing: error)
        // Rules say themselves what they changed.
        if let before = present.flatMap({ try? ErrorReport(payload: $0.payloadFromBelow) }),
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
        _ context: PresentationContext, _ forwarded: ForwardedPresentation?
    ) async -> Outcome {
        let contact = forwarded == nil ? nil : OriginContact.current
        let ending: Uplink.Ending
        do throws(TransportError) {
            try wake()
            ending = await uplink.present(
                request,
                moved: { state, by in
                    context.stateChanged(PresentationState(.init(state), by: by))
                },
                withdrawal: { forwarded.map(\.withdrawal) ?? .origin },
                isOriginReachable: { contact?.isReachable ?? true })
        } catch {
            ending = .unreachable(error.description, nil)
        }
        switch ending {
        case .answered(let decision):
            let outcome = await carryOut(decision, error, uplink)
            guard outcome.reason == .expired, outcome.answer == nil else { return outcome }
            return await expired(error, context) ?? outcome
        case .refused(let reject):
            let outcome = refused(reject)
            guard outcome.reason == .expired else { return outcome }
            return await expired(error, context) ?? outcome
        case .expired:
            return await expired(error, context)
                ?? ended(.expired, "no answer came before the deadline")
        case .withdrawn: return ended(.withdrawn, "the caller gave up")
        case .shutDown: return ended(.shutDown, "node \(name) is going down")
        case .unreachable(let tried, let refusal):
            if case .presentLocally(_, let local) = whenUnreachable {
                var context = context
                context.deadline = request.deadline.map { uplink.transport.instant(of: $0) }
                return await local.receive(error, in: context)
            }
            var outcome = ended(.unreachable, tried)
            outcome.refusalCode = refusal?.code.rawValue
            return outcome
        }
    }

    private func ended(_ reason: Outcome.Reason, _ detail: String) -> Outcome {
        Outcome(didRecover: false, reason: reason, decidedBy: responderName, detail: detail)
    }

    private func refused(_ reject: Message.Reject) -> Outcome {
        let reason: Outcome.Reason =
            switch reject.code {
            case .noResponder: .detached
            case .loop: .cycle
            case .tooManyHops: .tooManyHops
            case .busy: .busy
            case .deadlinePassed: .expired
            default: .rejected
            }
        var outcome = Outcome(
            didRecover: false, reason: reason, decidedBy: responderName,
            detail: "\(reject.code.rawValue) \(reject.reason)")
        outcome.refusalCode = reject.code.rawValue
        outcome.isRemote = true
        return outcome
    }

    /// The answer is here: run its option, unless it was dealt with above, and say what came.
    private func carryOut(
        _ decision: Message.Decision, _ error: any Error, _ uplink: Uplink
    ) async -> Outcome {
        if let didRecover = decision.didRecover {
            uplink.settle(
                decision.id, answer: decision.answer, result: didRecover ? .recovered : .failed)
            return Outcome(above: decision, didRecover: didRecover)
        }
        let answer = Answer(decision, option: decision.option ?? "")
        var given = answer
        given.isFromAbove = true
        let result = await PresentationContext.$current.withValue(nil) { [given] in
            await error.attemptRecovery(given)
        }
        uplink.settle(decision.id, answer: decision.answer, result: result.settled)
        if case .remote = result {
        } else {
            audit?.record(AuditEvent(result.settled, of: answer, for: decision.id))
        }
        return Outcome(answer: answer, result: result, decidedBy: decision.by)
    }

    /// No answer came in time: does what was declared for that, where this is the origin.
    private func expired(_ error: any Error, _ context: PresentationContext) async -> Outcome? {
        guard let answer = context.answerOnExpiry(of: error, by: responderName) else { return nil }
        audit?.record(AuditEvent(deciding: answer, for: context.id))
        let result = await PresentationContext.$current.withValue(nil) {
            await error.attemptRecovery(answer)
        }
        audit?.record(AuditEvent(result.settled, of: answer, for: context.id))
        return Outcome(answer: answer, result: result, decidedBy: responderName)
    }

    private func fields(of outcome: Outcome) -> [String: String] {
        [
            "reason": outcome.reason.rawValue, "didRecover": String(outcome.didRecover),
            "by": outcome.decidedBy, "option": outcome.answer?.option ?? "",
            "answer": outcome.answer?.id.description ?? "",
        ]
    }
}

extension Outcome {
    /// What a process above decided and dealt with.
    init(above decision: Message.Decision, didRecover: Bool) {
        let answer = decision.option.map { Answer(decision, option: $0) }
        let reason = decision.reason.map { Reason(rawValue: $0) }
        self.init(
            didRecover: didRecover,
            reason: reason ?? (decision.option == nil ? .handled : .answered),
            decidedBy: decision.by, answer: answer)
        isRemote = true
        if answer == nil {
            handledAbove = HandledAbove(
                decision: decision.answer, via: decision.via, extras: decision.extras)
        }
    }
}

extension Duration {
    /// Rounded down; negative is 0, and more than a header field can say (285,000 years) is that.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds < WireLimits.numberMax / 1_000 else { return WireLimits.numberMax }
        return UInt64(max(0, seconds)) * 1_000 + UInt64(max(0, attoseconds) / 1_000_000_000_000_000)
    }
}
