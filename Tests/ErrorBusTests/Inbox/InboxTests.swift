import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

struct InboxTests {
    private let inbox = Inbox("console")

    private func chain(_ inbox: Inbox, next: (any Responder)? = nil) -> PresentingResponder {
        PresentingResponder(
            "central", presenters: [inbox], next: next, audit: inbox, logger: .silent)
    }

    private func error(_ attempts: Attempts, key: String? = nil) -> any Error {
        Failure(key: key).recoverable {
            RecoveryOption("Retry", id: "retry") { attempts.run() }
            RecoveryOption.cancel
        }
    }

    private struct Failure: ReportableError {
        let key: String?
        var report: ErrorReport {
            var report = ErrorReport(domain: "d", code: 1, description: "broken")
            report.coalesceKey = key
            return report
        }
    }

    /// The inbox's items once there are so many open.
    private func open(_ count: Int, in inbox: Inbox) async -> [InboxItem] {
        for await _ in inbox.changes() {
            let open = inbox.items().filter(\.isOpen)
            if open.count == count { return open }
        }
        return []
    }

    @Test("A withheld presentation completes its caller, and is shown as withheld")
    func withheld() async throws {
        async let outcome = chain(inbox).presentError(error(Attempts()))
        let item = try #require(await open(1, in: inbox).first)
        try inbox.withhold(item.id, by: "silence 1 (ann)")
        #expect(await outcome.reason == .withheld)
        #expect(try inbox.item(item.id).stage == .closed(.withheld))
        #expect(throws: InboxRefusal.self) {
            try inbox.answer(item.id, option: "retry", by: "ann")
        }
    }

    @Test("A38 A retry counted by another process is shown")
    func retries() async throws {
        struct Reported: ReportableError {
            let report: ErrorReport
        }
        var report = ErrorReport(domain: "d", description: "x")
        report.retryCount = 4
        let asked = Reported(report: report)
        async let outcome = chain(inbox).presentError(asked)
        let item = try #require(await open(1, in: inbox).first)
        #expect(item.retryCount == 4)
        try inbox.withhold(item.id, by: "test")
        _ = await outcome
    }

    @Test("An answer given in the inbox runs the recovery and shows its result")
    func answered() async throws {
        let attempts = Attempts()
        async let outcome = chain(inbox).presentError(error(attempts))
        let item = try #require(await open(1, in: inbox).first)
        try inbox.answer(item.id, option: "retry", by: "ann")
        #expect(await outcome.didRecover)
        #expect(await outcome.answer?.by == "ann")
        #expect(attempts.total == 1)
        guard case .settled(let answer, .recovered) = try inbox.item(item.id).stage else {
            Issue.record("\(try inbox.item(item.id).stage)")
            return
        }
        #expect(answer.option == "retry")
        #expect(throws: InboxRefusal.self) {
            try inbox.answer(item.id, option: "cancel", by: "bob")
        }
    }

    @Test("A26 one answer for a group: each origin's own attempter runs, each has its own result")
    func group() async throws {
        let attempts = Attempts()
        let failing = Attempts(succeeds: false)
        let chain = chain(inbox)
        async let first = chain.presentError(error(attempts))
        async let second = chain.presentError(error(failing))
        async let third = chain.presentError(error(attempts))
        _ = await open(3, in: inbox)
        let group = try #require(inbox.groups.first)
        #expect(group.members.count == 3)
        let told = try inbox.answerGroup(group.number, option: "retry", by: "ann")
        #expect(Set(told.answered) == Set(group.members))
        #expect(told.refused.isEmpty)
        #expect(await [first, second, third].map(\.didRecover) == [true, false, true])
        #expect(attempts.total == 2)
        #expect(failing.total == 1)
        #expect(inbox.groups.isEmpty)
    }

    @Test("A withdrawn presentation leaves the inbox, and answering it is refused")
    func withdrawn() async throws {
        let chain = chain(inbox)
        let error = error(Attempts())
        let asking = Task { await chain.presentError(error) }
        let item = try #require(await open(1, in: inbox).first)
        asking.cancel()
        #expect(await asking.value.reason == .withdrawn)
        _ = await open(0, in: inbox)
        #expect(throws: InboxRefusal.self) {
            try inbox.answer(item.id, option: "retry", by: "ann")
        }
        #expect(try inbox.item(item.id).stage == .closed(.withdrawn))
    }

    /// A journal that cannot be written, or in which another answer is on record.
    private struct RefusingJournal: DecisionJournal {
        struct Refused: Error {}
        var state: DecisionRecord.State?
        let refused = Recorder<Answer>()

        func record(of id: PresentationID) async throws -> DecisionRecord? {
            state.map { DecisionRecord(origin: nil, digest: nil, state: $0) }
        }
        func shown(_ id: PresentationID, _ question: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {
            refused.record(answer)
            throw Refused()
        }
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    /// One presentation in front of two inboxes.
    private func chain(
        _ inboxes: [Inbox], _ journal: RefusingJournal
    ) -> PresentingResponder {
        PresentingResponder(
            "central", presenters: [FirstOfPresenters(inboxes, logger: .silent)],
            journal: journal, audit: SeveralInboxes(all: inboxes), logger: .silent)
    }

    private struct SeveralInboxes: AuditLog {
        let all: [Inbox]
        func record(_ event: PresentationEvent) { for inbox in all { inbox.record(event) } }
    }

    @Test("An answer withdrawn before it was recorded is not shown as given")
    func unrecorded() async throws {
        let journal = RefusingJournal()
        let other = Inbox("other")
        let chain = chain([inbox, other], journal)
        let error = error(Attempts())
        let asking = Task { await chain.presentError(error) }
        let item = try #require(await open(1, in: inbox).first)
        _ = await open(1, in: other)
        try inbox.answer(item.id, option: "retry", by: "ann")
        _ = try await journal.refused.next()
        asking.cancel()
        #expect(await asking.value.reason == .withdrawn)
        for inbox in [inbox, other] {
            for await _ in inbox.changes() {
                if try inbox.item(item.id).stage == .closed(.withdrawn) { break }
            }
        }
    }

    @Test(
        "An earlier recorded answer is shown, with its result",
        arguments: [nil, .unknown, .failed] as [RecoveryResult?])
    func otherOnRecord(result: RecoveryResult?) async throws {
        let earlier = Answer(
            id: PresentationID.make().value, option: "cancel", by: "bob", via: .person)
        let journal = RefusingJournal(state: .decided(earlier, result))
        let chain = chain([inbox, Inbox("other")], journal)
        let error = error(Attempts())
        async let outcome = chain.presentError(error)
        let item = try #require(await open(1, in: inbox).first)
        try inbox.answer(item.id, option: "retry", by: "ann")
        #expect(await outcome.answer == earlier)
        for await _ in inbox.changes() {
            if try inbox.item(item.id).stage == .settled(earlier, .failed) { break }
        }
    }

    /// Sees the presentation on its way into the inbox, and declines it.
    private final class Witness: Presenter {
        private struct Reference {
            weak var prompt: Prompt?
        }

        let presenterName = "witness"
        private let inbox: Inbox
        private let reference = Mutex(Reference())

        init(_ inbox: Inbox) { self.inbox = inbox }

        var isPromptThere: Bool { reference.withLock { $0.prompt != nil } }

        func present(_ prompt: Prompt) async throws -> Answer? {
            reference.withLock { $0.prompt = prompt }
            return try await inbox.present(prompt)
        }
    }

    @Test(
        "An ended presentation leaves no waiting state", .timeLimit(.minutes(10)),
        arguments: [nil, 600])
    func releases(deadline: Int?) async throws {
        let witness = Witness(inbox)
        let start = ManualTime().now
        let silences = SilencingPresenter(Silences(now: { start }))
        let chain = PresentingResponder(
            "central", presenters: [silences, witness], audit: inbox, logger: .silent)
        var options = PresentationOptions()
        options.deadline = deadline.map { .seconds($0) }
        let asked = error(Attempts())
        async let outcome = chain.presentError(asked, options: options)
        let item = try #require(await open(1, in: inbox).first)
        try inbox.answer(item.id, option: "retry", by: "ann")
        #expect(await outcome.didRecover)
        // A cancelled presenter may need a moment to let go.
        while witness.isPromptThere, !Task.isCancelled { await Task.yield() }
    }

    @Test("No answer in time: the next presenter is asked")
    func escalates() async throws {
        var limits = InboxLimits()
        limits.escalateAfter = .milliseconds(20)
        let inbox = Inbox("console", limits: limits)
        let later = PresentingResponder(
            "pager", presenters: [ScriptedPresenter("pager", .answer("retry", by: "pager"))],
            logger: .silent)
        let outcome = await chain(inbox, next: later).presentError(error(Attempts()))
        #expect(outcome.didRecover)
        #expect(outcome.answer?.by == "pager")
        #expect(inbox.items().map(\.stage) == [.closed(.declined)])
    }

    @Test("A held answer comes before the next presenter is asked, or is refused")
    func escalatesOrIsHeld() async throws {
        var limits = InboxLimits()
        limits.escalateAfter = .milliseconds(1)
        for _ in 0..<100 {
            let inbox = Inbox("console", limits: limits)
            let prompt = Prompt(error(Attempts()), in: PresentationContext(id: .make()))
            async let answer = inbox.present(prompt)
            let isHeld = Recorder<Bool>()
            for await _ in inbox.changes() {
                guard let item = inbox.items().first else { continue }
                guard item.isOpen else { break }
                let held = try? inbox.answer(
                    prompt.id, option: "retry", by: "ann", undo: .milliseconds(5))
                isHeld.record(held != nil)
                break
            }
            #expect(try await (answer != nil) == (isHeld.elements.last ?? false))
        }
    }

    @Test("A full inbox declines")
    func full() async throws {
        var limits = InboxLimits()
        limits.openMax = 0
        let outcome = await chain(Inbox("console", limits: limits)).presentError(error(Attempts()))
        #expect(outcome.reason == .detached)
    }

    /// The deadline comes while an answer is kept back: no clock decides when.
    private func expiring(
        _ attempts: Attempts, _ answering: (PresentationID) throws -> Void
    ) async throws -> Outcome {
        let presenter = ScriptedPresenter(
            "console", .run { [inbox] in try await inbox.present($0) })
        let chain = PresentingResponder(
            "central", presenters: [presenter], audit: inbox, logger: .silent)
        var options = PresentationOptions()
        options.onExpiry = "cancel"
        let asked = error(attempts)
        async let outcome = chain.presentError(asked, options: options)
        let item = try #require(await open(1, in: inbox).first)
        try answering(item.id)
        try #require(presenter.prompts.first).close(.expired)
        return await outcome
    }

    @Test("A29 A held answer counts when the deadline comes")
    func leavesAtDeadline() async throws {
        let attempts = Attempts()
        let outcome = try await expiring(attempts) {
            try inbox.answer($0, option: "retry", by: "ann", undo: .seconds(30))
        }
        #expect(outcome.answer?.by == "ann")
        #expect(outcome.answer?.option == "retry")
        #expect(attempts.total == 1)
        #expect(inbox.items().first?.answer == outcome.answer)
    }

    @Test("A28 An undone answer does not count when the deadline comes")
    func undoneAtDeadline() async throws {
        let outcome = try await expiring(Attempts()) {
            try inbox.answer($0, option: "retry", by: "ann", undo: .seconds(30))
            try inbox.undo($0)
        }
        #expect(outcome.answer?.option == "cancel")
        #expect(outcome.answer?.via == .expiry)
    }

    @Test("A29 An answer that counts since its deadline has passed is not undone")
    func undoneTooLate() async throws {
        // The inbox still waits for the end of the prompt.
        let prompt = Prompt(error(Attempts()), in: PresentationContext(id: .make()))
        let presenting = Task { try await inbox.present(prompt) }
        _ = await open(1, in: inbox)
        try inbox.answer(prompt.id, option: "retry", by: "ann", undo: .seconds(30))
        prompt.close(.expired)
        #expect(throws: InboxRefusal.nothingToUndo) { try inbox.undo(prompt.id) }
        let group = try inbox.item(prompt.id).group
        let given = try #require(prompt.answer?.id)
        #expect(throws: InboxRefusal.nothingToUndo) { try inbox.undoGroup(group, only: [given]) }
        presenting.cancel()
        #expect(try await presenting.value?.option == "retry")
        #expect(try inbox.item(prompt.id).answer?.by == "ann")
    }

    @Test("An undone answer is not sent; the next one is")
    func undo() async throws {
        let attempts = Attempts()
        let asked = error(attempts)
        async let outcome = chain(inbox).presentError(asked)
        let item = try #require(await open(1, in: inbox).first)
        try inbox.answer(item.id, option: "cancel", by: "ann", undo: .seconds(30))
        try inbox.undo(item.id)
        try inbox.answer(item.id, option: "retry", by: "ann", undo: .milliseconds(1))
        #expect(await outcome.didRecover)
        #expect(attempts.total == 1)
    }

    @Test("F19 Held answers are sent and recorded before a node shuts down")
    func givesHeld() async throws {
        let (attempts, recorded) = (Attempts(), Recorder<Bool>())
        let asked = error(attempts)
        let noticing = NoticingPresenter(inbox: inbox) { prompt in
            prompt.onRecord { recorded.record($0) }
        }
        let chain = PresentingResponder(
            "central", presenters: [noticing], audit: inbox, logger: .silent)
        async let outcome = chain.presentError(asked)
        let item = try #require(await open(1, in: inbox).first)
        try inbox.answer(item.id, option: "retry", by: "ann", undo: .seconds(30))
        await inbox.giveHeld(within: .seconds(60))
        #expect(recorded.elements == [true])
        guard case .settled(_, .recovered) = try inbox.item(item.id).stage else {
            Issue.record("\(try inbox.item(item.id).stage)")
            return
        }
        #expect(throws: InboxRefusal.self) { try inbox.undo(item.id) }
        #expect(await outcome.didRecover)
        #expect(attempts.total == 1)
        await inbox.giveHeld()
    }

    /// An inbox, and who else looks at its prompts.
    private struct NoticingPresenter: Presenter {
        let presenterName = "noticing"
        let inbox: Inbox
        let noticed: @Sendable (Prompt) -> Void

        func present(_ prompt: Prompt) async throws -> Answer? {
            noticed(prompt)
            return try await inbox.present(prompt)
        }
    }
}
