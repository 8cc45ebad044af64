import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Options that need a signature, with a relay between their owner and the presenter.
    @Suite struct SignedAnswerTests {
        /// A relay that chooses for the person, under the person's name.
        private struct Forger: Responder {
            let following: any Responder
            var next: (any Responder)? { get async { following } }

            func presentError(
                _ error: any Error, in context: PresentationContext
            ) async -> Outcome {
                let answer = Answer(option: "drop", by: "ann", via: .person)
                return Outcome(
                    answer: answer, result: await error.attemptRecovery(answer),
                    decidedBy: responderName)
            }
        }

        /// A relay that presents the errors from below as those of another node.
        private struct Mover: Responder {
            let following: any Responder
            let origin: NodeName
            var next: (any Responder)? { get async { following } }

            func presentError(
                _ error: any Error, in context: PresentationContext
            ) async -> Outcome {
                guard let received = context.received else {
                    return await following.presentError(error, in: context)
                }
                var present = received.present
                present.origin = origin
                let moved = PresentationContext(
                    id: context.id, deadline: context.deadline,
                    received: ReceivedPresentation(present, deadline: received.deadline),
                    stateChanged: context.stateChanged)
                return await following.presentError(error, in: moved)
            }
        }

        private let dropped = Recorder<Void>()
        private let worker: KeyRing
        private let central: KeyRing

        init() throws {
            let (one, other) = (try #require(KeyPair.make()), try #require(KeyPair.make()))
            var worker = LinkKeys(own: one, known: [:])
            worker.signers = ["central": [try #require(SigningKey(of: other)).signerKey]]
            var central = LinkKeys(own: other, known: [:])
            central.signsAs = "central"
            (self.worker, self.central) = (KeyRing(worker), KeyRing(central))
        }

        private var error: any Error {
            Attempts().saveFailed().recoverable {
                RecoveryOption(
                    "Drop", id: "drop", role: .destructive, needsSignature: true
                ) { [dropped] in
                    dropped.record(())
                    return true
                }
                RecoveryOption("Keep", id: "keep") { false }
            }
        }

        /// The outcome at a worker below a relay below `central`, and the errors that the worker
        /// logs.
        private func outcome(
            choosing option: String = "drop", signs: Bool = true,
            options: PresentationOptions = PresentationOptions(),
            relay chain: NodeParts.Chain? = nil
        ) async throws -> (outcome: Outcome, faults: [String], shown: Int) {
            let bus = Bus()
            let presenter = FixedPresenter(option: option)
            let top = try bus.node(
                "central", presenters: [presenter],
                parts: { if signs { $0.keys = central } })
            let middle = try bus.node(
                "relay", next: ["central"], parts: { $0.chain = chain })
            let leaf = try bus.node(
                "worker", next: ["relay"], listens: false, parts: { $0.keys = worker })
            return try await bus.run(top, middle, leaf) {
                let outcome = await leaf.uplink.presentError(error, options: options)
                return (
                    outcome, await leaf.status.faults.map(\.text), presenter.counts.count
                )
            }
        }

        @Test("a signer's answer comes through a relay, and is carried out")
        func signed() async throws {
            let (outcome, faults, _) = try await outcome()
            #expect(outcome.didRecover && outcome.answer?.option == "drop")
            #expect(dropped.elements.count == 1)
            #expect(faults.isEmpty)
        }

        @Test("F28 an answer that a relay made up is refused by the owner, with an alarm")
        func forged() async throws {
            let (outcome, faults, shown) = try await outcome { Forger(following: $0) }
            #expect(outcome.reason == .notSigned && !outcome.didRecover)
            // No script acts on the option of an answer that does not count.
            #expect(outcome.answer == nil)
            #expect(outcome.detail == "option drop: found no signature; expected one of central")
            #expect(dropped.elements.isEmpty)
            #expect(faults.contains { $0.contains("needs a signature") })
            #expect(shown == 0)
        }

        @Test("F28 an option that a relay says was carried out above does not reach the caller")
        func claimed() async throws {
            let claim = Outcome(
                didRecover: true, reason: .answered, decidedBy: "central",
                answer: Answer(option: "drop", by: "ann", via: .person))
            let (outcome, faults, shown) = try await outcome {
                EndingRelay(following: $0, outcome: claim)
            }
            #expect(outcome.reason == .notSigned && !outcome.didRecover)
            #expect(outcome.answer == nil)
            #expect(faults.contains { $0.contains("needs a signature") })
            #expect(shown == 0 && dropped.elements.isEmpty)
        }

        @Test("F28 a relay that ends a deadline early does not choose the option for its end")
        func early() async throws {
            let end = Outcome(didRecover: false, reason: .expired, decidedBy: "central")
            let relay: NodeParts.Chain = { EndingRelay(following: $0, outcome: end) }
            var options = PresentationOptions()
            options.onExpiry = "drop"
            let (endless, faults, _) = try await outcome(options: options, relay: relay)
            #expect(endless.reason == .expired && endless.answer == nil)
            #expect(faults.contains { $0.contains("the end of a deadline was refused") })
            #expect(dropped.elements.isEmpty)
            // With a deadline the option waits for the clock of its owner.
            let wait = Duration.seconds(2)
            options.deadline = wait
            let begin = ContinuousClock.now
            let (applied, _, _) = try await outcome(options: options, relay: relay)
            #expect(applied.answer?.option == "drop" && applied.answer?.via == .expiry)
            #expect(ContinuousClock.now - begin >= wait - .milliseconds(10))
            #expect(dropped.elements.count == 1)
        }

        @Test("A caller that presents again under the id gets the answer again, also with values")
        func again() async throws {
            let bus = Bus()
            let top = try bus.node(
                "central", presenters: [FixedPresenter(option: "trim")],
                parts: { $0.keys = central })
            let leaf = try bus.node(
                "worker", next: ["central"], listens: false, parts: { $0.keys = worker })
            let trimmed = Recorder<Void>()
            let error = Attempts().saveFailed().recoverable {
                RecoveryOption(
                    "Trim", id: "trim", needsSignature: true,
                    fields: [.number("count", label: "Count", default: 3)]
                ) { _ in
                    trimmed.record(())
                    return true
                }
            }
            var options = PresentationOptions()
            options.id = .make()
            let outcomes = try await bus.run(top, leaf) { [options] in
                let first = await leaf.uplink.presentError(error, options: options)
                return [first, await leaf.uplink.presentError(error, options: options)]
            }
            #expect(outcomes.map(\.answer?.option) == ["trim", "trim"])
            #expect(outcomes.map(\.didRecover) == [true, true])
            #expect(trimmed.elements.count == 1)
        }

        @Test("An answer on record comes with its signature to a later life of the caller")
        func repeated() async throws {
            let (journal, id) = (MemoryJournal(), PresentationID.make())
            var options = PresentationOptions()
            options.id = id
            for _ in 1...2 {
                let bus = Bus()
                let top = try bus.node(
                    "central", presenters: [FixedPresenter(option: "drop")],
                    parts: {
                        $0.keys = central
                        $0.journal = journal
                    })
                let leaf = try bus.node(
                    "worker", next: ["central"], listens: false, parts: { $0.keys = worker })
                let outcome = try await bus.run(top, leaf) { [options] in
                    let outcome = await leaf.uplink.presentError(error, options: options)
                    await Resources.wait {
                        guard case .decided(_, let known) = journal.state(of: id) else {
                            return false
                        }
                        return known == .recovered
                    }
                    return outcome
                }
                #expect(outcome.didRecover && outcome.answer?.option == "drop")
            }
            #expect(dropped.elements.count == 1)
        }

        @Test(
            "F28 what was taken out of the report is not carried out: an option, or what it needs",
            arguments: [true, false])
        func removed(isRemoved: Bool) async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "keep")
            let top = try bus.node("central", presenters: [presenter])
            let middle = try bus.node(
                "relay", next: ["central"], parts: { $0.chain = { Forger(following: $0) } })
            let leaf = try bus.node(
                "worker", next: ["relay"], listens: false, parts: { $0.keys = worker })
            let shown = error.rewriting { report in
                if isRemoved { report.options.removeFirst() }
                for index in report.options.indices {
                    report.options[index].needsSignature = false
                }
            }
            let (outcome, faults) = try await bus.run(top, middle, leaf) {
                let outcome = await leaf.uplink.presentError(shown)
                return (outcome, await leaf.status.faults.map(\.text))
            }
            let reason: Outcome.Reason = isRemoved ? .noAttempter : .notSigned
            #expect(outcome.reason == reason)
            #expect(!outcome.didRecover && outcome.answer == nil)
            if isRemoved {
                #expect(outcome.detail == "option drop: not offered; offered: keep")
            }
            let fault = isRemoved ? "its option was not offered" : "its option needs a signature"
            #expect(faults.contains { $0.contains(fault) })
            #expect(dropped.elements.isEmpty)
        }

        @Test("the options left in a report count, and OK without any", arguments: [1, 0])
        func left(count: Int) async throws {
            let bus = Bus()
            let option = count == 0 ? "ok" : "keep"
            let top = try bus.node("central", presenters: [FixedPresenter(option: option)])
            let leaf = try bus.node(
                "worker", next: ["central"], listens: false, parts: { $0.keys = worker })
            let shown = error.rewriting { $0.options = Array($0.options.suffix(count)) }
            let (outcome, faults) = try await bus.run(top, leaf) {
                let outcome = await leaf.uplink.presentError(shown)
                return (outcome, await leaf.status.faults.map(\.text))
            }
            #expect(outcome.reason == .answered && outcome.answer?.option == option)
            #expect(faults.isEmpty && dropped.elements.isEmpty)
        }

        @Test("a signer's answer to another report, which a relay put in its place, is refused")
        func reworded() async throws {
            let (outcome, _, shown) = try await outcome { next in
                ClosureResponder("liar", next: next) { error, _ in
                    error.rewriting { $0.options[0].title = "Try again" }
                }
            }
            #expect(outcome.reason == .notSigned && shown == 1)
            #expect(outcome.detail?.contains("changed on the way") == true)
            #expect(dropped.elements.isEmpty)
        }

        @Test("a signer's answer to an error that a relay says is of another node is refused")
        func moved() async throws {
            let (outcome, _, shown) = try await outcome { Mover(following: $0, origin: "test") }
            #expect(outcome.reason == .notSigned && shown == 1)
            #expect(outcome.detail?.contains("changed on the way") == true)
            #expect(dropped.elements.isEmpty)
            // It is the name alone that makes the difference.
            let (same, _, _) = try await self.outcome { Mover(following: $0, origin: "worker") }
            #expect(same.didRecover && dropped.elements.count == 1)
        }

        @Test("a node that is no signer cannot choose the option; others it can")
        func noSigner() async throws {
            let (refused, faults, shown) = try await outcome(signs: false)
            #expect(refused.reason == .detached && shown == 1)
            // Not chosen there, so nothing came that would have to be refused here.
            #expect(!faults.contains { $0.contains("signature") })
            let (kept, _, _) = try await outcome(choosing: "keep", signs: false)
            #expect(kept.answer?.option == "keep")
            #expect(dropped.elements.isEmpty)
        }

        @Test("a relay's fallback presenter that signs nothing cannot choose the option")
        func fallback() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "drop")
            let cutOff = try bus.node(
                "relay", next: ["central"], presenters: [presenter],
                settings: {
                    $0.whenUnreachable = .presentLocally
                    $0.grace = .zero
                })
            let leaf = try bus.node(
                "worker", next: ["relay"], listens: false, parts: { $0.keys = worker })
            let (outcome, faults) = try await bus.run(cutOff, leaf) {
                let outcome = await leaf.uplink.presentError(error)
                return (outcome, await leaf.status.faults.map(\.text))
            }
            #expect(outcome.reason == .detached && presenter.counts.count == 1)
            #expect(!faults.contains { $0.contains("signature") })
            #expect(dropped.elements.isEmpty)
        }

        @Test("an option that the presenting node itself added needs no signature")
        func ownOption() async throws {
            let bus = Bus()
            let fixed = Recorder<Void>()
            let presenter = FixedPresenter(option: "fix")
            let top = try bus.node(
                "central", presenters: [presenter],
                parts: { parts in
                    parts.chain = { next in
                        ClosureResponder("helper", next: next) { error, _ in
                            error.addingRecoveryOptions {
                                RecoveryOption("Fix", id: "fix", needsSignature: true) {
                                    fixed.record(())
                                    return true
                                }
                            }
                        }
                    }
                })
            let leaf = try bus.node(
                "worker", next: ["central"], listens: false, parts: { $0.keys = worker })
            let outcome = try await bus.run(top, leaf) {
                await leaf.uplink.presentError(error)
            }
            #expect(outcome.didRecover && fixed.elements.count == 1)
        }

        @Test("an answer from above keeps its signature at a relay that signs answers of its own")
        func signingRelay() async throws {
            let bus = Bus()
            var keys = LinkKeys(own: try #require(KeyPair.make()), known: [:])
            keys.signsAs = "relay"
            let ring = KeyRing(keys)
            let top = try bus.node(
                "central", presenters: [FixedPresenter(option: "drop")],
                parts: { $0.keys = central })
            let middle = try bus.node(
                "relay", next: ["central"],
                parts: {
                    $0.keys = ring
                    $0.chain = { ClosureResponder("between", next: $0) }
                })
            let leaf = try bus.node(
                "worker", next: ["relay"], listens: false, parts: { $0.keys = worker })
            let outcome = try await bus.run(top, middle, leaf) {
                await leaf.uplink.presentError(error)
            }
            #expect(outcome.didRecover && outcome.answer?.option == "drop")
            #expect(dropped.elements.count == 1)
        }

        @Test("within one process no signature is needed")
        func local() async throws {
            let bus = Bus()
            let alone = try bus.node(
                "alone", presenters: [FixedPresenter(option: "drop")], listens: false)
            let outcome = try await bus.run(alone) { await alone.chain.presentError(error) }
            #expect(outcome.didRecover && dropped.elements.count == 1)
        }
    }
}
