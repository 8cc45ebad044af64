import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// A client that returns while an option of the node is carried out for it.
    @Suite struct ReturningTests {
        private let attempts = Recorder<String>()
        /// Ends an attempt.
        private let end = Recorder<Void>()

        /// A node whose policy offers "fix", which a person chooses. It gives up clients soon.
        private func central(of bus: Bus) throws -> Node {
            try bus.node("central", settings: { $0.abandonAfter = .milliseconds(50) }) { parts in
                parts.times.lease = 50
                parts.presenting = { [attempts, end, logger = parts.logger] next in
                    let people = PresentingResponder(
                        "central",
                        presenters: (1...2).map { ScriptedPresenter("ann \($0)", .answer("fix")) },
                        next: next, logger: logger)
                    return ClosureResponder("policy", next: people) { error, _ in
                        error.addingRecoveryOptions {
                            RecoveryOption("Fix", id: "fix") {
                                attempts.record("fix")
                                // Not cancelled, as a program that ends slowly.
                                _ = try await Task { try await end.next() }.value
                                return true
                            }
                        }
                    }
                }
            }
        }

        @Test("A32 The option is carried out once", arguments: [true, false])
        func once(returnsBefore: Bool) async throws {
            let bus = Bus()
            let central = try central(of: bus)
            try await bus.run(central) {
                let client = try RawSocket.request(to: try bus.endpoint("central"))
                var present = Message.Present.client(wait: nil)
                let first = try await client.ask(.present(present))
                #expect(first.verb == .pending)
                _ = try await attempts.next()
                while await central.tableSizes.openBelow > 0 { await Task.yield() }
                present.attempt = 2
                if returnsBefore {
                    #expect(try await client.ask(.present(present)).verb == .pending)
                }
                end.record(())
                present.attempt = 3
                present.waitMilliseconds = 20_000
                let last = try await client.ask(.present(present))
                guard case .answer(_, let answer, _) = last else {
                    Issue.record("no ANSWER: \(last)")
                    return
                }
                #expect(answer.option == "fix" && answer.didRecover == true)
                #expect(attempts.elements == ["fix"])
            }
        }
    }
}
