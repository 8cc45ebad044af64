import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct ChainOverLinksTests {
        /// worker, relay with `middle` in its chain, central with `top` and a presenter.
        private func present(
            _ error: any Error & Sendable, presenter: any Presenter,
            middle: @escaping NodeParts.Chain = { $0 }, top: @escaping NodeParts.Chain = { $0 },
            below: @escaping @Sendable (any Responder) -> any Responder = { $0 }
        ) async throws -> Outcome {
            let bus = Bus()
            let central = try bus.node(
                "central", presenters: [presenter], parts: { $0.chain = top })
            let relay = try bus.node("relay", next: ["central"], parts: { $0.chain = middle })
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            return try await bus.run(central, relay, worker) {
                await below(worker.uplink).presentError(error)
            }
        }

        @Test("A05 Every hook is called once, from the origin to the top")
        func order() async throws {
            let calls = Attempts()
            @Sendable func noting(_ name: String, _ next: any Responder) -> any Responder {
                ClosureResponder(
                    name, next: next,
                    willPresent: { error, _ in
                        calls.note(name)
                        return error.rewriting { $0.description += "," + name }
                    })
            }
            let presenter = ScriptedPresenter("script", .answer("ok"))
            let error = SaveFailed().rewriting { $0.description = "start" }
            let outcome = try await present(
                error, presenter: presenter, middle: { noting("M", $0) },
                top: { noting("P", $0) }, below: { noting("inner", noting("O", $0)) })
            #expect(outcome.reason == .answered)
            #expect(presenter.prompts.map(\.report.description) == ["start,inner,O,M,P"])
            #expect(calls.all == ["inner", "O", "M", "P"])
        }

        @Test("A06 The relay's rewritten text travels; the origin recovers")
        func rewrite() async throws {
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let attempts = Attempts()
            let before = ErrorReport(describing: attempts.saveFailed())
            let outcome = try await present(
                attempts.saveFailed(), presenter: presenter,
                middle: { next in
                    ClosureResponder(
                        "M", next: next,
                        willPresent: { error, _ in
                            error.rewriting { $0.description = "Said better." }
                        })
                })
            let shown = try #require(presenter.prompts.first?.report)
            #expect(shown.description == "Said better.")
            #expect(shown.domain == before.domain)
            #expect(shown.code == before.code)
            #expect(shown.options == before.options)
            #expect(shown.changes.map(\.by) == ["relay"])
            #expect(shown.changes.first?.rewritten == ["description"])
            #expect(outcome.didRecover)
            #expect(attempts.all == ["origin:retry"])
        }

        @Test("A07 An error withheld by the relay ends at the origin; its responders are notified")
        func withheld() async throws {
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let attempts = Attempts()
            let told = Recorder<Outcome.Reason>()
            let outcome = try await present(
                attempts.saveFailed(), presenter: presenter,
                middle: { ClosureResponder("M", next: $0, willPresent: { _, _ in nil }) },
                below: { NoticingResponder(next: $0, told: told) })
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .withheld)
            #expect(outcome.decidedBy == "relay")
            #expect(told.elements == [.withheld])
            #expect(presenter.prompts.isEmpty)
            #expect(attempts.count == 0)
        }

        @Test("A08 An error handled by the relay recovers the origin without its own attempt")
        func handled() async throws {
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let attempts = Attempts()
            let outcome = try await present(
                attempts.saveFailed(), presenter: presenter,
                middle: { next in
                    ClosureResponder(
                        "M", next: next,
                        present: { _, _ in
                            Outcome(didRecover: true, reason: .handled, decidedBy: "M")
                        })
                })
            #expect(outcome.didRecover)
            #expect(outcome.reason == .handled)
            #expect(outcome.decidedBy == "relay")
            #expect(presenter.prompts.isEmpty)
            #expect(attempts.count == 0)
        }

        @Test(
            "A09 Options that the top adds to an error without any run at the top",
            arguments: [("retry", true), ("cancel", false)])
        func enrichedAtTheTop(option: String, recovers: Bool) async throws {
            let attempts = Attempts()
            let outcome = try await present(
                SaveFailed(), presenter: FixedPresenter(option: option),
                top: { next in
                    ClosureResponder(
                        "P", next: next,
                        willPresent: { error, _ in
                            error.recoverable {
                                attempts.option("retry", at: "central")
                                RecoveryOption.cancel
                            }
                        })
                })
            #expect(outcome.didRecover == recovers)
            #expect(outcome.answer?.option == option)
            #expect(attempts.all == (recovers ? ["central:retry"] : []))
        }

        @Test(
            "A10 Each option runs where it was added, and nowhere else",
            arguments: [
                ("retry", ["origin:retry"], true), ("use-cache", ["relay:use-cache"], true),
                ("skip", ["central:skip"], false),
            ])
        func mixedOwners(option: String, runs: [String], recovers: Bool) async throws {
            let attempts = Attempts()
            let outcome = try await present(
                SaveFailed().recoverable { attempts.option("retry") },
                presenter: FixedPresenter(option: option),
                middle: { next in
                    ClosureResponder(
                        "M", next: next,
                        willPresent: { error, _ in
                            error.addingRecoveryOptions {
                                attempts.option("use-cache", at: "relay")
                            }
                        })
                },
                top: { next in
                    ClosureResponder(
                        "P", next: next,
                        willPresent: { error, _ in
                            error.addingRecoveryOptions {
                                attempts.option("skip", at: "central", recovers: false)
                            }
                        })
                })
            #expect(attempts.all == runs)
            #expect(outcome.didRecover == recovers)
            #expect(outcome.reason == .answered)
            #expect(outcome.answer?.option == option)
        }

        @Test("A11 An option is found by its id although others were put before it")
        func reordered() async throws {
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let attempts = Attempts()
            let outcome = try await present(
                attempts.saveFailed(), presenter: presenter,
                middle: { next in
                    ClosureResponder(
                        "M", next: next,
                        willPresent: { error, _ in
                            error.addingRecoveryOptions(.first) {
                                attempts.option("use-cache", at: "relay")
                            }
                            .rewriting { $0.options[1].title = "Wiederholen" }
                        })
                })
            let shown = try #require(presenter.prompts.first?.report.options)
            #expect(shown.map(\.id) == ["use-cache", "retry", "cancel"])
            #expect(shown[1].title == "Wiederholen")
            #expect(outcome.didRecover)
            #expect(attempts.all == ["origin:retry"])
        }

        @Test("A16 A user cancellation does not cross a link; hooks below see it")
        func userCancelled() async throws {
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let attempts = Attempts()
            let hooks = Attempts()
            let error = CocoaError(.userCancelled).recoverable { attempts.option("retry") }
            let outcome = try await present(
                error, presenter: presenter,
                middle: { next in
                    ClosureResponder(
                        "M", next: next,
                        willPresent: { error, _ in
                            hooks.note("relay")
                            return error
                        })
                },
                below: { next in
                    ClosureResponder(
                        "O", next: next,
                        willPresent: { error, _ in
                            hooks.note("origin")
                            return error
                        })
                })
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .userCancelled)
            #expect(hooks.all == ["origin"])
            #expect(presenter.prompts.isEmpty)
            #expect(attempts.count == 0)
        }

        @Test("A17 A relay that turns an error into a user cancellation is named")
        func turnedIntoUserCancelled() async throws {
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let attempts = Attempts()
            let outcome = try await present(
                attempts.saveFailed(), presenter: presenter,
                middle: { next in
                    ClosureResponder(
                        "M", next: next, willPresent: { _, _ in CocoaError(.userCancelled) })
                })
            #expect(!outcome.didRecover)
            #expect(outcome.reason == .userCancelled)
            #expect(outcome.decidedBy == "relay")
            #expect(presenter.prompts.isEmpty)
            #expect(attempts.count == 0)
        }
    }
}
