import Synchronization

/// One presentation in front of presenters: its report, and the one place where it is answered.
///
/// Any number of presenters may hold it; the first answer counts, and the prompt refuses every
/// later answer with the reason.
public final class Prompt: Sendable {
    /// The report to show. The report always has at least one option: an error without options gets
    /// OK.
    public let report: ErrorReport
    /// The presentation's context. A presenter presents errors of its own from it:
    /// `presentError(error, from: prompt.context)`.
    public let context: PresentationContext

    /// The options that no presenter here can choose, for want of a signature.
    let unsignable: Set<String>

    let record = AnswerRecord()
    private let state: Mutex<State>
    /// A lock of its own, held while a state is reported: the waiting side gets the states in the
    /// order of the claims.
    private let claims = Mutex(PromptClaims())

    private struct State {
        var machine: PromptMachine
        var closedBy: String?
        /// A closure that gets the end of the prompt, once.
        var observer: (@Sendable (PromptEnding) -> Void)?
    }

    init(
        _ report: ErrorReport, in context: PresentationContext, unsignable: Set<String> = []
    ) {
        var report = report
        report.onExpiry = context.onExpiry ?? report.onExpiry
        report.retryOf = report.retryOf ?? context.retryOf
        report.options = report.offered
        self.report = report
        self.context = context.withoutTurn
        self.unsignable = unsignable
        state = Mutex(
            State(
                machine: PromptMachine(
                    offered: report.options.map(\.id), unsignable: unsignable,
                    twoPeople: report.forTwoPeople, fields: report.fields)))
    }

    /// The prompt of an error. Not inlined: the caller, which waits, would keep its copies of the
    /// report.
    @inline(never)
    convenience init(_ error: any Error, in context: PresentationContext) {
        self.init(
            ErrorReport(describing: error), in: context,
            unsignable: error.unsignableOptions(in: context))
    }

    /// The id of the presentation.
    public var id: PresentationID { context.id }
    /// The node that the error arose in; nil within one process.
    public var origin: NodeName? { context.received?.origin }
    /// The nodes that the presentation came through, origin first; empty within one process.
    public var path: [NodeName] { context.received?.present.path ?? [] }
    /// The number of earlier presentations of the same operation. For an error of another process
    /// the report has it.
    public var retryCount: Int { max(context.retryCount, report.retryCount) }
    /// Whether the presentation may have been shown before, in this life of the node or an earlier
    /// one, without a recorded answer.
    public var wasShownBefore: Bool { context.wasShownBefore }
    /// The contact with the origin: whether the origin can be reached. Nil for an error of this
    /// process.
    public var contact: OriginContact? { context.received?.contact }
    /// The time until which an answer counts; nil: as long as the origin lives.
    public var deadline: ContinuousClock.Instant? { context.deadline }

    /// Answers the presentation. The waiting side goes on at once, even before the presenter
    /// returns.
    ///
    /// - Parameters:
    ///   - option: The id of an offered option.
    ///   - by: The author, for the record.
    ///   - via: How the decision was made.
    ///   - id: Names this answer; repeating it with the same option, values and comment is
    ///     acknowledged.
    ///   - values: The values of the option's fields by name, secrets included.
    ///   - comment: The reason for the answer, for the origin and the record; cut to
    ///     ``ErrorReport/Limits/commentByteCount``.
    /// - Returns: The answer that counts.
    /// - Throws: ``AnswerRefusal`` when the option is not offered, cannot be signed here or needs
    ///   two people, when a value is missing or does not fit its field, or when the prompt is
    ///   answered, closed or past its deadline. A refusal leaves an open prompt unchanged.
    public func answer(
        _ option: String, by: String, via: Answer.Via, id: UniqueID? = nil,
        values: [String: JSONValue] = [:], comment: String? = nil
    ) throws(AnswerRefusal) -> Answer {
        let given = GivenValues(values, for: report.fields[option] ?? [])
        return try take(
            Answer(
                id: id ?? PresentationID.make().value, option: option, by: by, via: via,
                values: given.values, secrets: given.secrets, comment: comment))
    }

    /// The reason why one person cannot choose an option here; nil if one can.
    package func refusal(ofOnePersons option: String) -> AnswerRefusal? {
        state.withLock { $0.machine.refusal(ofOnePersons: option) }
    }

    /// The answer that counts; nil while there is none.
    public var answer: Answer? { state.withLock { $0.machine.answer } }

    /// Calls `observer` once, and passes whether the answer is recorded: in the journal, if this
    /// node keeps one. A node that restarts before that presents the error again, so a presenter
    /// shows an answer as given only after this call. False: the answer does not count, since the
    /// prompt ended first, another answer was on record, or the journal refused it. Called from any
    /// thread; must not wait.
    public func onRecord(_ observer: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        record.observe(observer)
    }

