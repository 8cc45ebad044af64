public import Foundation
import Synchronization

// The bridge to Foundation: code that knows only Foundation's protocols can read a Recoverable and
// run its options by index.
extension Recoverable: LocalizedError, RecoverableError {
    public var errorDescription: String? { report.description }
    public var failureReason: String? { report.failureReason }
    public var recoverySuggestion: String? { report.recoverySuggestion }
    public var helpAnchor: String? { report.helpAnchor }

    /// The option titles, in the order of the report.
    public var recoveryOptions: [String] { report.options.map(\.title) }

    public func attemptRecovery(
        optionIndex: Int, resultHandler handler: @escaping (_ recovered: Bool) -> Void
    ) {
        let handler = ForeignHandler(call: handler)
        runAttempt(optionIndex) { handler.call($0) }
    }

    /// Runs the attempt of an option, and blocks the calling thread until the attempt has ended, at
    /// most for its time limit: Foundation's application-modal form. Do not call it on the
    /// cooperative pool; async code uses the attempter.
    ///
    /// - Returns: Whether the attempt recovered; false for an index without an option.
    public func attemptRecovery(optionIndex: Int) -> Bool {
        let result = BlockingResult()
        runAttempt(optionIndex) { result.set($0) }
        return result.wait()
    }

    private func runAttempt(_ index: Int, then handler: @escaping @Sendable (Bool) -> Void) {
        guard report.options.indices.contains(index) else { return handler(false) }
        let answer = Answer(
            option: report.options[index].id, by: "Foundation",
            via: .handler)
        let attempter = attempter
        Task { handler(await attempter.attemptRecovery(answer).didRecover) }
    }
}

/// A completion handler of Foundation, declared without Sendable but meant for calls from any
/// thread. The task that ran the attempt calls it once.
private struct ForeignHandler: @unchecked Sendable {
    let call: (Bool) -> Void
}

/// A Bool that one thread waits for.
private final class BlockingResult: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let recovered = Mutex(false)

    func set(_ value: Bool) {
        recovered.withLock { $0 = value }
        ended.signal()
    }

    func wait() -> Bool {
        ended.wait()
        return recovered.withLock { $0 }
    }
}

/// Foundation's `RecoverableError` as an attempter. It addresses options by index, so their ids are
/// `option-0`, `option-1` and so on, as in ``ErrorReport/init(describing:)``.
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
        let options = options
        guard let index = options.firstIndex(where: { $0.id == answer.option }) else {
            return .notOffered
        }
        do throws(FieldFault) { _ = try answer.values(for: options[index]) } catch {
            return .badValue(error)
        }
        let error = error
        // The protocol says the handler "must be called", but cannot ensure that it is called, or
        // only once: hence the limit, and the first call counts.
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
