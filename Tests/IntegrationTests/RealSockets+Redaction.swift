import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// `NodeParts.redact`: what leaves a process.
    @Suite struct RedactionTests {
        private struct LoginFailed: ReportableError {
            var report = ErrorReport(
                domain: "com.acme", description: "The login failed: password=hunter2",
                userInfo: ["token": "abc", "user": "ann"])
        }

        @Test(
            "A process's own errors leave it redacted, by uplink and by chain",
            arguments: [false, true])
        func own(byChain: Bool) async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("script", .answer("retry"))
            let audit = RecordingAudit()
            let central = try bus.node("central", presenters: [presenter])
            let worker = try bus.node(
                "worker", next: ["central"], listens: false,
                parts: {
                    $0.redact = { $0.maskSecrets() }
                    $0.audit = audit
                })
            let attempts = Recorder<Void>()
            let outcome = try await bus.run(central, worker) {
                let error = LoginFailed().recoverable {
                    RecoveryOption("Retry", id: "retry") {
                        attempts.record(())
                        return true
                    }
                }
                return await (byChain ? worker.chain : worker.uplink).presentError(error)
            }
            #expect(outcome.didRecover && attempts.elements.count == 1)
            let report = try #require(presenter.prompts.first?.report)
            #expect(report.description == "The login failed: password=***")
            #expect(report.userInfo == ["token": "***", "user": "ann"])
            guard case .reported(let recorded) = audit.events.first?.what else {
                Issue.record("\(audit.events)")
                return
            }
            #expect(recorded.description == report.description)
        }

        @Test("An error that a responder of the chain presents itself leaves redacted, too")
        func ofTheChain() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("script", .answer("ok"))
            let central = try bus.node("central", presenters: [presenter])
            let worker = try bus.node(
                "worker", next: ["central"], listens: false,
                parts: {
                    $0.redact = { $0.maskSecrets() }
                    $0.chain = { next in
                        ClosureResponder(
                            "hook", next: next, willPresent: { _, _ in throw LoginFailed() })
                    }
                })
            try await bus.run(central, worker) {
                _ = await worker.chain.presentError(LoginFailed())
                // What the hook threw goes its own way, perhaps later.
                for _ in 0..<2 { _ = try await presenter.nextPrompt() }
            }
            #expect(presenter.prompts.count == 2)
            #expect(presenter.prompts.allSatisfy { $0.report.userInfo["token"] == "***" })
        }

        @Test("Errors of children pass as they are")
        func children() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("script", .answer("ok"))
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node(
                "relay", next: ["central"], parts: { $0.redact = { $0.maskSecrets() } })
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            try await bus.run(central, relay, worker) {
                _ = await worker.uplink.presentError(LoginFailed())
            }
            #expect(presenter.prompts.first?.report.userInfo["token"] == "abc")
        }
    }
}