    /// Whether an answer is still accepted.
    public var isOpen: Bool { ending == nil }

    /// Reports the state of the presentation to the waiting side. While a person at a console has
    /// claimed it, `queued` and `presented` are not reported: the claim is what the waiting side
    /// has to know.
    public func moved(to station: PresentationState.Station, by: String? = nil) {
        claims.withLock { claims in
            let state = claims.reported(PresentationState(station, by: by), at: .now)
            if let state { context.stateChanged(state) }
        }
    }

    /// The claim that stands, in whichever inbox.
    package var claim: PromptClaims.Claim? { claims.withLock { $0.standing(at: .now) } }

    /// Reports a claim to the waiting side, and keeps it for all presenters.
    @discardableResult
    package func claimed(
        by person: String, until: Moment, in inbox: AnyObject
    ) -> PromptClaims.Claim {
        let claim = PromptClaims.Claim(person: person, until: until)
        claims.withLock { [inbox = ObjectIdentifier(inbox)] claims in
            claims.claimed(claim, in: inbox)
            context.stateChanged(PresentationState(.claimed, by: person))
        }
        return claim
    }

    /// Reports that the claim in an inbox was released, or the claim in another one that stands.
    package func released(by presenter: String, in inbox: AnyObject) {
        endClaim(by: presenter) { [inbox = ObjectIdentifier(inbox)] claims in
            claims.released(in: inbox)
            return true
        }
    }

    /// Reports the same of a claim whose time is over, unless it was released or replaced before.
    package func ranOut(_ claim: PromptClaims.Claim, by presenter: String, in inbox: AnyObject) {
        endClaim(by: presenter) { [inbox = ObjectIdentifier(inbox)] claims in
            isOpen && claims.ranOut(claim, in: inbox)
        }
    }

    /// - Parameter body: False where no claim has ended.
    private func endClaim(by presenter: String, _ body: (inout PromptClaims) -> Bool) {
        claims.withLock { claims in
            guard body(&claims) else { return }
            let claim = claims.standing(at: .now)
            context.stateChanged(
                claim.map { PresentationState(.claimed, by: $0.person) }
                    ?? PresentationState(.presented, by: presenter))
        }
    }

    /// The end of the prompt; nil while it is open.
    var ending: PromptEnding? { state.withLock { $0.machine.ending } }

    /// The reason of an end without an answer; nil while the prompt is open, and with an answer.
    package var closeReason: Outcome.Reason? {
        if case .closed(let reason) = ending { reason } else { nil }
    }

    /// Answers the presentation with an answer made elsewhere.
    @discardableResult
    func take(_ answer: Answer) throws(AnswerRefusal) -> Answer {
        // As in a process that was stopped for a while, whose timer is late as well.
        if let deadline, deadline <= .now { close(.expired) }
        let (recorded, observer) = try state.withLock { state throws(AnswerRefusal) in
            let recorded = try state.machine.answered(answer)
            defer { state.observer = nil }
            return (recorded, state.observer)
        }
        observer?(.answered(recorded))
        return recorded
    }

    /// Holds an answer so that it can be undone; at the deadline the first held answer counts.
    func hold(_ answer: Answer) { state.withLock { $0.machine.hold(answer) } }

    /// The author of a held answer; nil if it is not held here.
    func author(ofHeld answer: UniqueID) -> String? {
        state.withLock { $0.machine.held.first { $0.id == answer }?.by }
    }

    /// Drops a held answer that was undone; false when the prompt has ended.
    func undone(_ answer: UniqueID) -> Bool { state.withLock { $0.machine.undone(answer) } }

    /// The person who ended the prompt without an answer, if one did.
    var closedBy: String? { state.withLock(\.closedBy) }

    /// Ends the prompt without an answer; false when it had ended before.
    @discardableResult
    func close(_ reason: Outcome.Reason, by decider: String? = nil) -> Bool {
        let (isFirst, ending, observer) = state.withLock { state in
            let isFirst = state.machine.ended(reason)
            if isFirst { state.closedBy = decider }
            defer { state.observer = nil }
            return (isFirst, state.machine.ending, state.observer)
        }
        if let ending { observer?(ending) }
        return isFirst
    }

    /// Calls `observer` when the prompt ends, replacing an earlier observer; returns the ending
    /// instead if the prompt has ended.
    func observe(_ observer: @escaping @Sendable (PromptEnding) -> Void) -> PromptEnding? {
        state.withLock { state in
            if let ending = state.machine.ending { return ending }
            state.observer = observer
            return nil
        }
    }
}
