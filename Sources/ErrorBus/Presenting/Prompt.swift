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
    /// Until when an answer counts; nil: as long as the origin lives.
    public let deadline: ContinuousClock.Instant?

    private let machine: Mutex<PromptMachine>
    private let stateChanged: @Sendable (PresentationState) -> Void

    init(
        id: PresentationID, report: ErrorReport, origin: NodeName?, path: [NodeName],
        retryCount: Int, deadline: ContinuousClock.Instant?,
        stateChanged: @escaping @Sendable (PresentationState) -> Void
    ) {
        self.id = id
        var report = report
        if report.options.isEmpty { report.options = [RecoveryOption.okay.option] }
        self.report = report
        self.origin = origin
        self.path = path
        self.retryCount = retryCount
        self.deadline = deadline
        self.stateChanged = stateChanged
        machine = Mutex(PromptMachine(offered: report.options.map(\.id)))
    }

    /// Decides the question.
    ///
    /// - Parameters:
    ///   - option: The id of an offered option.
    ///   - by: Who decides, for the record.
    ///   - id: Names this decision; the same id again is acknowledged, not refused.
    /// - Throws: When the option is not offered, or the question is answered or gone. The
    ///   question is then what it was.
    public func answer(
        _ option: String, by: String, via: Answer.Via, id: UniqueID? = nil
    ) throws(AnswerRefusal) -> Answer {
        let answer = Answer(id: id ?? PresentationID.make().value, option: option, by: by, via: via)
        try machine.withLock { (machine) throws(AnswerRefusal) in try machine.answered(answer) }
        return self.answer ?? answer
    }

    /// The answer that counts, once there is one.
    public var answer: Answer? { machine.withLock { $0.answer } }

    /// Whether an answer would still be taken.
    public var isOpen: Bool { machine.withLock { $0.isOpen } }

    /// Says where the question stands: the waiting side is told.
    public func moved(to station: PresentationState.Station, by: String? = nil) {
        stateChanged(PresentationState(station, by: by))
    }

    /// Ends the question unanswered; false when it was decided before.
    func close(_ reason: Outcome.Reason) -> Bool {
        machine.withLock { $0.ended(reason) }
    }
}
