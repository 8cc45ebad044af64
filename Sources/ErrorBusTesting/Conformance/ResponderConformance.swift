public import ErrorBus

/// Checks that a responder follows the rules of ``Responder``, for users' own tests:
///
/// ```swift
/// let checks = ResponderConformance { next in Importer(next: next) }
/// #expect(await checks.violations().isEmpty)
/// ```
///
/// The probe is an error that the responder does not handle, so it must be passed on with at least
/// its options.
public struct ResponderConformance: Sendable {
    /// Makes the responder under test, in front of `next`.
    public typealias MakeResponder =
        @Sendable (_ next: (any Responder)?) async -> any Responder

    private let probe: any Error
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let makeResponder: MakeResponder

    /// The checks of the responders that `makeResponder` makes.
    ///
    /// - Parameters:
    ///   - probe: An error that the responder passes on; by default one made here.
    ///   - patience: The time limit for each expected event.
    ///   - clock: The clock of that limit. On a ``ManualClock`` that stands still a check waits
    ///     without a limit.
    ///   - makeResponder: Makes a fresh responder for each check.
    public init(
        probe: (any Error)? = nil, patience: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock(),
        makeResponder: @escaping MakeResponder
    ) {
        self.probe = probe ?? ConformanceProbe()
        self.patience = patience
        self.clock = clock
        self.makeResponder = makeResponder
    }

    /// Runs every check; empty when the responder follows the rules.
    public func violations() async -> [ConformanceViolation] {
        var found: [ConformanceViolation] = []
        for check in [
            errorIsPassedOn, attemptRunsOnce, cutChainCompletes, cancellationIsHonoured,
            handlerIsCalledOnce,
        ] {
            if let violation = await check() { found.append(violation) }
        }
        return found
    }

    private func errorIsPassedOn() async -> ConformanceViolation? {
        let rule = "an error that is not handled reaches next once, as the same presentation"
        let seen = Recorder<PresentationID>()
        let end = ClosureResponder(
            "end", next: nil,
            present: { _, context in
                seen.record(context.id)
                return Outcome(didRecover: true, reason: .handled, decidedBy: "end")
            })
        guard let outcome = await present(probe, before: end) else {
            return ConformanceViolation(rule: rule, found: "no outcome")
        }
        guard seen.elements.count == 1 else {
            return ConformanceViolation(
                rule: rule, found: "next was asked \(seen.elements.count) times")
        }
        guard seen.elements.first == outcome.presentation else {
            return ConformanceViolation(rule: rule, found: "next saw another presentation's id")
        }
        guard outcome.didRecover, outcome.reason == .handled, outcome.decidedBy == "end" else {
            return ConformanceViolation(rule: rule, found: "its outcome came back as: \(outcome)")
        }
        return nil
    }

    private func attemptRunsOnce() async -> ConformanceViolation? {
        let rule = "an option keeps its id and its attempter on the way"
        let attempts = Recorder<Void>()
        let error = probe.recoverable {
            RecoveryOption("Probe", id: "conformance-probe") {
                attempts.record(())
                return true
            }
            RecoveryOption.cancel
        }
        let presenter = ScriptedPresenter("end", .answer("conformance-probe"))
        let end = PresentingResponder("end", presenters: [presenter], logger: .silent)
        let outcome = await present(error, before: end)
        guard let outcome, outcome.didRecover, attempts.elements.count == 1 else {
            let text = outcome.map(String.init(describing:)) ?? "no outcome"
            return ConformanceViolation(
                rule: rule, found: "\(attempts.elements.count) attempts, \(text)")
        }
        return nil
    }

    private func cutChainCompletes() async -> ConformanceViolation? {
        let rule = "with no next the caller completes"
        guard await present(probe, before: nil) != nil else {
            return ConformanceViolation(rule: rule, found: "no outcome")
        }
        return nil
    }

    private func cancellationIsHonoured() async -> ConformanceViolation? {
        let rule = "cancelling the caller completes it, and withdraws the error from next"
        let presenter = ScriptedPresenter("end", .waitForCancellation)
        let end = PresentingResponder("end", presenters: [presenter], logger: .silent)
        let responder = await makeResponder(end)
        let outcomes = Recorder<Outcome>()
        let task = Task { [probe] in outcomes.record(await responder.presentError(probe)) }
        defer { task.cancel() }
        guard await withPatience(patience, on: clock, { try await presenter.nextPrompt() }) != nil
        else {
            return ConformanceViolation(rule: rule, found: "next was not asked")
        }
        task.cancel()
        guard
            await withPatience(patience, on: clock, { try await presenter.nextTakenAway() }) != nil
        else {
            return ConformanceViolation(rule: rule, found: "next was not cancelled")
        }
        guard let outcome = await withPatience(patience, on: clock, { try await outcomes.next() })
        else {
            return ConformanceViolation(rule: rule, found: "no outcome")
        }
        guard !outcome.didRecover else {
            return ConformanceViolation(rule: rule, found: "it claims recovery: \(outcome)")
        }
        return nil
    }

    private func handlerIsCalledOnce() async -> ConformanceViolation? {
        let rule = "the completion handler is called once for each error"
        let end = ClosureResponder(
            "end", next: nil,
            present: { _, _ in Outcome(didRecover: false, reason: .handled, decidedBy: "end") })
        let responder = await makeResponder(end)
        let calls = Recorder<Bool>()
        let tasks = (0..<3).map { _ in
            responder.presentError(probe) { calls.record($0) }
        }
        let ended: Void? = await withPatience(patience, on: clock) {
            for task in tasks { await task.value }
        }
        guard ended != nil, calls.elements.count == tasks.count else {
            return ConformanceViolation(
                rule: rule, found: "\(calls.elements.count) calls for \(tasks.count) errors")
        }
        return nil
    }

    private func present(
        _ error: any Error, before next: (any Responder)?
    ) async -> Outcome? {
        // In a chain, as in production: the presentation begins below the responder under test.
        let origin = ClosureResponder("origin", next: await makeResponder(next))
        return await withPatience(patience, on: clock) { await origin.presentError(error) }
    }
}
