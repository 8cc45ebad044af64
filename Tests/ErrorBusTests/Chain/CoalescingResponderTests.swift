import ErrorBusTesting
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Equal errors share one prompt", .timeLimit(.minutes(10)))
struct CoalescingResponderTests {
    private let outcomes = Recorder<Outcome>()
    private let attempts = Recorder<String>()
    private let waiting = Recorder<PresentationID>()

    private func asking(_ presenter: ScriptedPresenter, max: Int = 8) -> CoalescingResponder {
        CoalescingResponder(
            "C", next: PresentingResponder.asking(presenter), memberCountMax: max)
    }

    /// Presents an error as worker `name` does, below `responder`.
    private func worker(
        _ name: String, _ responder: any Responder, code: Int = 1, recovers: Bool = true,
        deadline: ContinuousClock.Instant? = nil, id: PresentationID = .make(),
        until gate: Gate? = nil
    ) -> Task<Outcome, Never> {
        let (waiting, attempts) = (waiting, attempts)
        let error = SampleError(code: code).recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record(name)
                await gate?.wait()
                return recovers
            }
            RecoveryOption.cancel
        }
        let context = PresentationContext(
            id: id, deadline: deadline,
            stateChanged: { if $0.station == .queued { waiting.record(id) } })
        return Task { await responder.presentError(error, in: context) }
    }

    @Test("A26 One prompt, three attempts, each with its own result; A B A shares as well")
    func sharedPrompt() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .waitForCancellation)
        let responder = asking(presenter)
        let first = worker("W1", responder)
        let prompt = try await presenter.nextPrompt()
        let other = worker("B", responder, code: 2)
        let otherPrompt = try await presenter.nextPrompt()
        let second = worker("W2", responder, recovers: false)
        let third = worker("W3", responder)
        let waiters = [try await waiting.next(), try await waiting.next()]

        let answer = try prompt.answer("retry", by: "ann", via: .person)
        let (one, two, three) = (await first.value, await second.value, await third.value)
        #expect([one, two, three].map(\.didRecover) == [true, false, true])
        #expect([one, two, three].allSatisfy { $0.answer == answer })
        #expect(one.presentation == prompt.id)
        #expect(Set([two.presentation, three.presentation]) == Set(waiters))
        #expect(attempts.elements.sorted() == ["W1", "W2", "W3"])
        #expect(presenter.prompts.count == 2)
        #expect(otherPrompt.isOpen)
        _ = try otherPrompt.answer("cancel", by: "ann", via: .person)
        #expect(await other.value.didRecover == false)
        #expect(responder.isIdle)
    }

    @Test("A27 An equal error during the recovery gets its own prompt")
    func laterError() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .waitForCancellation)
        let responder = asking(presenter)
        let gate = Gate()
        let begun = Recorder<Void>()
        let error = SampleError().recoverable {
            RecoveryOption("Retry", id: "retry") {
                begun.record(())
                await gate.wait()
                return true
            }
            RecoveryOption.cancel
        }
        let first = Task { await responder.presentError(error) }
        let prompt = try await presenter.nextPrompt()
        _ = try prompt.answer("retry", by: "ann", via: .person)
        try await begun.next()

        let later = worker("later", responder)
        let second = try await presenter.nextPrompt()
        #expect(second.id != prompt.id)
        #expect(attempts.elements.isEmpty)
        _ = try second.answer("cancel", by: "ann", via: .person)
        #expect(await later.value.didRecover == false)
        gate.open()
        #expect(await first.value.didRecover)
        #expect(responder.isIdle)
    }

    @Test("A refusal of one presentation is its own: the next of the group climbs")
    func ownRefusal() async throws {
        let gate = Gate()
        let above = Recorder<Void>()
        let responder = CoalescingResponder(
            "C",
            next: ClosureResponder(
                "N", next: nil,
                present: { _, _ in
                    above.record(())
                    guard above.elements.count == 1 else {
                        return Outcome(didRecover: true, reason: .handled, decidedBy: "N")
                    }
                    await gate.wait()
                    return .refused(.gone, "withdrawn before under this id", by: "N")
                }))
        let first = worker("W1", responder)
        try await above.next()
        let second = worker("W2", responder)
        _ = try await waiting.next()
        gate.open()
        #expect(await first.value.refusalCode == RejectCode.gone.rawValue)
        #expect(await second.value.reason == .handled)
        #expect(responder.isIdle)
    }

    @Test(
        "Ended without an answer, all get the same reason",
        arguments: [
            Outcome.Reason.withheld, .detached, .handled, .busy,
        ])
    func sharedEnding(reason: Outcome.Reason) async throws {
        let gate = Gate()
        let above = Recorder<Void>()
        let responder = CoalescingResponder(
            "C",
            next: ClosureResponder(
                "N", next: nil,
                present: { _, _ in
                    above.record(())
                    await gate.wait()
                    return Outcome(
                        didRecover: reason == .handled, reason: reason, decidedBy: "N")
                }))
        let first = worker("W1", responder)
        try await above.next()
        let second = worker("W2", responder)
        let id = try await waiting.next()
        gate.open()
        for outcome in [await first.value, await second.value] {
            #expect(outcome.reason == reason)
            #expect(outcome.decidedBy == "N")
            #expect(outcome.didRecover == (reason == .handled))
        }
        #expect(await second.value.presentation == id)
        #expect(above.elements.count == 1)
        #expect(attempts.elements.isEmpty)
        #expect(responder.isIdle)
    }

    @Test("When the representative is withdrawn, the next one takes its place")
    func promoted() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .waitForCancellation)
        let responder = asking(presenter)
        let first = worker("W1", responder)
        let firstPrompt = try await presenter.nextPrompt()
        let second = worker("W2", responder)
        let secondID = try await waiting.next()
        let third = worker("W3", responder)
        _ = try await waiting.next()

        first.cancel()
        #expect(await first.value.reason == .withdrawn)
        let prompt = try await presenter.nextPrompt()
        #expect(prompt.id == secondID)
        #expect(!firstPrompt.isOpen)
        _ = try prompt.answer("retry", by: "ann", via: .person)
        #expect(await second.value.didRecover)
        #expect(await third.value.didRecover)
        #expect(attempts.elements.sorted() == ["W2", "W3"])
        #expect(responder.isIdle)
    }

    @Test("A waiting error can be withdrawn, or expire, by itself")
    func leaving() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let responder = asking(presenter)
        let first = worker("W1", responder)
        let prompt = try await presenter.nextPrompt()
        let second = worker("W2", responder)
        _ = try await waiting.next()
        let third = worker("W3", responder, deadline: ManualTime().now.instant)
        second.cancel()
        #expect(await second.value.reason == .withdrawn)
        #expect(await third.value.reason == .expired)
        _ = try prompt.answer("retry", by: "ann", via: .person)
        #expect(await first.value.didRecover)
        #expect(attempts.elements == ["W1"])
        #expect(responder.isIdle)
    }

    @Test("Above the limit an error climbs without the group")
    func full() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .waitForCancellation)
        let responder = asking(presenter, max: 1)
        let first = worker("W1", responder)
        let prompt = try await presenter.nextPrompt()
        let second = worker("W2", responder)
        _ = try await waiting.next()
        let third = worker("W3", responder)
        let alone = try await presenter.nextPrompt()
        _ = try alone.answer("cancel", by: "ann", via: .person)
        #expect(await third.value.didRecover == false)
        #expect(prompt.isOpen)
        _ = try prompt.answer("retry", by: "ann", via: .person)
        #expect(await first.value.didRecover)
        #expect(await second.value.didRecover)
    }

    @Test("A secret given for one error goes to no other: an error that asks for one climbs alone")
    func secret() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .waitForCancellation)
        let responder = asking(presenter)
        let given = Recorder<String>()
        let present = { (name: String) in
            let error = SampleError(code: 1).recoverable {
                RecoveryOption(
                    "Unlock", id: "unlock", fields: [.secret("pin", label: "PIN")]
                ) { values in
                    given.record("\(name) \(values.secrets)")
                    return true
                }
            }
            return Task { await responder.presentError(error) }
        }
        let first = present("W1")
        let prompt = try await presenter.nextPrompt()
        let second = present("W2")
        let other = try await presenter.nextPrompt()
        _ = try prompt.answer("unlock", by: "ann", via: .person, values: ["pin": .string("1")])
        #expect(await first.value.didRecover)
        #expect(other.isOpen)
        #expect(given.elements == [#"W1 ["1"]"#])
        _ = try other.answer("unlock", by: "bob", via: .person, values: ["pin": .string("2")])
        #expect(await second.value.didRecover)
        #expect(given.elements == [#"W1 ["1"]"#, #"W2 ["2"]"#])
        #expect(responder.isIdle)
    }

    @Test("An option from above recovers one error; the next one is presented")
    func optionFromAbove() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation, .waitForCancellation)
        let ran = Recorder<Void>()
        let middle = ClosureResponder(
            "M", next: PresentingResponder.asking(presenter),
            willPresent: { error, _ in
                error.addingRecoveryOptions {
                    RecoveryOption("Use cache", id: "cache") {
                        ran.record(())
                        return true
                    }
                }
            })
        let responder = CoalescingResponder("C", next: middle)
        let first = worker("W1", responder)
        let prompt = try await presenter.nextPrompt()
        let second = worker("W2", responder)
        _ = try await waiting.next()
        _ = try prompt.answer("cache", by: "ann", via: .person)
        #expect(await first.value.didRecover)
        _ = try await presenter.nextPrompt().answer("cache", by: "ann", via: .person)
        #expect(await second.value.didRecover)
        #expect(ran.elements.count == 2)
        #expect(attempts.elements.isEmpty)
        #expect(responder.isIdle)
    }

    @Test("Errors without options share their OK; user-cancelled ones pass by")
    func withoutOptions() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let responder = asking(presenter)
        let (waiting, id) = (waiting, PresentationID.make())
        let first = Task { await responder.presentError(SampleError()) }
        let prompt = try await presenter.nextPrompt()
        let context = PresentationContext(id: id, stateChanged: { _ in waiting.record(id) })
        let second = Task { await responder.presentError(SampleError(), in: context) }
        #expect(try await waiting.next() == id)
        #expect(await responder.presentError(SampleError.userCancelled).reason == .userCancelled)
        _ = try prompt.answer("ok", by: "ann", via: .person)
        for outcome in [await first.value, await second.value] {
            #expect(outcome.reason == .answered)
            #expect(!outcome.didRecover)
        }
        #expect(presenter.prompts.count == 1)
    }

    @Test("A28 An answer on expiry applies to its own error only")
    func representativeExpires() async throws {
        let gate = Gate()
        let climbed = Gate()
        let above = Recorder<String>()
        let responder = CoalescingResponder(
            "C",
            next: ClosureResponder(
                "N", next: nil,
                present: { error, _ in
                    above.record("asked")
                    guard above.elements.count == 1 else {
                        climbed.open()
                        return Outcome(didRecover: false, reason: .withheld, decidedBy: "N")
                    }
                    await gate.wait()
                    let answer = Answer(
                        option: "retry", by: "N", via: .expiry)
                    let result = await error.attemptRecovery(answer)
                    return Outcome(answer: answer, result: result, decidedBy: "N")
                }))
        let first = worker("W1", responder, recovers: false, until: climbed)
        _ = try await above.next()
        let second = worker("W2", responder)
        _ = try await waiting.next()
        gate.open()
        // It climbs while that is carried out, and is asked about.
        #expect(await second.value.reason == .withheld)
        #expect(await first.value.answer?.via == .expiry)
        #expect(attempts.elements == ["W1"])
        #expect(above.elements.count == 2)
        #expect(responder.isIdle)
    }

    @Test("A28 A waiting error at its own deadline gets its own declared option")
    func memberExpires() async throws {
        let presenter = ScriptedPresenter("screen", .waitForCancellation)
        let responder = asking(presenter)
        let first = worker("W1", responder)
        let prompt = try await presenter.nextPrompt()
        let attempts = attempts
        let error = SampleError(code: 1).recoverable {
            RecoveryOption("Retry", id: "retry") {
                attempts.record("W2")
                return true
            }
            RecoveryOption.cancel
        }
        var context = PresentationContext(id: .make(), deadline: ManualTime().now.instant)
        context.onExpiry = "retry"
        let outcome = await responder.presentError(error, in: context)
        #expect(outcome.answer?.via == .expiry)
        #expect(outcome.didRecover)
        #expect(prompt.isOpen)
        _ = try prompt.answer("cancel", by: "ann", via: .person)
        #expect(await first.value.didRecover == false)
        #expect(attempts.elements == ["W2"])
        #expect(responder.isIdle)
    }

    @Test("Concurrent answers, withdrawals and arrivals complete every caller once")
    func race() async throws {
        for _ in 0..<100 {
            let presenter = ScriptedPresenter(
                "screen", .waitForCancellation, .waitForCancellation, .waitForCancellation,
                .waitForCancellation)
            let responder = asking(presenter)
            let tasks = (0..<4).map { worker("W\($0)", responder) }
            let answering = Task {
                while let prompt = try? await presenter.nextPrompt() {
                    _ = try? prompt.answer("retry", by: "ann", via: .person)
                }
            }
            tasks[0].cancel()
            tasks[2].cancel()
            for task in tasks {
                let outcome = await task.value
                #expect([.answered, .withdrawn].contains(outcome.reason))
            }
            answering.cancel()
            #expect(responder.isIdle)
        }
    }
}
