/// An attempter that says when the answer arrives, before anything is attempted.
struct NoticingAttempter: RecoveryAttempter {
    let options: [ErrorReport.Option]
    /// Nil when nothing stands behind the options.
    let base: (any RecoveryAttempter)?
    let answerArrived: @Sendable (Answer) -> Void

    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        answerArrived(answer)
        return await base?.attemptRecovery(answer) ?? .noAttempter
    }
}
