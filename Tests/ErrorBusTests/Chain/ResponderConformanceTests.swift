import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The public checks of responders", .timeLimit(.minutes(10)))
struct ResponderConformanceTests {
    /// A responder that begins a new presentation in place of the one that came.
    private struct Beginning: Responder {
        let following: (any Responder)?
        var next: (any Responder)? { get async { following } }

        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            guard let following else { return await forwardError(error, in: context) }
            return await following.presentError(error, from: context)
        }
    }

    @Test("A responder that passes an error on as another presentation fails")
    func beginning() async {
        let checks = ResponderConformance(clock: ManualClock()) { Beginning(following: $0) }
        let found = await checks.violations()
        #expect(found.map(\.found) == ["next saw another presentation's id"])
    }

    /// A responder that waits without an end where there is no next one.
    private struct Waiting: Responder {
        let following: (any Responder)?
        let waits: Recorder<Void>
        var next: (any Responder)? { get async { following } }

        func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
            if following == nil {
                waits.record(())
                // Nothing is ever recorded: only cancellation ends the wait.
                _ = try? await Recorder<Never>().next()
            }
            return await forwardError(error, in: context)
        }
    }

    @Test("A responder that does not complete at the end of a chain fails")
    func waiting() async {
        let (clock, waits) = (ManualClock(), Recorder<Void>())
        let checks = ResponderConformance(clock: clock) { next in
            Waiting(following: next, waits: waits)
        }
        let passing = Task {
            try await waits.next()
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(5))
        }
        let found = await checks.violations()
        passing.cancel()
        #expect(found.map(\.rule) == ["with no next the caller completes"])
    }
}
