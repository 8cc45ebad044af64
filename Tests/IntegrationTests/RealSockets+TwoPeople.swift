import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Options that need two people, with a relay between their owner and the presenter.
    @Suite struct TwoPeopleTests {
        private let dropped = Recorder<Void>()

        private func error(signed: Bool = false) -> any Error {
            Attempts().saveFailed().recoverable {
                RecoveryOption(
                    "Drop", id: "drop", role: .destructive, needsSignature: signed,
                    needsTwoPeople: true
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
            presenter: any Presenter, relay chain: NodeParts.Chain? = nil,
            _ act: @Sendable @escaping () async throws -> Void = {}
        ) async throws -> (outcome: Outcome, faults: [String]) {
            let bus = Bus()
            let (top, middle, leaf) = try bus.row(under: presenter, relay: chain)
            return try await bus.run(top, middle, leaf) {
                async let outcome = leaf.uplink.presentError(error())
                try await act()
                return (await outcome, await leaf.status.faults.map(\.text))
            }
        }

        @Test("What one person proposes and another confirms is carried out, with both names")
        func confirmed() async throws {
            let inbox = Inbox("console")
            let (outcome, faults) = try await outcome(presenter: inbox, relay: nil) {
                for await _ in inbox.changes() where inbox.openCount == 1 { break }
                let item = try #require(inbox.items().first)
                let proposal = try inbox.propose(
                    item.id, option: "drop", by: SignedInPerson("ann"))
                try inbox.confirm(
                    item.id, proposal.id, option: "drop", by: SignedInPerson("bob"))
            }
            #expect(outcome.didRecover && dropped.elements.count == 1)
            #expect(outcome.answer?.by == "ann" && outcome.answer?.second == "bob")
            #expect(faults.isEmpty)
        }

        @Test(
            "F28 an answer that does not name two people is refused by the owner, with an alarm",
            arguments: [
                Answer(option: "drop", by: "ann", via: .person),
                Answer(option: "drop", by: "ann", via: .person, second: "ann"),
                Answer(option: "drop", by: "ann", via: .person, second: ""),
                Answer(option: "drop", by: "rule 1", via: .policy, second: "rule 2"),
            ])
        func forged(answer: Answer) async throws {
            let (outcome, faults) = try await outcome(
                presenter: FixedPresenter(option: "keep"),
                relay: { Forger(following: $0, answer: answer) })
            #expect(outcome.reason == .notConfirmed && !outcome.didRecover)
            // No script acts on the option of an answer that does not count.
            #expect(outcome.answer == nil)
            #expect(outcome.detail?.contains("expected two different people") == true)
            #expect(dropped.elements.isEmpty)
            #expect(faults.contains { $0.contains("needs two people") })
        }

        @Test("F28 an option that a relay says two people had carried out needs their names too")
        func claimed() async throws {
            let claim = Outcome(
                didRecover: true, reason: .answered, decidedBy: "central",
                answer: Answer(option: "drop", by: "ann", via: .person))
            let (outcome, faults) = try await outcome(
                presenter: FixedPresenter(option: "keep"),
                relay: { EndingRelay(following: $0, outcome: claim) })
            #expect(outcome.reason == .notConfirmed && !outcome.didRecover)
            #expect(outcome.answer == nil && dropped.elements.isEmpty)
            #expect(faults.contains { $0.contains("needs two people") })
        }

        @Test("A presenter that knows no people cannot choose it; other options it can")
        func noPeople() async throws {
            let (refused, faults) = try await outcome(presenter: FixedPresenter(option: "drop"))
            #expect(refused.reason == .detached)
            // Not chosen there, so nothing came that would have to be refused here.
            #expect(!faults.contains { $0.contains("two people") })
            let (kept, _) = try await outcome(presenter: FixedPresenter(option: "keep"))
            #expect(kept.answer?.option == "keep")
            #expect(dropped.elements.isEmpty)
        }

        @Test("One presenter alone cannot choose it within one process either")
        func local() async throws {
            let bus = Bus()
            let alone = try bus.node(
                "alone", presenters: [FixedPresenter(option: "drop")], listens: false)
            let outcome = try await bus.run(alone) { await alone.chain.presentError(error()) }
            #expect(outcome.reason == .detached && dropped.elements.isEmpty)
        }

        @Test("The names of two people that a relay made up do not count where they are signed")
        func signed() async throws {
            let worker = LinkKeys(own: try #require(KeyPair.make()), known: [:])
            let bus = Bus()
            let lie = Answer(option: "drop", by: "ann", via: .person, second: "bob")
            let top = try bus.node("central", presenters: [FixedPresenter(option: "keep")])
            let middle = try bus.node(
                "relay", next: ["central"],
                parts: { $0.chain = { Forger(following: $0, answer: lie) } })
            let leaf = try bus.node(
                "worker", next: ["relay"], listens: false, parts: { $0.keys = KeyRing(worker) })
            let outcome = try await bus.run(top, middle, leaf) {
                await leaf.uplink.presentError(error(signed: true))
            }
            #expect(outcome.reason == .notSigned && dropped.elements.isEmpty)
        }
    }
}
