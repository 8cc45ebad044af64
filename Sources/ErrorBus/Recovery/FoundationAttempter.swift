import Foundation

/// Foundation's `RecoverableError` as an attempter. Its choices are addressed by index, so their
/// ids are `option-0`, `option-1` and so on, as ``ErrorReport/init(describing:)`` names them.
struct FoundationAttempter: RecoveryAttempter {
    private let error: any RecoverableError
    private let timeLimit: Duration
    private let clock: any Clock<Duration>

    init?(
        _ error: any Error, timeLimit: Duration = OptionAttempter.timeLimitDefault,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        guard let error = error as? any RecoverableError else { return nil }
        self.error = error
        self.timeLimit = timeLimit
        self.clock = clock
    }

    var options: [ErrorReport.Option] { ErrorReport(describing: error).options }

    func attemptRecovery(_ answer: Answer) async -> AttemptResult {
        guard let index = options.firstIndex(where: { $0.id == answer.option }) else {
            return .notOffered
        }
        let error = error
        // The handler "must be called", says the protocol, but nothing enforces it, nor that it
        // is called once: hence the limit, and the first call counts.
        let recovered = await withTimeLimit(timeLimit, clock: clock) { () -> Bool in
            let first = FirstValue<Bool>()
            error.attemptRecovery(optionIndex: index) { first.offer($0) }
            return await withTaskCancellationHandler {
                await first.value
            } onCancel: {
                first.offer(false)
            }
        }
        guard let recovered else { return .timedOut }
        return recovered ? .recovered : .notRecovered
    }
}
