import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The same presentation, and a new one")
struct PresentationIdentityTests {
    /// How a hook presents another error.
    enum Aside: CaseIterable {
        /// By itself.
        case plain
        /// Saying where: `presentError(_:from:)`.
        case from
        /// With the context that it was given, which carries the error it is asked about.
        case within
    }

    @Test(
        "A hook that presents another error begins a new presentation",
        arguments: Aside.allCases)
    func presentedByHook(aside: Aside) async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let top = PresentingResponder.asking(presenter)
        let middle = ClosureResponder(
            "M", next: top,
            willPresent: { error, context in
                let inner = SampleError("inner")
                let outcome =
                    switch aside {
                    case .plain: await top.presentError(inner)
                    case .from: await top.presentError(inner, from: context)
                    case .within: await top.presentError(inner, in: context)
                    }
                #expect(outcome.reason == .answered)
                return error
            })
        let outcome = await middle.presentError(SampleError("outer"))
        let (inner, outer) = (presenter.prompts[0], presenter.prompts[1])
        #expect(inner.report.description == "inner")
        #expect(inner.id != outer.id)
        #expect(inner.report.retryOf == nil)
        #expect(outcome.presentation == outer.id)
    }

    @Test("An override that presents to a responder of its own type begins a new one")
    func sameType() async {
        let seen = Recorder<PresentationID>()
        func end(_ name: String) -> ClosureResponder {
            ClosureResponder(
                name, next: nil,
                willPresent: { error, context in
                    seen.record(context.id)
                    return error
                })
        }
        let aside = end("aside")
        let responder = ClosureResponder(
            "M", next: end("above"),
            present: { _, _ in
                _ = await aside.presentError(SampleError("other"))
                return nil
            })
        let outcome = await responder.presentError(SampleError())
        #expect(seen.elements.count == 2)
        #expect(seen.elements.first != outcome.presentation)
        #expect(seen.elements.last == outcome.presentation)
    }

    @Test("The first forward passes the presentation on, a second one begins a repetition")
    func forwardedTwice() async {
        let answering = ScriptedPresenter.Step.run { prompt in
            prompt.moved(to: .claimed)
            return try prompt.answer("ok", by: "test", via: .person)
        }
        let presenter = ScriptedPresenter("screen", answering, answering)
        let claims = Recorder<Void>()
        let responder = TwiceForwarding(following: PresentingResponder.asking(presenter))
        let origin = ClosureResponder("O", next: responder)
        var options = PresentationOptions()
        options.deadline = .seconds(3_600)
        options.stateChanged = { if $0.station == .claimed { claims.record(()) } }
        let outcome = await origin.presentError(SampleError(), options: options)
        let (first, second) = (presenter.prompts[0], presenter.prompts[1])
        #expect(presenter.prompts.count == 2)
        #expect(first.id == outcome.presentation)
        #expect(second.id != first.id)
        #expect(second.report.retryOf == first.id)
        #expect((first.retryCount, second.retryCount) == (0, 1))
        // Its caller waits no longer for it than for the first, and hears of both.
        #expect(claims.elements.count == 2)
        #expect(second.deadline == first.deadline)
        #expect(first.deadline != nil)
    }

    @Test("Of two responders offered one context at once, one gets the presentation")
    func handedToTwo() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"))
        let top = PresentingResponder.asking(presenter)
        let responder = ClosureResponder(
            "M", next: nil,
            present: { error, context in
                async let one = ClosureResponder("A", next: top).presentError(error, in: context)
                async let other = ClosureResponder("B", next: top).presentError(error, in: context)
                let outcomes = await [one, other]
                #expect(outcomes.map(\.reason) == [.answered, .answered])
                #expect(Set(outcomes.map(\.presentation)).count == 2)
                return outcomes[0]
            })
        let outcome = await responder.presentError(SampleError())
        let ids = presenter.prompts.map(\.id)
        #expect(Set(ids).count == 2)
        #expect(ids.contains { $0 == outcome.presentation })
        #expect(presenter.prompts.count { $0.report.retryOf == outcome.presentation } == 1)
    }

    @Test("A25 Three equal errors at once are three presentations with their own answers")
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

    @Test("A process's own error on the way is a new presentation, wherever the first came from")
    func originOfAside() async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"), .answer("ok"), .answer("ok"))
        let top = PresentingResponder.asking(presenter)
        let middle = ClosureResponder(
            "M", next: TwiceForwarding(following: top),
            willPresent: { error, context in
                _ = await top.presentError(SampleError("aside"), from: context)
                return error
            })
        let asked = Message.Present(
            id: .make(), origin: "worker", path: ["worker", "relay"], payload: [])
        let context = PresentationContext(id: asked.id, received: ReceivedPresentation(asked))
        _ = await middle.presentError(SampleError("from below"), in: context)
        #expect(presenter.prompts.map(\.origin) == [nil, "worker", nil])
        #expect(presenter.prompts.map(\.path) == [[], ["worker", "relay"], []])
        #expect(presenter.prompts.map { $0.id == asked.id } == [false, true, false])
    }

    @Test("A hook that presents endlessly to its own responder is stopped")
    func endlessNesting() async {
        let responder = SelfPresenting { responder, error, context in
            await responder.presentError(error, from: context)
        }
        let outcome = await responder.presentError(SampleError())
        #expect(outcome.reason == .detached)
        #expect(responder.reasons.elements.first == .tooManyHops)
        #expect(responder.reasons.elements.count == PresentationContext.nestingCountMax)
    }

    @Test("A hook that passes its context to its own responder endlessly is stopped")
    func endlessHandingBack() async {
        let responder = SelfPresenting { responder, error, context in
            await responder.presentError(error, in: context)
        }
        let outcome = await responder.presentError(SampleError())
        #expect(outcome.reason == .detached)
        #expect(responder.reasons.elements.first == .tooManyHops)
        #expect(responder.reasons.elements.count == PresentationContext.nestingCountMax)
    }

    @Test("A circle in which a responder forwards each error twice comes to an end")
    func endlessForwarding() async {
        let log = Recorder<String>()
        let linked = LinkedResponder("linked", log)
        let twice = TwiceForwarding(following: linked)
        await linked.link(to: twice)
        #expect(await twice.presentError(SampleError()).reason == .cycle)
        // The hook of "linked" runs once for each presentation: two rows of nested ones.
        let presentationCount = log.elements.count { $0 == "linked" }
        #expect(presentationCount > PresentationContext.nestingCountMax)
        #expect(presentationCount <= 2 * PresentationContext.nestingCountMax)
        await linked.link(to: nil)
    }

    @Test("A hook that presents endlessly without its context is stopped")
    func endlessPlainNesting() async {
        let responder = PlainSelfPresenting()
        #expect(await responder.presentError(SampleError()).reason == .detached)
        let reasons = responder.reasons.withLock { $0 }
        #expect(reasons.first == .busy)
        #expect(reasons.dropFirst().allSatisfy { $0 == .detached })
        #expect(reasons.count == PresentationsBegun.countMax)
        // It is over, and others are not held up by it.
        responder.isOver.store(true, ordering: .relaxed)
        #expect(await responder.presentError(SampleError()).reason == .detached)
        #expect(
            await ClosureResponder("O", next: nil).presentError(SampleError()).reason == .detached)
    }

    @Test("An override that presents its error again instead of passing it on is refused")
    func endlessOverride() async throws {
        let outcome = await Restarting().presentError(SampleError())
        #expect(outcome.reason == .busy)
        let detail = try #require(outcome.detail)
        #expect(detail.contains("\(PresentationsBegun.countMax) presentations"))
        #expect(detail.contains("Restarting"))
        #expect(detail.contains("forwardError(error, in: context)"))
    }

    @Test("A37 A hook that always fails in a circular chain comes to an end")
    func endlessFaults() async throws {
        let log = Recorder<String>()
        let linked = LinkedResponder("linked", log)
        let calls = Recorder<Int>()
        let failing = ClosureResponder(
            "failing", next: linked,
            willPresent: { _, context in
                calls.record(context.nestingCount)
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

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        let outcome = await forwardError(error, in: context)
        _ = await forwardError(error, in: context)
        return outcome
    }
}

/// Presents each error to itself once more, as `present` does it.
private final class SelfPresenting: Responder {
    typealias Present =
        @Sendable (SelfPresenting, any Error, PresentationContext) async -> Outcome

    let reasons = Recorder<Outcome.Reason>()
    private let present: Present

    init(present: @escaping Present) { self.present = present }

    var next: (any Responder)? { get async { nil } }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        reasons.record(await present(self, error, context).reason)
        return error
    }
}

/// The same without a word of where. A type of its own: what began there is counted by type.
private final class PlainSelfPresenting: Responder {
    let reasons = Mutex<[Outcome.Reason]>([])
    let isOver = Atomic(false)
    var next: (any Responder)? { get async { nil } }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        if isOver.load(ordering: .relaxed) { return error }
        let reason = await presentError(error).reason
        reasons.withLock { $0.append(reason) }
        return error
    }
}

/// What becomes of an override that forgets its context.
private struct Restarting: Responder {
    var next: (any Responder)? { get async { nil } }

    func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome {
        await presentError(error)
    }
}
