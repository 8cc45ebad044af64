import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The event of an end without an answer names the node that the error arose in")
struct EndedEventTests {
    /// A ledger in memory.
    private struct Recording: AuditLog {
        let events = Recorder<PresentationEvent>()

        /// The origins of the ends so far.
        var origins: [NodeName?] {
            var origins: [NodeName?] = []
            for event in events.elements {
                if case .ended(_, _, let origin, _, _) = event.what { origins.append(origin) }
            }
            return origins
        }

        func record(_ event: PresentationEvent) { events.record(event) }
    }

    private struct NoRunner: CommandRunner {
        struct Unexpected: Error {}

        func run(
            _ command: [String], environment: [String: String], input: [UInt8],
            timeLimit: Duration
        ) async throws -> CommandResult { throw Unexpected() }
    }

    private let audit = Recording()

    /// The context of a presentation that a child requested.
    private func context(deadline: ContinuousClock.Instant? = nil) -> PresentationContext {
        let present = Message.Present(
            id: .make(), origin: "worker", path: ["worker"], payload: Message.samplePayload)
        return PresentationContext(
            id: present.id, deadline: deadline, received: ReceivedPresentation(present))
    }

    @Test("Expired in front of people")
    func expired() async {
        let chain = PresentingResponder(
            "P", presenters: [ScriptedPresenter("screen", .answer("ok"))], audit: audit,
            logger: .silent)
        let outcome = await chain.presentError(
            SampleError(), in: context(deadline: ManualTime().now.instant))
        #expect(outcome.reason == .expired)
        #expect(audit.origins == ["worker"])
    }

    @Test("Withheld by a silence")
    func silenced() async throws {
        let time = ManualTime()
        let silences = Silences(now: { time.now })
        let pattern: JSONValue = ["domain": "*"]
        _ = try silences.add(
            Silence.Request(
                pattern: pattern, match: try RuleMatch(json: pattern), by: "ann",
                comment: "known"), for: .seconds(60))
        let prompt = Prompt(SampleError(), in: context())
        #expect(try await SilencingPresenter(silences, audit: audit).present(prompt) == nil)
        #expect(prompt.closeReason == .withheld)
        #expect(audit.origins == ["worker"])
    }

    @Test("Withheld by a rule")
    func withheldByRule() async {
        let rule = Rule(match: RuleMatch(), actions: [.withhold], position: 1)
        let chain = RuleResponder(
            "relay", book: RuleBook([rule], mode: .everyMatch), next: nil,
            commands: RuleCommands(runner: NoRunner()), audit: audit, logger: .silent)
        #expect(await chain.presentError(SampleError(), in: context()).reason == .withheld)
        #expect(audit.origins == ["worker"])
    }
}
