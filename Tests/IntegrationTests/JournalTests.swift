import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a presenter's journal does for its next life, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct JournalTests {
    private struct Booked: Error {}

    private let id = PresentationID.make()
    private let attempts = Recorder<String>()

    private var error: Recoverable {
        Booked().recoverable {
            RecoveryOption("Retry", id: "retry", role: .default) {
                attempts.record("retry")
                return true
            }
            RecoveryOption.cancel
        }
    }

    /// Presents `error` to a central node with this journal and these presenters. The node runs
    /// until the journal has `result`.
    private func present(
        _ journal: MemoryJournal, _ presenter: ScriptedPresenter, asksAgain: Bool = true,
        until result: RecoveryResult? = nil, audit: RecordingAudit? = nil
    ) async throws -> Outcome {
        let bus = Bus()
        let central = try bus.node("central", presenters: [presenter]) { _ in
        } parts: {
            $0.journal = journal
            $0.asksAgainAfterRestart = asksAgain
            $0.audit = audit
        }
        let worker = try bus.node("worker", next: ["central"], listens: false)
        var options = PresentationOptions()
        options.id = id
        return try await bus.run(central, worker) { [options, id] in
            let outcome = await worker.uplink.presentError(error, options: options)
            guard let result else { return outcome }
            await Resources.wait {
                guard case .decided(_, let known) = journal.state(of: id) else { return false }
                return known == result
            }
            return outcome
        }
    }

    private func recorded(_ option: String) -> Answer {
        Answer(option: option, by: "ann", via: .person)
    }

    private func asked() -> DecisionRecord.Asked {
        let report = ErrorReport(describing: error)
        return .init(
            origin: "worker", digest: ReportDigest(of: report.payload()), report: report)
    }

    @Test("F16 an answer recorded before the presenter died is delivered without a prompt")
    func deliversRecorded() async throws {
        let journal = MemoryJournal()
        let answer = recorded("retry")
        try await journal.shown(id, asked())
        try await journal.decided(id, answer)
        let presenter = ScriptedPresenter("person", .answer("cancel"))
        let outcome = try await present(journal, presenter, until: .recovered)
        #expect(outcome.didRecover)
        #expect(outcome.answer == answer)
        #expect(presenter.prompts.isEmpty)
        #expect(attempts.elements == ["retry"])
        #expect(journal.state(of: id) == .decided(answer, .recovered))
    }

    @Test("F16 an answer recorded just before the presenter died is in the ledger of the next life")
    func ledgerNamesRecorded() async throws {
        let journal = MemoryJournal()
        let answer = recorded("retry")
        try await journal.shown(id, asked())
        try await journal.decided(id, answer)
        let audit = RecordingAudit()
        _ = try await present(journal, ScriptedPresenter(), audit: audit)
        // Killed between the journal and the ledger, the earlier life wrote the first only.
        let restored = PresentationEvent(id, .decided(answer, isRestored: true))
        #expect(audit.events.contains(restored))
    }

    @Test("F16 an answer whose secret is not stored is lost with its life: presented again")
    func lostSecret() async throws {
        let journal = MemoryJournal()
        let lost = Answer(
            option: "retry", by: "ann", via: .person, values: ["path": "/a"],
            secrets: ["pin": "hunter2"])
        try await journal.shown(id, asked())
        try await journal.decided(id, lost.withoutSecrets)
        let audit = RecordingAudit()
        let presenter = ScriptedPresenter("person", .answer("retry"))
        let outcome = try await present(journal, presenter, until: .recovered, audit: audit)
        #expect(outcome.didRecover && outcome.answer?.id != lost.id)
        #expect(presenter.prompts.map(\.wasShownBefore) == [true])
        #expect(attempts.elements == ["retry"])
        // The ledger has the end of the one that was lost.
        let ended = PresentationEvent(id, .settled(.unknown, of: lost.withoutSecrets))
        #expect(audit.events.contains(ended))
    }

    @Test("F16 with afterRestart: never it is refused, and nothing is delivered")
    func lostSecretNever() async throws {
        let journal = MemoryJournal()
        let lost = Answer(option: "retry", by: "ann", via: .person, secrets: ["pin": "hunter2"])
        try await journal.shown(id, asked())
        try await journal.decided(id, lost.withoutSecrets)
        let outcome = try await present(journal, ScriptedPresenter(), asksAgain: false)
        #expect(outcome.refusalCode == RejectCode.gone.rawValue && attempts.elements.isEmpty)
        // Its origin ends here, so that no result will come.
        #expect(journal.state(of: id) == .decided(lost.withoutSecrets, .unknown))
    }

    @Test("F32 while the journal cannot be read a presentation waits; then the answer is delivered")
    func waitsUntilReadable() async throws {
        let journal = MemoryJournal()
        let answer = recorded("retry")
        try await journal.shown(id, asked())
        try await journal.decided(id, answer)
        journal.failReads(MemoryJournal.Unreadable())
        let mending = Task {
            _ = try await journal.reads.next()
            journal.failReads(nil)
        }
        let outcome = try await present(journal, ScriptedPresenter(), until: .recovered)
        try await mending.value
        #expect(outcome.didRecover && outcome.answer == answer)
    }

    @Test("F32 withdrawn meanwhile, the answer on record is settled as withdrawn")
    func withdrawnWhileUnreadable() async throws {
        let journal = MemoryJournal()
        try await journal.shown(id, asked())
        try await journal.decided(id, recorded("retry"))
        journal.failReads(MemoryJournal.Unreadable())
        let asking = Task {
            try await present(journal, ScriptedPresenter(), until: .withdrawn)
        }
        _ = try await journal.reads.next()
        asking.cancel()
        // Until the withdrawal is written it fails once more, and is tried again.
        _ = try await journal.reads.next()
        journal.failReads(nil)
        #expect(try await asking.value.reason == .withdrawn)
        #expect(attempts.elements.isEmpty)
    }

    @Test("F32 a damaged record is refused at once")
    func damagedRecord() async throws {
        let journal = MemoryJournal()
        journal.failReads(MemoryJournal.Damaged())
        let outcome = try await present(journal, ScriptedPresenter())
        #expect(outcome.refusalCode == RejectCode.gone.rawValue)
    }

    @Test("A41 values without secrets are recorded, and delivered by the next life")
    func storedValues() async throws {
        let journal = MemoryJournal()
        let got = Recorder<FieldValues>()
        let error = Booked().recoverable {
            RecoveryOption("Move", id: "move", fields: [.text("path", label: "Path")]) {
                got.record($0)
                return true
            }
        }
        let report = ErrorReport(describing: error)
        let answer = Answer(option: "move", by: "ann", via: .person, values: ["path": "/srv"])
        try await journal.shown(
            id,
            .init(origin: "worker", digest: ReportDigest(of: report.payload()), report: report))
        try await journal.decided(id, answer)
        let bus = Bus()
        let central = try bus.node("central", presenters: [ScriptedPresenter()]) { _ in
        } parts: {
            $0.journal = journal
        }
        let worker = try bus.node("worker", next: ["central"], listens: false)
        var options = PresentationOptions()
        options.id = id
        let outcome = try await bus.run(central, worker) { [options] in
            await worker.uplink.presentError(error, options: options)
        }
        #expect(outcome.didRecover && got.elements.map { $0.text("path") } == ["/srv"])
    }

    @Test("F16 an answer for an option of a policy is attempted there in the next life, once")
    func optionOfPolicy() async throws {
        let journal = MemoryJournal()
        let answer = recorded("fix")
        try await journal.shown(id, asked())
        try await journal.decided(id, answer)
        let presenter = ScriptedPresenter("person", .answer("retry"))
        let bus = Bus()
        let central = try bus.node("central", presenters: []) { _ in
        } parts: {
            $0.journal = journal
            $0.presenting = { [attempts, logger = $0.logger] next in
                let people = PresentingResponder(
                    "central", presenters: [presenter], next: next, journal: journal,
                    logger: logger)
                return ClosureResponder("policy", next: people) { error, _ in
                    error.addingRecoveryOptions {
                        RecoveryOption("Fix", id: "fix") {
                            attempts.record("fix")
                            return true
                        }
                    }
                }
            }
        }
        let worker = try bus.node("worker", next: ["central"], listens: false)
        var options = PresentationOptions()
        options.id = id
        let outcome = try await bus.run(central, worker) { [options] in
            await worker.uplink.presentError(error, options: options)
        }
        #expect(outcome.didRecover && outcome.answer?.id == answer.id)
        #expect(attempts.elements == ["fix"])
        #expect(journal.state(of: id) == .decided(answer, .recovered))
    }

    @Test("A32 a settled presentation returns its result, without a second attempt")
    func returnsResult() async throws {
        let journal = MemoryJournal()
        let answer = recorded("retry")
        try await journal.shown(id, asked())
        try await journal.decided(id, answer)
        try await journal.settled(id, answer: answer.id, .recovered)
        let outcome = try await present(journal, ScriptedPresenter())
        #expect(outcome.didRecover)
        #expect(attempts.elements.isEmpty)
    }

    @Test("A34 a presentation shown before a restart is shown again, with a mark")
    func asksAgain() async throws {
        let journal = MemoryJournal()
        try await journal.shown(id, asked())
        let presenter = ScriptedPresenter("person", .answer("retry"))
        let outcome = try await present(journal, presenter)
        #expect(outcome.didRecover)
        #expect(presenter.prompts.map(\.wasShownBefore) == [true])
    }

    @Test("A34 with afterRestart: never it is refused instead")
    func neverAsksAgain() async throws {
        let journal = MemoryJournal()
        try await journal.shown(id, asked())
        let presenter = ScriptedPresenter("person", .answer("retry"))
        let outcome = try await present(journal, presenter, asksAgain: false)
        #expect(outcome.refusalCode == RejectCode.gone.rawValue)
        #expect(!outcome.didRecover)
        #expect(presenter.prompts.isEmpty)
    }

    @Test("a recorded id with another report is a conflict, also after a restart")
    func conflict() async throws {
        let journal = MemoryJournal()
        var other = asked()
        other.digest = ReportDigest(of: [1, 2, 3])
        try await journal.shown(id, other)
        let outcome = try await present(journal, ScriptedPresenter())
        #expect(outcome.refusalCode == RejectCode.conflict.rawValue)
    }

    @Test("F32 an answer that cannot be recorded is not sent until it can be")
    func waitsForDisk() async throws {
        let journal = MemoryJournal()
        journal.refuseDecisions(1)
        let outcome = try await present(journal, ScriptedPresenter("person", .answer("retry")))
        #expect(outcome.didRecover)
        #expect(attempts.elements == ["retry"])
    }

    @Test(
        "F32 an answer that is not recorded by its deadline does not count; the caller goes on",
        arguments: [nil, "cancel"])
    func expiresUnrecorded(onExpiry: String?) async throws {
        let journal = MemoryJournal()
        journal.refuseDecisions(.max)
        let heard = Recorder<Bool>()
        let presenter = ScriptedPresenter(
            "person",
            .run { prompt in
                prompt.onRecord { heard.record($0) }
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        var options = PresentationOptions()
        options.onExpiry = onExpiry
        var outcome: Outcome
        var deadline = Duration.milliseconds(100)
        // Longer each time, until the person was asked before it.
        repeat {
            options.deadline = deadline
            outcome = await PresentingResponder(
                "central", presenters: [presenter], journal: journal, logger: .silent
            ).presentError(error, options: options)
            deadline *= 4
        } while heard.elements.isEmpty
        #expect(heard.elements == [false] && attempts.elements.isEmpty)
        #expect(outcome.reason == (onExpiry == nil ? .expired : .answered))
        #expect(outcome.answer?.option == onExpiry && outcome.answer?.via != .person)
    }

    @Test("F32 an answer that can never be recorded is refused")
    func damagedForAnswers() async throws {
        let journal = MemoryJournal()
        let presenter = ScriptedPresenter(
            "person",
            .run { prompt in
                journal.failReads(MemoryJournal.Damaged())
                journal.refuseDecisions(1)
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        let outcome = try await present(journal, presenter)
        #expect(outcome.refusalCode == RejectCode.gone.rawValue && attempts.elements.isEmpty)
    }

    @Test("F32 a presentation that came while the disk was full is answered once there is room")
    func shownWhileFull() async throws {
        let journal = MemoryJournal()
        journal.fill(true)
        let presenter = ScriptedPresenter(
            "person",
            .run { prompt in
                journal.fill(false)
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        #expect(try await present(journal, presenter).didRecover)
        guard case .decided = journal.state(of: id) else {
            return #expect(Bool(false), "\(String(describing: journal.state(of: id)))")
        }
    }

    @Test(
        "F19 F32 A presenter is notified once its answer is recorded", arguments: [0, 1])
    func hearsOfRecord(refusals: Int) async throws {
        let journal = MemoryJournal()
        journal.refuseDecisions(refusals)
        let heard = Recorder<Bool>()
        let presenter = ScriptedPresenter(
            "person",
            .run { prompt in
                prompt.onRecord { isRecorded in
                    // What a death at this moment would leave behind.
                    if case .decided = journal.state(of: prompt.id) { heard.record(isRecorded) }
                }
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        #expect(try await present(journal, presenter).didRecover)
        #expect(heard.elements == [true])
    }

    @Test("F19 A presentation that ends before its answer is recorded notifies the presenter")
    func goesAwayUnrecorded() async throws {
        let journal = MemoryJournal()
        journal.refuseDecisions(.max)
        let heard = Recorder<Bool>()
        let presenter = ScriptedPresenter(
            "person",
            .run { prompt in
                prompt.onRecord { heard.record($0) }
                return try prompt.answer("retry", by: "ann", via: .person)
            })
        let asking = Task { try await present(journal, presenter) }
        _ = try await presenter.nextPrompt()
        asking.cancel()
        #expect(try await heard.next() == false)
        _ = try? await asking.value
        #expect(attempts.elements.isEmpty)
    }
}
