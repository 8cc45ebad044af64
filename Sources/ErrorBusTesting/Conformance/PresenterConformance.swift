public import ErrorBus

/// Checks that a presenter follows the rules of ``Presenter``, for users' own tests:
///
/// ```swift
/// let console = FakeConsole()
/// let checks = PresenterConformance(TerminalPresenter(console)) { option in
///     console.type(option)
/// }
/// #expect(await checks.violations().isEmpty)
/// ```
///
/// Each check presents an error with the options `retry` and `cancel`.
public struct PresenterConformance: Sendable {
    /// Chooses the option with this id for the prompt shown now, in the role of the person.
    public typealias Choose = @Sendable (_ option: String) async -> Void

    private let presenter: any Presenter
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let choose: Choose

    /// The checks of this presenter.
    ///
    /// - Parameters:
    ///   - presenter: The presenter under test. It must not have open prompts.
    ///   - patience: The time limit for each expected event.
    ///   - clock: The clock of that limit. On a ``ManualClock`` that stands still a check waits
    ///     without a limit.
    ///   - choose: Chooses in the role of the person.
    public init(
        _ presenter: any Presenter, patience: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock(), choose: @escaping Choose
    ) {
        self.presenter = presenter
        self.patience = patience
        self.clock = clock
        self.choose = choose
    }

    /// Runs every check; empty when the presenter follows the rules.
    public func violations() async -> [ConformanceViolation] {
        var found: [ConformanceViolation] = []
        for check in [choiceIsDelivered, cancellationIsHonoured, refusalIsTaken] {
            if let violation = await check() { found.append(violation) }
        }
        return found
    }

    private func choiceIsDelivered() async -> ConformanceViolation? {
        let rule = "a choice completes its presentation once, with that option"
        let run = PresenterConformanceRun(presenter, clock: clock)
        guard await run.begins(within: patience) != nil else {
            return ConformanceViolation(rule: rule, found: "present was not called")
        }
        await choose("retry")
        guard let outcome = await run.outcome(within: patience) else {
            return ConformanceViolation(rule: rule, found: "no outcome after the choice")
        }
        guard outcome.didRecover, outcome.answer?.option == "retry", run.attemptCount == 1 else {
            return ConformanceViolation(
                rule: rule, found: "\(outcome), after \(run.attemptCount) attempts")
        }
        guard case .returned? = await run.ending(within: patience) else {
            return ConformanceViolation(rule: rule, found: "present did not return the answer")
        }
        return nil
    }

    private func cancellationIsHonoured() async -> ConformanceViolation? {
        let rule = "cancellation takes the prompt away and returns nil"
        let run = PresenterConformanceRun(presenter, clock: clock)
        guard await run.begins(within: patience) != nil else {
            return ConformanceViolation(rule: rule, found: "present was not called")
        }
        run.cancel()
        switch await run.ending(within: patience) {
        case nil:
            return ConformanceViolation(rule: rule, found: "present did not return")
        case .returned(let answer?):
            return ConformanceViolation(rule: rule, found: "answered \(answer.option)")
        case .threw(let error) where !(error is CancellationError):
            return ConformanceViolation(rule: rule, found: "threw \(error)")
        default:
            return nil
        }
    }

    private func refusalIsTaken() async -> ConformanceViolation? {
        let rule = "a prompt that was answered elsewhere ends without another answer"
        let run = PresenterConformanceRun(presenter, clock: clock)
        guard let prompt = await run.begins(within: patience) else {
            return ConformanceViolation(rule: rule, found: "present was not called")
        }
        guard let first = try? prompt.answer("cancel", by: "another", via: .person) else {
            return ConformanceViolation(rule: rule, found: "the prompt was not open")
        }
        await choose("retry")
        guard let ending = await run.ending(within: patience) else {
            return ConformanceViolation(rule: rule, found: "present did not return")
        }
        if case .returned(let answer?) = ending, answer != first {
            return ConformanceViolation(rule: rule, found: "returned \(answer.option)")
        }
        guard prompt.answer == first, run.attemptCount == 0 else {
            return ConformanceViolation(
                rule: rule, found: "\(run.attemptCount) attempts of the refused choice")
        }
        return nil
    }
}

/// One error in front of the presenter under test.
private final class PresenterConformanceRun: Sendable {
    private let observed: ObservedPresenter
    private let outcomes = Recorder<Outcome>()
    private let attempts = Recorder<Void>()
    private let task: Task<Void, Never>
    private let clock: any Clock<Duration>

    init(_ presenter: any Presenter, clock: any Clock<Duration>) {
        let observed = ObservedPresenter(presenter)
        let outcomes = outcomes
        let attempts = attempts
        let chain = PresentingResponder(
            "conformance", presenters: [observed], logger: .silent)
        let error = ConformanceProbe().recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record(())
                return true
            }
            RecoveryOption.cancel
        }
        self.observed = observed
        self.clock = clock
        task = Task { outcomes.record(await chain.presentError(error)) }
    }

    var attemptCount: Int { attempts.elements.count }

    func begins(within limit: Duration) async -> Prompt? {
        await withPatience(limit, on: clock) { [observed] in try await observed.begun.next() }
    }

    func ending(within limit: Duration) async -> ObservedPresenter.Ending? {
        await withPatience(limit, on: clock) { [observed] in try await observed.endings.next() }
    }

    func outcome(within limit: Duration) async -> Outcome? {
        await withPatience(limit, on: clock) { [outcomes] in try await outcomes.next() }
    }

    func cancel() { task.cancel() }

    deinit { task.cancel() }
}

/// A presenter between the chain and the one under test, which records its calls.
private final class ObservedPresenter: Presenter {
    /// The end of one call of `present`.
    enum Ending: Sendable {
        case returned(Answer?)
        case threw(any Error)
    }

    let presenterName = "observed"
    let begun = Recorder<Prompt>()
    let endings = Recorder<Ending>()
    private let base: any Presenter

    init(_ base: any Presenter) { self.base = base }

    func present(_ prompt: Prompt) async throws -> Answer? {
        begun.record(prompt)
        do {
            let answer = try await base.present(prompt)
            endings.record(.returned(answer))
            return answer
        } catch {
            endings.record(.threw(error))
            throw error
        }
    }
}
