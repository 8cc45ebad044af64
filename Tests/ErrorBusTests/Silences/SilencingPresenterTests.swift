import ErrorBusTesting
import Logging
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct SilencingPresenterTests {
    private let silences: Silences = {
        let time = ManualTime()
        return Silences(now: { time.now })
    }()
    private let person = ScriptedPresenter("person", .answer("cancel"))
    private let attempts = Attempts()

    private func silence(_ pattern: JSONValue, option: String? = nil) throws -> Silence {
        try silences.add(
            Silence.Request(
                pattern: pattern, match: try RuleMatch(json: pattern), option: option, by: "ann",
                comment: "known"), for: .seconds(60))
    }

    private func outcome() async -> Outcome {
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") { attempts.run() }
            RecoveryOption.cancel
        }
        return await PresentingResponder(
            "central", presenters: [SilencingPresenter(silences), person], logger: .silent
        ).presentError(error)
    }

    /// The silence as soon as it has counted a presentation, which follows the outcome.
    private func counted(_ number: Int) async throws -> Silence {
        while true {
            let silence = try silences.silence(number)
            if silence.withheldCount + silence.answeredCount > 0 { return silence }
            await Task.yield()
        }
    }

    @Test("A silenced error is withheld without a prompt", .timeLimit(.minutes(10)))
    func withheld() async throws {
        let silence = try silence(["domain": "*"])
        let outcome = await outcome()
        #expect(outcome.reason == .withheld)
        #expect(outcome.decidedBy == "silence \(silence.number) (ann)")
        #expect(!outcome.didRecover)
        #expect(person.prompts.isEmpty)
        #expect(try await counted(silence.number).withheldCount == 1)
        #expect(attempts.total == 0)
    }

    @Test("With an offered option it is answered", .timeLimit(.minutes(10)))
    func answered() async throws {
        let silence = try silence(["domain": "*"], option: "retry")
        let outcome = await outcome()
        #expect(outcome.didRecover)
        #expect(outcome.answer?.by == "silence \(silence.number) (ann)")
        #expect(outcome.answer?.via == .policy)
        #expect(person.prompts.isEmpty)
        #expect(try await counted(silence.number).answeredCount == 1)
    }

    @Test("A silence chooses no option that needs two people: people are asked")
    func twoPeople() async throws {
        _ = try silence(["domain": "*"], option: "drop")
        let error = SampleError().recoverable {
            RecoveryOption("Drop", id: "drop", needsTwoPeople: true) { attempts.run() }
            RecoveryOption.cancel
        }
        let outcome = await PresentingResponder(
            "central", presenters: [SilencingPresenter(silences), person], logger: .silent
        ).presentError(error)
        #expect(outcome.answer?.option == "cancel" && attempts.total == 0)
    }

    @Test("What keeps a silence from answering is logged once for each silence")
    func loggedOnce() async throws {
        let lines = Recorder<String>()
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let presenter = SilencingPresenter(silences, logger: logger)
        let error = SampleError().recoverable {
            RecoveryOption("Drop", id: "drop", needsTwoPeople: true) { attempts.run() }
            RecoveryOption("Move", id: "move", fields: [.text("path", label: "Path")]) { _ in
                attempts.run()
            }
        }
        for (option, problem) in [("drop", "two people"), ("move", "path")] {
            let silence = try silence(["domain": "*"], option: option)
            for _ in 0..<2 {
                let prompt = Prompt(error, in: PresentationContext(id: .make()))
                #expect(try await presenter.present(prompt) == nil)
                #expect(prompt.isOpen)
            }
            _ = try silences.end(silence.number, by: "bob")
            let found = lines.elements.filter { $0.contains("silence=\(silence.number) ") }
            #expect(found.count == 1 && found.allSatisfy { $0.contains(problem) }, "\(found)")
        }
        _ = try silence(["domain": "*"], option: "move")
        let ended = Prompt(error, in: PresentationContext(id: .make()))
        ended.close(.withdrawn)
        #expect(try await presenter.present(ended) == nil)
        #expect(lines.elements.count == 2 && attempts.total == 0)
    }

    @Test("Of silences that could not answer the latest are known, as many as there are silences")
    func loggedBound() {
        let logged = LoggedSilences()
        let countMax = LoggedSilences.countMax
        #expect((1...countMax).allSatisfy { logged.isFirst($0) })
        #expect(!logged.isFirst(1))
        #expect(logged.isFirst(countMax + 1) && logged.count == countMax)
        #expect(!logged.isFirst(2) && logged.isFirst(1) && logged.count == countMax)
    }

    private struct LineHandler: LogHandler {
        let lines: Recorder<String>
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let silence = event.metadata?["silence"].map { "\($0)" } ?? ""
            let problem = event.metadata?["problem"].map { "\($0)" } ?? ""
            lines.record("silence=\(silence) \(problem)")
        }
    }

    private struct Reported: ReportableError {
        let report: ErrorReport
    }

    private func waited(
        afterRetries count: Int, isRemote: Bool = false, ending silence: Silence? = nil
    ) async throws -> (seconds: Int, outcome: Outcome) {
        let waits = Recorder<Duration>()
        let presenter = SilencingPresenter(silences) { [silences] duration in
            waits.record(duration)
            if let silence { _ = try silences.end(silence.number, by: "bob") }
        }
        // From another process the count comes in the report.
        var report = ErrorReport(domain: "d", description: "x")
        report.retryCount = isRemote ? count : 0
        let error = Reported(report: report).recoverable {
            RecoveryOption("Retry", id: "retry") { attempts.run() }
            RecoveryOption.cancel
        }
        let outcome = await PresentingResponder(
            "central", presenters: [presenter, person], logger: .silent
        ).presentError(
            error, in: PresentationContext(id: .make(), retryCount: isRemote ? 0 : count))
        #expect(Set(waits.elements).isSubset(of: [.seconds(1)]))
        return (waits.elements.count, outcome)
    }

    @Test(
        "A38 Repeated failures are answered with growing delays",
        arguments: [(0, 0), (2, 0), (3, 1), (4, 2), (5, 4), (8, 32), (9, 32), (.max, 32)],
        [true, false])
    func pacing(_ pace: (retries: Int, seconds: Int), isRemote: Bool) async throws {
        let (retries, seconds) = pace
        _ = try silence(["domain": "*"], option: "retry")
        let (waited, outcome) = try await waited(afterRetries: retries, isRemote: isRemote)
        #expect(waited == seconds)
        #expect(outcome.answer?.option == "retry")
    }

    @Test("A delayed answer comes 2 s before the deadline at the latest")
    func pacedInTime() async throws {
        let time = ManualTime()
        let deadline = time.now.instant + .seconds(3_600)
        time.advance(by: .seconds(3_590))
        _ = try silence(["domain": "*"], option: "retry")
        let waits = Recorder<Duration>()
        let presenter = SilencingPresenter(silences, now: { time.now.instant }) { duration in
            waits.record(duration)
            time.advance(by: duration)
        }
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") { attempts.run() }
        }
        let prompt = Prompt(
            error, in: PresentationContext(id: .make(), retryCount: 9, deadline: deadline))
        #expect(try await presenter.present(prompt)?.option == "retry")
        #expect(waits.elements == Array(repeating: .seconds(1), count: 8))
    }

    @Test("A withheld error is withheld at once, however often it came")
    func unpaced() async throws {
        _ = try silence(["domain": "*"])
        #expect(try await waited(afterRetries: 9).seconds == 0)
    }

    @Test("A silence that ends while an answer is delayed leaves the presentation to people")
    func endsMeanwhile() async throws {
        let silence = try silence(["domain": "*"], option: "retry")
        let (waited, outcome) = try await waited(afterRetries: 9, ending: silence)
        #expect(waited == 1)
        #expect(outcome.answer?.option == "cancel")
        #expect(person.prompts.count == 1)
    }

    @Test("A presentation withdrawn or decided a moment before is left unchanged")
    func race() async throws {
        let silence = try silence(["domain": "*"], option: "retry")
        let error = SampleError().recoverable { RecoveryOption("Retry", id: "retry") { true } }
        let prompt = Prompt(error, in: PresentationContext(id: .make()))
        #expect(prompt.close(.withdrawn))
        #expect(try await SilencingPresenter(silences).present(prompt) == nil)
        #expect(try silences.silence(silence.number).answeredCount == 0)
    }

    @Test("All other errors go on to people")
    func declined() async throws {
        _ = try silence(["domain": "another"])
        #expect(await outcome().answer?.option == "cancel")
        #expect(person.prompts.count == 1)
    }
}
