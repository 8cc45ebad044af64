import Synchronization

/// One question in front of presenters: what to show, and the one place where it is answered.
///
/// Any number of presenters may hold it; the first answer counts, and every later one is refused
/// with the reason.
public final class Prompt: Sendable {
    public let id: PresentationID
    /// What to show. Always offers at least one option: an error without any offers OK.
    public let report: ErrorReport
    /// The node the error arose in; nil within one process.
    public let origin: NodeName?
    /// The nodes it came through, origin first.
    public let path: [NodeName]
    /// How many times the same operation was presented before.
    public let retryCount: Int
    /// It was shown before this node was restarted; no answer was recorded.
    public let wasShownBefore: Bool
    /// Whether its origin can be reached; nil for a question of this process.
    public let contact: OriginContact?
    /// Until when an answer counts; nil: as long as the origin lives.
    public let deadline: ContinuousClock.Instant?

    let record = AnswerRecord()
    private let state: Mutex<State>
    private let stateChanged: @Sendable (PresentationState) -> Void

    private struct State {
        var machine: PromptMachine
        var closedBy: String?
        /// Set once, as the question ends.
        var observer: (@Sendable (PromptEnding) -> Void)?
    }

    init(
        id: PresentationID, report: ErrorReport, origin: NodeName?, path: [NodeName],
        retryCount: Int, wasShownBefore: Bool = false, contact: OriginContact? = nil,
        deadline: ContinuousClock.Instant?,
        stateChanged: @escaping @Sendable (PresentationState) -> Void
    ) {
        self.id = id
        var report = report
        // AppKit and HRS: nothing to choose means one OK, which recovers nothing.
        if report.options.isEmpty { report.options = [RecoveryOption.okay.option] }
        self.report = report
        self.origin = origin
        self.path = path
        self.retryCount = retryCount
        self.wasShownBefore = wasShownBefore
        self.contact = contact
        self.deadline = deadline
        self.stateChanged = stateChanged
        state = Mutex(State(machine: PromptMachine(offered: report.options.map(\.id))))
    }

    /// Decides the question. The asking side goes on at once, whether or not the presenter that
    /// holds the prompt has returned.
    ///
    /// - Parameters:
    ///   - option: The id of an offered option.
    ///   - by: Who decides, for the record.
    ///   - via: How the decision came about.
    ///   - id: Names this decision; the same id with the same option again is acknowledged.
    /// - Returns: The answer that counts.
    /// - Throws: When the option is not offered, or the question is answered or gone. The
    ///   question is then what it was.
    public func answer(
        _ option: String, by: String, via: Answer.Via, id: UniqueID? = nil
    ) throws(AnswerRefusal) -> Answer {
        try take(Answer(id: id ?? PresentationID.make().value, option: option, by: by, via: via))
    }

    /// The answer that counts, once there is one.
    public var answer: Answer? { state.withLock { $0.machine.answer } }

    /// Tells, once, whether the answer that counts is on record: in the journal, where this node
    /// keeps one. Until then a restart of this node asks again, so a presenter that shows an answer
    /// as given shows it after this. False: the question went away before. From any thread; must
    /// not wait.
    public func onRecord(_ observer: @escaping @Sendable (_ isRecorded: Bool) -> Void) {
        record.observe(observer)
    }

    /// Whether an answer would still be taken.
    public var isOpen: Bool { ending == nil }

    /// Says where the question stands, to the side that waits.
    public func moved(to station: PresentationState.Station, by: String? = nil) {
        stateChanged(PresentationState(station, by: by))
    }

    /// How the question ended; nil while it is open.
    var ending: PromptEnding? { state.withLock { $0.machine.ending } }

    /// Decides the question with an answer made elsewhere.
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

    /// Ends the question unanswered; false when it was decided before.
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

    /// Has `observer` told when the question ends, in place of an earlier one; returns the ending
    /// instead when there was one before.
    func observe(_ observer: @escaping @Sendable (PromptEnding) -> Void) -> PromptEnding? {
        state.withLock { state in
            if let ending = state.machine.ending { return ending }
            state.observer = observer
            return nil
        }
    }
}
