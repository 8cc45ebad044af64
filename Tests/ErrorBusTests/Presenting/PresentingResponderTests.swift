import ErrorBusTesting
import Logging
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Presenters at the end of a chain")
struct PresentingResponderTests {
    @Test("Presenters are asked in order; a failing one is skipped")
    func order() async {
        let failing = ScriptedPresenter("failing", .fail(SampleError("no terminal")))
        let declining = ScriptedPresenter("declining", .decline)
        let answering = ScriptedPresenter("answering", .answer("ok", by: "ann"))
        let unused = ScriptedPresenter("unused", .answer("ok", by: "bob"))
        let chain = PresentingResponder.asking(failing, declining, answering, unused)
        let outcome = await chain.presentError(SampleError())
        #expect(outcome.answer?.by == "ann")
        #expect(outcome.decidedBy == "P")
        #expect(unused.prompts.isEmpty)
        let ids = [failing, declining, answering].map { $0.prompts.map(\.id) }
        #expect(Set(ids).count == 1)
    }

    @Test("When all decline the error goes on, as the same presentation")
    func allDecline() async throws {
        let presenter = ScriptedPresenter("second", .answer("ok"))
        let second = PresentingResponder.asking(presenter, name: "second")
        let declining = ScriptedPresenter("declining", .decline)
        let first = PresentingResponder(
            "first", presenters: [declining], next: second, logger: .silent)
        let outcome = await first.presentError(SampleError())
        #expect(outcome.decidedBy == "second")
        #expect(presenter.prompts.map(\.id) == declining.prompts.map(\.id))
        let stale = try #require(declining.prompts.first)
        #expect(throws: AnswerRefusal.closed(.declined)) {
            try stale.answer("ok", by: "late", via: .person)
        }
    }

    @Test("An error that a presenter presents is a new presentation")
    func presentedByPresenter() async {
        let aside = ScriptedPresenter("aside", .answer("ok"))
        let asideChain = PresentingResponder.asking(aside, name: "aside")
        let presenter = ScriptedPresenter(
            "screen",
            .run { prompt in
                _ = await asideChain.presentError(SampleError("the screen is broken"))
                return try prompt.answer("ok", by: "screen", via: .person)
            })
        let outcome = await PresentingResponder.asking(presenter).presentError(SampleError())
        #expect(outcome.presentation == presenter.prompts.first?.id)
        #expect(aside.prompts.first?.id != presenter.prompts.first?.id)
        #expect(aside.prompts.count == 1)
    }

    /// Presents its own fault where it is asked itself.
    private final class FaultyPresenter: Presenter {
        let presenterName = "faulty"
        let chain = Mutex<PresentingResponder?>(nil)
        let reasons = Recorder<Outcome.Reason>()

        func present(_ prompt: Prompt) async throws -> Answer? {
            guard let chain = chain.withLock({ $0 }) else { return nil }
            let fault = SampleError("the screen is broken")
            reasons.record(await chain.presentError(fault, from: prompt.context).reason)
            return nil
        }
    }

    @Test("A presenter that presents its fault to itself endlessly is stopped")
    func endlessFaults() async {
        let presenter = FaultyPresenter()
        let chain = PresentingResponder.asking(presenter)
        presenter.chain.withLock { $0 = chain }
        #expect(await chain.presentError(SampleError()).reason == .detached)
        #expect(presenter.reasons.elements.first == .tooManyHops)
        #expect(presenter.reasons.elements.count == PresentationContext.nestingCountMax)
        presenter.chain.withLock { $0 = nil }
    }

    @Test("A deadline that has passed shows nothing and expires")
    func late() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        let context = PresentationContext(id: .make(), deadline: ManualTime().now.instant)
        let outcome = await PresentingResponder.asking(presenter)
            .presentError(SampleError(), in: context)
        #expect(outcome.reason == .expired)
        #expect(presenter.prompts.isEmpty)
    }

    /// What is presented with a deadline that comes while its prompt is shown. A deadline is real
    /// time: on a machine too busy to show the prompt before it, a longer one is tried.
    private func expiring(
        _ presenter: ScriptedPresenter, _ present: (PresentationOptions) async -> Outcome
    ) async -> (Outcome, tryCount: Int) {
        var options = PresentationOptions()
        var deadline = Duration.milliseconds(50)
        var tryCount = 0
        while true {
            options.deadline = deadline
            tryCount += 1
            let outcome = await present(options)
            if !presenter.prompts.isEmpty { return (outcome, tryCount) }
            deadline = deadline * 4
        }
    }

    @Test("A deadline takes the prompt away")
    func deadline() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let (outcome, _) = await expiring(presenter) { options in
            await PresentingResponder.asking(presenter)
                .presentError(SampleError(), options: options)
        }
        #expect(outcome.reason == .expired)
        #expect(outcome.presentation == presenter.prompts.first?.id)
        let prompt = try #require(presenter.prompts.first)
        #expect(try await presenter.nextTakenAway() == prompt.id)
        #expect(throws: AnswerRefusal.closed(.expired)) {
            try prompt.answer("ok", by: "late", via: .person)
        }
    }

    @Test("A38 the number of earlier presentations is known, also from another process")
    func retryCount() async {
        let presenter = ScriptedPresenter("screen", .answer("ok"))
        var report = ErrorReport(domain: "d", description: "x")
        report.retryCount = 3
        _ = await PresentingResponder.asking(presenter).presentError(Reported(report: report))
        #expect(presenter.prompts.first?.retryCount == 3)
    }

    @Test("A28 without an answer the declared option is applied", arguments: [true, false])
    func onExpiry(isDeclaredByCaller: Bool) async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let attempts = Attempts()
        var report = ErrorReport(domain: "d", description: "x")
        if !isDeclaredByCaller { report.onExpiry = "skip" }
        let error = Reported(report: report).recoverable {
            RecoveryOption("Retry", id: "retry") { false }
            RecoveryOption("Skip", id: "skip") { attempts.run() }
        }
        let (outcome, tryCount) = await expiring(presenter) { options in
            var options = options
            if isDeclaredByCaller { options.onExpiry = "skip" }
            return await PresentingResponder.asking(presenter)
                .presentError(error, options: options)
        }
        #expect(outcome.didRecover)
        #expect(outcome.reason == .answered)
        #expect(outcome.answer?.option == "skip")
        #expect(outcome.answer?.via == .expiry)
        #expect(attempts.total == tryCount)
        #expect(presenter.prompts.first?.report.onExpiry == "skip")
    }

    @Test("A28 without an answer the OK of an error without options is applied where declared")
    func okayOnExpiry() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        var report = ErrorReport(domain: "d", description: "x")
        report.onExpiry = "ok"
        let error = Reported(report: report)
        let (outcome, _) = await expiring(presenter) { options in
            await PresentingResponder.asking(presenter).presentError(error, options: options)
        }
        #expect(outcome.reason == .answered)
        #expect(outcome.answer?.option == "ok")
        #expect(outcome.answer?.via == .expiry)
    }

    @Test(
        "A28 without a declared option, or with one not offered, it expires", arguments: [nil, "x"])
    func notOnExpiry(option: String?) async throws {
        var options = PresentationOptions()
        options.deadline = .milliseconds(1)
        options.onExpiry = option
        let outcome = await PresentingResponder.asking(
            ScriptedPresenter("screen", .waitForCancellation)
        ).presentError(SampleError(), options: options)
        #expect(outcome.reason == .expired)
        #expect(!outcome.didRecover)
    }

    private struct Reported: ReportableError {
        let report: ErrorReport
    }

    @Test("F19 a prompt that ends while its answer is written is not a fault of the journal")
    func cancelledWrite() async throws {
        let journal = HeldJournal()
        let faults = Recorder<String>()
        let logger = Logger(label: "test") { _ in FaultHandler(faults: faults) }
        let chain = PresentingResponder(
            "P", presenters: [ScriptedPresenter("screen", .answer("ok"))], next: nil,
            journal: journal, logger: logger)
        let asking = Task { await chain.presentError(SampleError()) }
        _ = try await journal.writing.next()
        asking.cancel()
        let outcome = await asking.value
        #expect(outcome.reason == .withdrawn)
        #expect(faults.elements.isEmpty)
    }

    /// Writes until it is asked to stop.
    private struct HeldJournal: DecisionJournal {
        let writing = Recorder<PresentationID>()

        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            writing.record(id)
            _ = try await Recorder<Bool>().next()
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    private struct FaultHandler: LogHandler {
        let faults: Recorder<String>
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { faults.record("\(event.message)") }
    }

    @Test("A cancellation that a presenter throws of itself is logged; the next one is asked")
    func ownCancellation() async {
        let faults = Recorder<String>()
        let logger = Logger(label: "test") { _ in FaultHandler(faults: faults) }
        let chain = PresentingResponder(
            "P",
            presenters: [
                ScriptedPresenter("first", .fail(CancellationError())),
                ScriptedPresenter("second", .answer("ok", by: "ann")),
            ], logger: logger)
        #expect(await chain.presentError(SampleError()).answer?.by == "ann")
        #expect(faults.elements == ["presenter failed"])
    }

    @Test("The record of a prompt that all presenters decline ends, which its observers learn")
    func declinedRecord() async {
        let recorded = Recorder<Bool>()
        let presenter = ScriptedPresenter(
            "shy",
            .run { prompt in
                prompt.onRecord { recorded.record($0) }
                return nil
            })
        let outcome = await PresentingResponder.asking(presenter).presentError(SampleError())
        #expect(outcome.reason == .detached)
        #expect(recorded.elements == [false])
    }

    @Test("An answer made for another prompt is checked like any other")
    func foreignAnswer() async throws {
        let other = Prompt(
            SampleError().recoverable { RecoveryOption("Odd", id: "odd") { true } },
            in: PresentationContext(id: .make()))
        let odd = try other.answer("odd", by: "test", via: .person)
        let presenter = ScriptedPresenter("confused", .run { _ in odd })
        let outcome = await PresentingResponder.asking(presenter).presentError(SampleError())
        #expect(outcome.reason == .detached)
    }
}
