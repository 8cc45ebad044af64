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
