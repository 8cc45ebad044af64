import ErrorBus

/// One error in front of the presenter under test.
final class PresenterConformanceRun: Sendable {
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
