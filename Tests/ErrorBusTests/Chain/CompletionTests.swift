import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Every presentation completes once")
struct CompletionTests {
    @Test("The handler is called once, and never on the caller's stack", arguments: 0..<3)
    @MainActor
    func handler(kind: Int) async {
        let chains: [any Responder] = [
            ClosureResponder("cut", next: nil),
            ClosureResponder("withholds", next: nil, willPresent: { _, _ in nil }),
            PresentingResponder.asking(ScriptedPresenter("screen", .answer("ok"))),
        ]
        let calls = Recorder<Bool>()
        let hasReturned = Mutex(false)
        let gate = Gate()
        let waiting = ClosureResponder(
            "waiting", next: chains[kind],
            willPresent: { error, _ in
                await gate.wait()
                return error
            })
        let task = waiting.presentError(SampleError()) { didRecover in
            #expect(hasReturned.withLock { $0 })
            calls.record(didRecover)
        }
        hasReturned.withLock { $0 = true }
        gate.open()
        await task.value
        #expect(calls.elements == [false])
    }

    @Test("Cancelling the handler's task withdraws the prompt and still calls the handler")
    func handlerCancelled() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let calls = Recorder<Bool>()
        let task = PresentingResponder.asking(presenter).presentError(SampleError()) {
            calls.record($0)
        }
        let prompt = try await presenter.nextPrompt()
        task.cancel()
        #expect(try await presenter.nextTakenAway() == prompt.id)
        await task.value
        #expect(calls.elements == [false])
        #expect(throws: AnswerRefusal.closed(.withdrawn)) {
            try prompt.answer("ok", by: "late", via: .person)
        }
    }

    @Test("A presenter that ignores its cancellation does not delay its caller")
    func deafPresenter() async throws {
        let gate = Gate()
        let presenter = ScriptedPresenter(
            "deaf",
            .run { _ in
                await gate.wait()
                return nil
            })
        let chain = PresentingResponder.asking(presenter)
        let task = Task { await chain.presentError(SampleError()) }
        _ = try await presenter.nextPrompt()
        task.cancel()
        #expect(await task.value.reason == .withdrawn)
        gate.open()
    }

    @Test("A presenter that answers and never returns does not delay its caller")
    func answersAndStays() async throws {
        let gate = Gate()
        let presenter = ScriptedPresenter(
            "stays",
            .run { prompt in
                let answer = try prompt.answer("ok", by: "stays", via: .person)
                await gate.wait()
                return answer
            })
        let outcome = await PresentingResponder.asking(presenter).presentError(SampleError())
        #expect(outcome.reason == .answered)
        gate.open()
    }

    @Test("A caller cancelled before it presents shows nothing")
    func cancelledBefore() async {
        let log = Recorder<String>()
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let chain = ClosureResponder.noting(
            "O", in: log, next: PresentingResponder.asking(presenter))
        let outcome = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await chain.presentError(SampleError())
        }.value
        #expect(outcome.reason == .withdrawn)
        #expect(presenter.prompts.isEmpty)
        #expect(log.elements.isEmpty)
    }

    @Test("A hook that throws on cancellation is not a fault")
    func cancelledInHook() async throws {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let hooks = Recorder<Void>()
        let chain = ClosureResponder(
            "O", next: PresentingResponder.asking(presenter),
            willPresent: { error, _ in
                hooks.record(())
                try await Recorder<Void>().next()
                return error
            })
        let task = Task { await chain.presentError(SampleError()) }
        try await hooks.next()
        task.cancel()
        #expect(await task.value.reason == .withdrawn)
        #expect(presenter.prompts.isEmpty)
    }

    @Test("Concurrent answers and withdrawals end in exactly one of both")
    func race() async throws {
        for _ in 0..<200 {
            let attempts = Recorder<Void>()
            let presenter = ScriptedPresenter("screen", .waitForCancellation)
            let chain = PresentingResponder.asking(presenter)
            let task = Task {
                await chain.presentError(
                    SampleError().recoverable {
                        RecoveryOption("Retry", id: "retry") {
                            attempts.record(())
                            return true
                        }
                    })
            }
            let prompt = try await presenter.nextPrompt()
            async let answered = Task {
                (try? prompt.answer("retry", by: "test", via: .person)) != nil
            }.value
            task.cancel()
            let (wasTaken, outcome) = (await answered, await task.value)
            #expect(outcome.reason == (wasTaken ? .answered : .withdrawn))
            #expect(attempts.elements.count == (wasTaken ? 1 : 0))
        }
    }
}

/// Closed until a test opens it; deaf to cancellation.
final class Gate: Sendable {
    private let opened = FirstValue<Void>()
    func wait() async { await opened.value }
    func open() { opened.offer(()) }
}
