import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("withRecovery repeats a failed operation")
struct WithRecoveryTests {
    @Test("A01 Each repetition is a new presentation that names the one before")
    func lineage() async throws {
        let presenter = ScriptedPresenter("screen", .answer("retry"), .answer("retry"))
        let origin = ClosureResponder("O", next: PresentingResponder.asking(presenter))
        var count = 0
        let value = try await origin.withRecovery {
            count += 1
            if count < 3 { throw retryable() }
            return count
        }
        #expect(value == 3)
        let (first, second) = (presenter.prompts[0], presenter.prompts[1])
        #expect(first.report.retryOf == nil)
        #expect(first.retryCount == 0)
        #expect(second.report.retryOf == first.id)
        #expect(second.retryCount == 1)
    }

    @Test("A02 An error without recovery is thrown, after one presentation")
    func notRecovered() async {
        let presenter = ScriptedPresenter("screen", .answer("cancel"))
        let origin = PresentingResponder.asking(presenter)
        await #expect(throws: Recoverable.self) {
            try await origin.withRecovery { throw retryable() }
        }
        #expect(presenter.prompts.count == 1)
    }

    @Test("A responder's own presentation is not taken for a repetition")
    func asideHasNoLineage() async throws {
        let presenter = ScriptedPresenter(
            "screen", .answer("retry"), .answer("ok"), .answer("retry"))
        let top = PresentingResponder.asking(presenter)
        var isFirst = true
        let origin = ClosureResponder(
            "O", next: top,
            present: { _, _ in
                if presenter.prompts.count == 1 {
                    _ = await top.presentError(SampleError("aside"))
                }
                return nil
            })
        var count = 0
        try await origin.withRecovery {
            count += 1
            if count < 3 { throw retryable() }
            isFirst = false
        }
        #expect(!isFirst)
        let prompts = presenter.prompts
        #expect(prompts.map(\.retryCount) == [0, 0, 1])
        #expect(prompts.map(\.report.retryOf) == [nil, nil, prompts[0].id])
    }

    @Test("An operation repeated endlessly inside its own hook is stopped")
    func endlessNesting() async {
        let responder = SelfRepeating()
        await #expect(throws: SampleError.self) {
            try await responder.withRecovery { throw SampleError() }
        }
        #expect(responder.hooks.elements.count == PresentationContext.nestingCountMax)
    }

    @Test("Cancellation is thrown without a prompt")
    func cancellation() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let origin = PresentingResponder.asking(presenter)
        await #expect(throws: CancellationError.self) {
            try await origin.withRecovery { throw CancellationError() }
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await origin.withRecovery { throw SampleError("while cancelled") }
        }
        await #expect(throws: SampleError.self) { try await task.value }
        #expect(presenter.prompts.isEmpty)
    }

    @Test("An actor can repeat its own operation")
    @MainActor
    func isolated() async throws {
        let presenter = ScriptedPresenter("screen", .answer("retry"))
        let origin = PresentingResponder.asking(presenter)
        var attempts: [Int] = []
        try await origin.withRecovery {
            MainActor.assertIsolated()
            attempts.append(attempts.count)
            if attempts.count == 1 { throw retryable() }
        }
        #expect(attempts == [0, 1])
    }

    private func retryable() -> Recoverable {
        SampleError().recoverable {
            RecoveryOption("Retry", id: "retry", role: .default) { true }
            RecoveryOption.cancel
        }
    }
}

/// Does in its hook what failed, and so on.
private final class SelfRepeating: Responder {
    let hooks = Recorder<Void>()
    var next: (any Responder)? { get async { nil } }

    func willPresentError(
        _ error: any Error, in context: PresentationContext
    ) async throws -> (any Error)? {
        hooks.record(())
        try? await withRecovery(from: context) { throw error }
        return error
    }
}
