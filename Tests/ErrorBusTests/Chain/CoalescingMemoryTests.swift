import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("What a group of equal errors keeps", .timeLimit(.minutes(10)))
struct CoalescingMemoryTests {
    /// Two equal errors, the second with a deadline of a day, end with one outcome.
    private func share(_ freed: Recorder<Void>) async throws {
        let token = LifeToken(freed)
        let (above, waiting, gate) = (Recorder<Void>(), Recorder<Void>(), Gate())
        let responder = CoalescingResponder(
            "C",
            next: ClosureResponder(
                "N", next: nil,
                present: { [token] _, _ in
                    above.record(())
                    await gate.wait()
                    withExtendedLifetime(token) {}
                    return Outcome(didRecover: false, reason: .withheld, decidedBy: "N")
                }))
        let first = Task { await responder.presentError(SampleError()) }
        try await above.next()
        let context = PresentationContext(
            id: .make(), deadline: ManualTime().now.instant + .seconds(86_400),
            stateChanged: { if $0.station == .queued { waiting.record(()) } })
        let second = Task { await responder.presentError(SampleError(), in: context) }
        try await waiting.next()
        gate.open()
        #expect(await first.value.reason == .withheld)
        #expect(await second.value.reason == .withheld)
        #expect(responder.isIdle)
    }

    @Test("An error that its group has served leaves no timer for its deadline")
    func served() async throws {
        let freed = Recorder<Void>()
        try await share(freed)
        // A timer that was left would keep the responder until the day is over.
        try await freed.next()
    }
}
