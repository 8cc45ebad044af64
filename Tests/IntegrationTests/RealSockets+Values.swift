import CZMQ
import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Options that ask for values, with a relay between their owner and the presenter.
    @Suite struct ValueTests {
        /// A presenter that gives values.
        private struct Filling: Presenter {
            let presenterName = "console"
            let option: String
            let values: [String: JSONValue]
            var comment: String?

            func present(_ prompt: Prompt) async throws -> Answer? {
                try prompt.answer(
                    option, by: "ann", via: .person, values: values, comment: comment)
            }
        }

        /// A relay with an option of its own.
        private struct Adding: Responder {
            let following: any Responder
            let got: Recorder<FieldValues>
            var next: (any Responder)? { get async { following } }

            func willPresentError(
                _ error: any Error, in context: PresentationContext
            ) async throws -> (any Error)? {
                error.addingRecoveryOptions {
                    RecoveryOption(
                        "Log in", id: "login", fields: [.secret("password", label: "Password")]
                    ) { [got] in
                        got.record($0)
                        return true
                    }
                }
            }
        }

        private let got = Recorder<FieldValues>()

        private var error: any Error {
            Attempts().saveFailed().recoverable {
                RecoveryOption(
                    "Move", id: "move",
                    fields: [
                        .text("path", label: "Path", pattern: "/*"),
                        .number("count", label: "Count", default: 3, isWhole: true),
                        .choice("mode", label: "Mode", among: ["fast", "safe"]),
                        .boolean("force", label: "Force", isRequired: false),
                        .secret("pin", label: "PIN"),
                    ]
                ) { [got] in
                    got.record($0)
                    return true
                }
                RecoveryOption(
                    "Again", id: "again", fields: [.number("count", label: "Count", default: 3)]
                ) { [got] in
                    got.record($0)
                    return true
                }
                RecoveryOption("Keep", id: "keep") { false }
            }
        }

        private func outcome(
            presenter: any Presenter, relay chain: NodeParts.Chain? = nil
        ) async throws -> Outcome {
            let bus = Bus()
            let (top, middle, leaf) = try bus.row(under: presenter, relay: chain)
            return try await bus.run(top, middle, leaf) {
                await leaf.uplink.presentError(error)
            }
        }

        @Test("A41 what a person gives at the presenter arrives at the attempt, typed")
        func arrives() async throws {
            let values: [String: JSONValue] = [
                "path": "/srv/ü", "mode": "safe", "force": true, "pin": "hunter2",
            ]
            let outcome = try await outcome(presenter: Filling(option: "move", values: values))
            #expect(outcome.didRecover)
            let arrived = try #require(got.elements.first)
            #expect(arrived.text("path") == "/srv/ü" && arrived.text("mode") == "safe")
            #expect(arrived.integer("count") == 3 && arrived.boolean("force") == true)
            #expect(arrived.text("pin") == "hunter2" && got.elements.count == 1)
            #expect(outcome.answer?.given.values["path"] == "/srv/ü")
            #expect(outcome.answer?.given.secrets.isEmpty == true)
        }

        @Test("a comment arrives at the origin, also where a relay ran the option")
        func comment() async throws {
            let kept = try await outcome(
                presenter: Filling(option: "keep", values: [:], comment: "No room.\nNone."))
            #expect(kept.answer?.comment == "No room.\nNone.")
            let login = try await outcome(
                presenter: Filling(
                    option: "login", values: ["password": "hunter2"], comment: "Try it."),
                relay: { Adding(following: $0, got: Recorder<FieldValues>()) })
            #expect(login.didRecover && login.answer?.comment == "Try it.")
        }

        @Test("A42 a presenter that gives no values cannot choose the option")
        func noValues() async throws {
            let outcome = try await outcome(presenter: FixedPresenter(option: "move"))
            #expect(outcome.reason == .detached && got.elements.isEmpty)
        }

        @Test(
            "A42 values that do not fit are refused by the owner, and its attempt does not run",
            arguments: [
                [:], ["path": "srv", "mode": "safe"], ["path": "/srv", "mode": "slow"],
                ["path": "/srv", "mode": "safe", "more": 1],
            ] as [[String: JSONValue]])
        func forged(values: [String: JSONValue]) async throws {
            let answer = Answer(
                option: "move", by: "ann", via: .person, values: values, secrets: ["pin": "1"])
            let outcome = try await outcome(
                presenter: FixedPresenter(option: "keep"),
                relay: { Forger(following: $0, answer: answer) })
            #expect(outcome.reason == .badValue && outcome.answer == nil && !outcome.didRecover)
            #expect(outcome.decidedBy == "worker")
            #expect(got.elements.isEmpty)
        }

        /// What becomes of an answer that a person gives at a node which knows no fields: it shows
        /// such an option like any other.
        private func outcome(
            withoutFields option: String
        ) async throws -> (outcome: Outcome, shown: RecoveryResult?) {
            let (bus, inbox) = (Bus(), Inbox("console"))
            let top = try bus.node(
                "central", presenters: [inbox],
                parts: { parts in
                    parts.audit = inbox
                    parts.chain = { next in
                        ClosureResponder("earlier version", next: next) { error, _ in
                            error.rewriting { report in
                                for index in report.options.indices {
                                    report.options[index].fields = []
                                }
                            }
                        }
                    }
                })
            let leaf = try bus.node("worker", next: ["central"], listens: false)
            return try await bus.run(top, leaf) {
                async let outcome = leaf.uplink.presentError(error)
                for await _ in inbox.changes() where inbox.openCount == 1 { break }
                let id = try #require(inbox.items().first).id
                _ = try inbox.answer(id, option: option, by: "ann")
                var shown: RecoveryResult?
                for await _ in inbox.changes() {
                    guard case .settled(_, let result) = try inbox.item(id).stage else { continue }
                    shown = result
                    break
                }
                return (await outcome, shown)
            }
        }

        @Test("A42 a person at a presenter without fields is shown that the owner refused")
        func presenterWithoutFields() async throws {
            let (outcome, shown) = try await outcome(withoutFields: "move")
            #expect(shown == .invalid && shown?.words == "refused by its owner")
            #expect(outcome.reason == .badValue && outcome.answer == nil && !outcome.didRecover)
            #expect(outcome.detail?.contains("\"path\"") == true)
            #expect(got.elements.isEmpty)
        }

        @Test("A41 a presenter without fields can choose an option whose values have defaults")
        func defaultsWithoutFields() async throws {
            let (outcome, shown) = try await outcome(withoutFields: "again")
            #expect(shown == .recovered && outcome.didRecover)
            #expect(got.elements.map { $0.integer("count") } == [3])
        }

        @Test("A42 an ANSWER without the values that its option needs is SETTLED as invalid")
        func foreignParent() async throws {
            let bus = Bus()
            let parent = try RawSocket(ZMQ_ROUTER)
            try parent.bind(bus.endpoint("top"))
            let leaf = try bus.node("worker", next: ["top"], listens: false)
            try await bus.run(leaf) {
                let link = try await PassingThroughTests.welcome(on: parent)
                async let outcome = leaf.uplink.presentError(error)
                let frames = try await PassingThroughTests.next(.present, on: parent)
                guard case .present(let present) = try Message(frames: frames[2...]) else {
                    Issue.record("\(frames)")
                    return
                }
                let answer = Answer(option: "move", by: "ann", via: .person)
                try await parent.send([link, []] + Message.answer(present.id, answer).frames)
                let reply = try await PassingThroughTests.next(.settled, on: parent)
                guard case .settled(let settled) = try Message(frames: reply[2...]) else {
                    Issue.record("\(reply)")
                    return
                }
                #expect(settled.id == present.id && settled.answer == answer.id)
                #expect(settled.result == .invalid)
                let end = await outcome
                #expect(end.reason == .badValue && got.elements.isEmpty)
            }
        }

        @Test("A41 a relay's own option gets its secret, which goes no further down")
        func relayOption() async throws {
            let relayGot = Recorder<FieldValues>()
            let outcome = try await outcome(
                presenter: Filling(option: "login", values: ["password": "hunter2"]),
                relay: { Adding(following: $0, got: relayGot) })
            #expect(outcome.didRecover)
            #expect(relayGot.elements.map { $0.text("password") } == ["hunter2"])
            #expect(outcome.answer?.option == "login")
            #expect(outcome.answer?.extras.payload.isEmpty == true)
        }
    }
}
