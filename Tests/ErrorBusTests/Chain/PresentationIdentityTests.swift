import ErrorBusTesting
import Testing

@testable import ErrorBus

@Suite("What is the same presentation and what is a new one")
struct PresentationIdentityTests {
    @Test("A hook that presents another error begins a presentation of its own")
    func presentedByHook() async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let top = PresentingResponder.asking(presenter)
        let middle = ClosureResponder(
            "M", next: top,
            willPresent: { error in
                _ = await top.presentError(SampleError("inner"))
                return error
            })
        let outcome = await middle.presentError(SampleError("outer"))
        let (inner, outer) = (presenter.prompts[0], presenter.prompts[1])
        #expect(inner.report.description == "inner")
        #expect(inner.id != outer.id)
        #expect(outcome.presentation == outer.id)
    }

    @Test("An override that presents to a responder of its own type begins a new one")
    func sameType() async {
        let seen = Recorder<PresentationID?>()
        func end(_ name: String) -> ClosureResponder {
            ClosureResponder(
                name, next: nil,
                willPresent: { error in
                    seen.record(PresentationContext.current?.id)
                    return error
                })
        }
        let aside = end("aside")
        let responder = ClosureResponder(
            "M", next: end("above"),
            present: { _ in
                _ = await aside.presentError(SampleError("other"))
                return nil
            })
        let outcome = await responder.presentError(SampleError())
        #expect(seen.elements.count == 2)
        #expect(seen.elements.first != outcome.presentation)
        #expect(seen.elements.last == outcome.presentation)
    }

    @Test("The first forward continues the presentation, a second one is new")
    func forwardedTwice() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let responder = TwiceForwarding(following: PresentingResponder.asking(presenter))
        let origin = ClosureResponder("O", next: responder)
        let outcome = await origin.presentError(SampleError())
        #expect(presenter.prompts.count == 2)
        #expect(presenter.prompts.first?.id == outcome.presentation)
        #expect(presenter.prompts.last?.id != outcome.presentation)
    }

    @Test("A25 Equal errors at once are three presentations, each answered by itself")
    func parallel() async throws {
        let presenter = ScriptedPresenter(
            "screen", .waitForCancellation, .waitForCancellation, .waitForCancellation)
        let origin = ClosureResponder("O", next: PresentingResponder.asking(presenter))
        let outcomes = Recorder<Outcome>()
        let tasks = (0..<3).map { _ in
            Task {
                let error = SampleError().recoverable { RecoveryOption.cancel }
                outcomes.record(await origin.presentError(error))
            }
        }
        var prompts: [Prompt] = []
        for _ in tasks { prompts.append(try await presenter.nextPrompt()) }
        #expect(Set(prompts.map(\.id)).count == 3)

        _ = try prompts[1].answer("cancel", by: "test", via: .person)
        #expect(try await outcomes.next().presentation == prompts[1].id)
        #expect(outcomes.elements.count == 1)
        #expect(prompts[0].isOpen)
        #expect(prompts[2].isOpen)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        #expect(outcomes.elements.count == 3)
    }

    @Test("What a hook presents arose here, wherever the error came from that it was asked about")
    func originOfAside() async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let top = PresentingResponder.asking(presenter)
        let middle = ClosureResponder(
            "M", next: top,
            willPresent: { error in
                _ = await top.presentError(SampleError("aside"))
                return error
            })
        let origin = PresentedOrigin(origin: "worker", path: ["worker", "relay"])
        _ = await PresentedOrigin.$current.withValue(origin) {
            await middle.receive(SampleError("from below"), in: PresentationContext(id: .make()))
        }
        #expect(presenter.prompts.map(\.origin) == [nil, "worker"])
        #expect(presenter.prompts.map(\.path) == [[], ["worker", "relay"]])
    }

    @Test("A hook that presents to its own responder for ever is stopped")
    func endlessNesting() async {
        let responder = SelfPresenting()
        let outcome = await responder.presentError(SampleError())
        #expect(outcome.reason == .detached)
        #expect(responder.reasons.elements.first == .tooManyHops)
        #expect(responder.reasons.elements.count == PresentationContext.nestingCountMax)
    }

    @Test("A37 A hook that always fails in a chain that runs in a circle comes to rest")
    func endlessFaults() async throws {
        let log = Recorder<String>()
        let linked = LinkedResponder("linked", log)
        let calls = Recorder<Int>()
        let failing = ClosureResponder(
            "failing", next: linked,
            willPresent: { _ in
                calls.record(PresentationContext.nestingCount)
                throw SampleError("fault")
            })
        await linked.link(to: failing)
        #expect(await failing.presentError(SampleError()).reason == .cycle)
        for depth in 1...PresentationContext.nestingCountMax {
            #expect(try await calls.next() == depth)
        }
        await linked.link(to: nil)
    }
}

/// Forwards once more what did not recover.
private struct TwiceForwarding: Responder {
    let following: any Responder
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error) async -> Outcome {
        let outcome = await forwardError(error)
        _ = await forwardError(error)
        return outcome
    }
}

private final class SelfPresenting: Responder {
    let reasons = Recorder<Outcome.Reason>()
    var next: (any Responder)? { get async { nil } }

    func willPresentError(_ error: any Error) async throws -> (any Error)? {
        reasons.record(await presentError(error).reason)
        return error
    }
}
