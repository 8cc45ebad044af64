package import Logging
import Synchronization

/// A presenter in front of the presenters for people: it answers or withholds silenced
/// presentations, and declines all others.
package struct SilencingPresenter: Presenter {
    /// The time before the deadline at which a delayed answer is given at the latest.
    private static let margin: Duration = .seconds(2)

    package let presenterName = "silences"
    private let silences: Silences
    private let audit: (any AuditLog)?
    private let logger: Logger?
    private let logged = LoggedSilences()
    private let kept: @Sendable (_ number: Int, _ isAnswered: Bool) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - logger: The logger for silences that cannot answer.
    ///   - kept: A closure that is called after each silenced presentation is counted.
    package init(
        _ silences: Silences, audit: (any AuditLog)? = nil, logger: Logger? = nil,
        kept: @escaping @Sendable (_ number: Int, _ isAnswered: Bool) -> Void = { _, _ in }
    ) {
        self.init(
            silences, audit: audit, logger: logger, kept: kept,
            wait: { try await ContinuousClock().sleepInSteps(for: $0) })
    }

    init(
        _ silences: Silences, audit: (any AuditLog)? = nil, logger: Logger? = nil,
        kept: @escaping @Sendable (_ number: Int, _ isAnswered: Bool) -> Void = { _, _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        wait: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.silences = silences
        self.audit = audit
        self.logger = logger
        self.kept = kept
        self.now = now
        self.wait = wait
    }

    /// The delay of an answer in seconds. An option that repeats a permanent failure must not spin:
    /// after the fourth failure a silence chooses it 1, 2, 4 .. 32 s later.
    private static func pause(afterRetries count: Int) -> Int {
        count < 3 ? 0 : 1 << min(count - 3, 5)
    }

    package func present(_ prompt: Prompt) async throws -> Answer? {
        guard let silence = try await silence(for: prompt) else { return nil }
        let option = silence.option(for: prompt.report)
        var answer: Answer?
        if let option {
            do throws(AnswerRefusal) {
                answer = try prompt.answer(option, by: silence.decider, via: .policy)
            } catch {
                // Else a race: the presentation was decided or withdrawn a moment before.
                if !error.isTooLate { log(error, silence, prompt) }
                return nil
            }
        } else {
            guard prompt.close(.withheld, by: silence.decider) else { return nil }
            audit?.record(
                PresentationEvent(
                    prompt.id,
                    .ended(
                        prompt.report, .withheld, origin: prompt.origin, by: silence.decider)))
        }
        silences.kept(silence.number, isAnswered: option != nil)
        kept(silence.number, option != nil)
        return answer
    }

    /// Logs that a silence has no effect, once for each silence.
    private func log(_ refusal: AnswerRefusal, _ silence: Silence, _ prompt: Prompt) {
        guard let logger, logged.isFirst(silence.number) else { return }
        logger.warning(
            "a silence cannot answer, so people are asked; logged once for each silence",
            metadata: [
                "silence": "\(silence.number)", "id": "\(prompt.id)", "problem": "\(refusal)",
            ])
    }

    /// The silence in force when the answer is due: once it has ended, people get the prompt at
    /// once.
    private func silence(for prompt: Prompt) async throws -> Silence? {
        var left = Self.pause(afterRetries: prompt.retryCount)
        while let silence = silences.silence(for: prompt.report, origin: prompt.origin) {
            guard left > 0, silence.option(for: prompt.report) != nil else { return silence }
            if let deadline = prompt.deadline, now() + Self.margin >= deadline { return silence }
            try await wait(.seconds(1))
            left -= 1
        }
        return nil
    }
}

/// The numbers of the silences that could not answer: the latest, as many as a node has silences.
final class LoggedSilences: Sendable {
    static let countMax = SilenceTable.activeMax + SilenceTable.endedMax

    private let numbers = Mutex<Set<Int>>([])

    var count: Int { numbers.withLock(\.count) }

    func isFirst(_ number: Int) -> Bool {
        numbers.withLock { numbers in
            guard !numbers.contains(number) else { return false }
            if numbers.count >= Self.countMax, let oldest = numbers.min() {
                numbers.remove(oldest)
            }
            numbers.insert(number)
            return true
        }
    }
}
