import Synchronization

/// One presentation in front of presenters: what to show, and the one place where it is answered.
///
/// Any number of presenters may hold it; the first answer counts, and every later one is refused
/// with the reason.
public final class Prompt: Sendable {
    /// What to show. Always offers at least one option: an error without any offers OK.
    public let report: ErrorReport
    /// The presentation on its way. What a presenter presents itself begins from here:
    /// `presentError(error, from: prompt.context)`.
    public let context: PresentationContext

    let record = AnswerRecord()
    private let state: Mutex<State>

    private struct State {
        var machine: PromptMachine
        var closedBy: String?
        /// Called once, as the prompt ends.
        var observer: (@Sendable (PromptEnding) -> Void)?
    }

    init(_ report: ErrorReport, in context: PresentationContext) {
        var report = report
        report.onExpiry = context.onExpiry ?? report.onExpiry
        report.retryOf = report.retryOf ?? context.retryOf
        // AppKit and HRS: nothing to choose means one OK, which recovers nothing.
        if report.options.isEmpty { report.options = [RecoveryOption.okay.option] }
        self.report = report
        self.context = context.withoutTurn
        state = Mutex(State(machine: PromptMachine(offered: report.options.map(\.id))))
    }

    convenience init(_ error: any Error, in context: PresentationContext) {
        self.init(ErrorReport(describing: error), in: context)
    }

    public var id: PresentationID { context.id }
    /// The node the error arose in; nil within one process.
    public var origin: NodeName? { context.received?.origin }
    /// The nodes it came through, origin first.
    public var path: [NodeName] { context.received?.present.path ?? [] }
    /// How many times the same operation was presented before. From another process that comes in
    /// the report.
    public var retryCount: Int { max(context.retryCount, report.retryCount) }
    /// It may have been shown before, by this life of the node or an earlier one; no answer was
    /// recorded.
    public var wasShownBefore: Bool { context.wasShownBefore }
    /// Whether its origin can be reached; nil for an error of this process.
    public var contact: OriginContact? { context.received?.contact }
    /// Until when an answer counts; nil: as long as the origin lives.
    public var deadline: ContinuousClock.Instant? { context.deadline }

    /// Decides the presentation. The asking side goes on at once, whether or not the presenter that
    /// holds the prompt has returned.
    ///
    /// - Parameters:
    ///   - option: The id of an offered option.
    ///   - by: Who decides, for the record.
    ///   - via: How the decision came about.
    ///   - id: Names this decision; the same id with the same option again is acknowledged.
    /// - Returns: The answer that counts.
    /// - Throws: When the option is not offered, or the prompt is answered or gone. It is then
    ///   what it was.
    public func answer(
        _ option: String, by: String, via: Answer.Via, id: UniqueID? = nil
    ) throws(AnswerRefusal) -> Answer {
        try take(Answer(id: id ?? PresentationID.make().value, option: option, by: by, via: via))
    }

    /// The answer that counts, once there is one.
    public var answer: Answer? { state.withLock { $0.machine.answer } }

    /// Tells, once, whether the answer that counts is on record: in the journal, where this node
    /// keeps one. Until then a restart of this node asks again, so a presenter that shows an answer
    /// as given shows it after this. False: the prompt went away before. From any thread; must
    /// not wait.
    public func onRecord(_ observer: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        record.observe(observer)
    }

    /// Whether an answer would still be taken.
    public var isOpen: Bool { ending == nil }

    /// Says where the presentation stands, to the side that waits.
    public func moved(to station: PresentationState.Station, by: String? = nil) {
        context.stateChanged(PresentationState(station, by: by))
    }

    /// How the prompt ended; nil while it is open.
    var ending: PromptEnding? { state.withLock { $0.machine.ending } }

    /// Decides the presentation with an answer made elsewhere.
    @discardableResult
    func take(_ answer: Answer) throws(AnswerRefusal) -> Answer {
        let (recorded, observer) = try state.withLock { state throws(AnswerRefusal) in
            let recorded = try state.machine.answered(answer)
            defer { state.observer = nil }
            return (recorded, state.observer)
        }
        observer?(.answered(recorded))
        return recorded
    }

    /// Keeps an answer to an offered option back so that it can be taken back, with nil: it counts
    /// when the deadline comes before it is taken.
    func hold(_ answer: Answer?) { state.withLock { $0.machine.held = answer } }

    /// Who ended it unanswered, where that was a person.
    var closedBy: String? { state.withLock(\.closedBy) }

    /// Ends the prompt unanswered; false when it was decided before.
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

    /// Calls `observer` when the prompt ends, in place of an earlier one; returns the ending
    /// instead when there was one before.
    func observe(_ observer: @escaping @Sendable (PromptEnding) -> Void) -> PromptEnding? {
        state.withLock { state in
            if let ending = state.machine.ending { return ending }
            state.observer = observer
            return nil
        }
    }
}

/// Why an answer was not taken. The prompt is unchanged: what was open stays open.
public enum AnswerRefusal: Error, Hashable, Sendable {
    /// The report does not offer this option.
    case notOffered(option: String, offered: [String])
    /// It was answered before.
    case alreadyAnswered(Answer)
    /// The prompt is gone: withdrawn by its origin, expired, ...
    case closed(Outcome.Reason)
}

extension AnswerRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notOffered(let option, let offered):
            "option \"\(option)\" is not offered; offered: \(offered.joined(separator: ", "))"
        case .alreadyAnswered(let answer):
            "answered before with \"\(answer.option)\" by \(answer.by) (\(answer.via.rawValue))"
        case .closed(let reason):
            "no longer open: \(reason)"
        }
    }
}

/// Whether the answer to a prompt is on record; said once, to any number.
final class AnswerRecord: Sendable {
    typealias Observer = @Sendable (_ isRecorded: Bool) -> Void

    private struct State {
        var isRecorded: Bool?
        var observers: [Observer] = []
    }

    private let state = Mutex(State())

    func observe(_ observer: @escaping Observer) {
        let known = state.withLock { state in
            if state.isRecorded == nil { state.observers.append(observer) }
            return state.isRecorded
        }
        if let known { observer(known) }
    }

    func ended(isRecorded: Bool) {
        let observers = state.withLock { state in
            guard state.isRecorded == nil else { return [Observer]() }
            state.isRecorded = isRecorded
            defer { state.observers.removeAll() }
            return state.observers
        }
        for observer in observers { observer(isRecorded) }
    }
}
