import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("A presentation inside another one never waits for it", .timeLimit(.minutes(10)))
struct InnerPresentationTests {
    private static func error(_ code: Int) -> any Error {
        SampleError(code: code).recoverable {
            RecoveryOption("Retry", id: "retry") { true }
            RecoveryOption.cancel
        }
    }

    /// At the first level the hook presents the outer error once more; with two levels it presents
    /// another one, whose hook presents the outer error.
    @Test("An error that a hook above presents below joins no group", arguments: [1, 2])
    func group(levelCount: Int) async {
        let presenter = ScriptedPresenter(
            "screen", .answer("retry"), .answer("retry"), .answer("retry"))
        let bottom = Recorder<CoalescingResponder>()
        let inner = Recorder<Outcome>()
        let middle = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            willPresent: { error, context in
                let level = context.nestingCount
                guard level <= levelCount, let lowest = bottom.elements.first else {
                    return error
                }
                let presented = Self.error(level == levelCount ? 1 : 2)
                inner.record(await lowest.presentError(presented, from: context))
                return error
            })
        let responder = CoalescingResponder("C", next: middle)
        bottom.record(responder)
        let outcome = await responder.presentError(Self.error(1))
        #expect(outcome.didRecover)
        #expect(inner.elements.map(\.didRecover) == Array(repeating: true, count: levelCount))
        #expect(presenter.prompts.count == levelCount + 1)
        #expect(responder.isIdle)
    }

    @Test("An equal error that a hook above presents below without its context is refused")
    func withoutContext() async {
        let presenter = ScriptedPresenter("screen", .answer("retry"))
        let bottom = Recorder<CoalescingResponder>()
        let inner = Recorder<Outcome>()
        let middle = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            willPresent: { error, _ in
                if let lowest = bottom.elements.first {
                    inner.record(await lowest.presentError(Self.error(1)))
                }
                return error
            })
        let responder = CoalescingResponder("C", next: middle)
        bottom.record(responder)
        let outcome = await responder.presentError(Self.error(1))
        #expect(outcome.didRecover)
        #expect(inner.elements.map(\.reason) == [.cycle])
        #expect(inner.elements.first?.detail?.contains("pass the context") == true)
        #expect(presenter.prompts.count == 1)
        #expect(responder.isIdle)
    }

    @Test("An error that a hook below presents still joins a group")
    func below() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .answer("retry"))
        let waiting = Recorder<Void>()
        let responder = CoalescingResponder("C", next: PresentingResponder.asking(presenter))
        let first = Task { await responder.presentError(Self.error(1)) }
        let prompt = try await presenter.nextPrompt()
        let below = ClosureResponder(
            "B", next: responder,
            willPresent: { error, context in
                var options = PresentationOptions()
                options.stateChanged = { if $0.station == .queued { waiting.record(()) } }
                _ = await responder.presentError(Self.error(1), options: options, from: context)
                return error
            })
        let second = Task { await below.presentError(Self.error(2)) }
        try await waiting.next()
        _ = try prompt.answer("retry", by: "ann", via: .person)
        #expect(await first.value.didRecover)
        #expect(await second.value.didRecover)
        #expect(presenter.prompts.count == 2)
    }

    @Test("An error under the id of the presentation that it begins in is refused, at any level")
    func ownID() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let (outer, inner) = (Recorder<PresentationID>(), Recorder<Outcome>())
        let top = PresentingResponder.asking(presenter)
        let between = ClosureResponder(
            "B", next: top,
            willPresent: { error, context in
                var options = PresentationOptions()
                options.id = outer.elements.first
                let outcome = await top.presentError(
                    SampleError("inner"), options: options, from: context)
                inner.record(outcome)
                return error
            })
        let middle = ClosureResponder(
            "M", next: between,
            willPresent: { error, context in
                outer.record(context.id)
                _ = await between.presentError(SampleError("between"), from: context)
                return error
            })
        let outcome = await middle.presentError(SampleError("outer"))
        #expect(outcome.reason == .answered)
        // Inside the one between, and then inside the outer one itself.
        #expect(inner.elements.map(\.reason) == [.cycle, .cycle])
        #expect(inner.elements.first?.detail?.hasSuffix("present it under another id") == true)
        #expect(presenter.prompts.map(\.report.description) == ["between", "outer"])
    }
}
