import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// Nodes that stop, and come back, while a presentation is open.
    @Suite struct RestartTests {
        @Test("A deadline that passes completes the caller and ends the prompt")
        func deadline() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false) {
                $0.deadline = .milliseconds(300)
            }
            let attempts = Attempts()
            try await bus.run(central, relay, worker) {
                let outcome = await worker.uplink.presentError(attempts.saveFailed())
                #expect(outcome.reason == .expired)
                #expect(!outcome.didRecover)
                let gone = try await presenter.nextTakenAway()
                #expect(gone == outcome.presentation)
                let prompt = try #require(presenter.prompts.first)
                #expect(throws: AnswerRefusal.self) {
                    try prompt.answer("retry", by: "ada", via: .person)
                }
            }
            #expect(attempts.count == 0)
        }

        @Test("A caller that gives up ends its prompt, two nodes above")
        func withdraw() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            try await bus.run(central, relay, worker) {
                let asking = Task { await worker.uplink.presentError(Attempts().saveFailed()) }
                let prompt = try await presenter.nextPrompt()
                asking.cancel()
                #expect(await asking.value.reason == .withdrawn)
                #expect(try await presenter.nextTakenAway() == prompt.id)
                #expect(throws: AnswerRefusal.closed(.withdrawn)) {
                    try prompt.answer("retry", by: "ada", via: .person)
                }
            }
        }

        @Test("An origin that shuts down completes its callers and ends its prompts")
        func originStops() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            try await bus.run(central, relay) {
                let running = try await RunningNode(worker)
                let asking = Task { await worker.uplink.presentError(Attempts().saveFailed()) }
                let prompt = try await presenter.nextPrompt()
                try await running.stop()
                let outcome = await asking.value
                #expect(outcome.reason == .shutDown)
                #expect(outcome.decidedBy == "worker")
                #expect(try await presenter.nextTakenAway() == prompt.id)
            }
        }

        @Test(
            "F15 A relay restarts: the presentation stays, and its answer finds the origin")
        func relayRestarts() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let attempts = Attempts()
            try await bus.run(central, worker) {
                let first = try await RunningNode(try bus.node("relay", next: ["central"]))
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let prompt = try await presenter.nextPrompt()
                try await first.stop()
                #expect(prompt.isOpen)
                let second = try await RunningNode(try bus.node("relay", next: ["central"]))
                _ = try prompt.answer("retry", by: "ada", via: .person)
                #expect(await asking.value.didRecover)
                try await second.stop()
            }
            #expect(attempts.all == ["origin:retry"])
            #expect(presenter.prompts.count == 1)
        }

        @Test("F1 F15 An answer given while the relay is away is delivered when it is back")
        func answeredWhileAway() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.node("central", presenters: [presenter])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let attempts = Attempts()
            try await bus.run(central, worker) {
                let first = try await RunningNode(try bus.node("relay", next: ["central"]))
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let prompt = try await presenter.nextPrompt()
                try await first.stop()
                _ = try prompt.answer("retry", by: "ada", via: .person)
                let second = try await RunningNode(try bus.node("relay", next: ["central"]))
                let outcome = await asking.value
                #expect(outcome.didRecover)
                #expect(outcome.decidedBy == "ada")
                try await second.stop()
            }
            #expect(attempts.all == ["origin:retry"])
            #expect(presenter.prompts.count == 1)
        }

        @Test("F16 The top restarts: it shows the presentation again, and one attempt is made")
        func topRestarts() async throws {
            let bus = Bus()
            let before = ScriptedPresenter("person", .waitForCancellation)
            let after = ScriptedPresenter("person", .answer("retry"))
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let attempts = Attempts()
            try await bus.run(relay, worker) {
                let first = try await RunningNode(try bus.node("central", presenters: [before]))
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let shown = try await before.nextPrompt()
                try await first.stop()
                #expect(try await before.nextTakenAway() == shown.id)
                let second = try await RunningNode(try bus.node("central", presenters: [after]))
                let outcome = await asking.value
                #expect(outcome.didRecover)
                #expect(after.prompts.map(\.id) == [shown.id])
                try await second.stop()
            }
            #expect(attempts.all == ["origin:retry"])
        }

        @Test("F16 The top restarts during an attempt: its answer waits for the result")
        func topRestartsDuringAttempt() async throws {
            let (bus, journal) = (Bus(), MemoryJournal())
            let (begun, released) = (Recorder<Bool>(), Recorder<Bool>())
            let error = SaveFailed().recoverable {
                RecoveryOption("Retry", id: "retry", role: .default) {
                    begun.record(true)
                    return try await released.next()
                }
            }
            let worker = try bus.node("worker", next: ["central"], listens: false)
            try await bus.run(worker) {
                let first = try await RunningNode(
                    try bus.node(
                        "central", presenters: [ScriptedPresenter("person", .answer("retry"))],
                        parts: { $0.journal = journal }))
                let asking = Task { await worker.uplink.presentError(error) }
                _ = try await begun.next()
                try await first.stop()
                let after = ScriptedPresenter("person", .waitForCancellation)
                let second = try await RunningNode(
                    try bus.node(
                        "central", presenters: [after], parts: { $0.journal = journal }))
                released.record(true)
                #expect(await asking.value.didRecover)
                #expect(try await journal.results.next() == .recovered)
                #expect(after.prompts.isEmpty)
                try await second.stop()
            }
            #expect(!journal.results.elements.contains(.unknown))
        }

        @Test(
            "F31 With hold, a caller waits without a parent, and gets its answer when one is there"
        )
        func holds() async throws {
            let bus = Bus()
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            try await bus.run(worker) {
                let asking = Task { await worker.uplink.presentError(attempts.saveFailed()) }
                let central = try await RunningNode(
                    try bus.node("central", presenters: [FixedPresenter(option: "retry")]))
                #expect(await asking.value.didRecover)
                try await central.stop()
            }
            #expect(attempts.count == 1)
        }

        @Test("With fail, a caller whose parent shuts down ends with its grace")
        func failsOverAway() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let worker = try bus.node("worker", next: ["central"], listens: false) {
                $0.whenUnreachable = .fail
                $0.grace = .seconds(1)
            }
            let central = try await RunningNode(try bus.node("central", presenters: [presenter]))
            try await bus.run(worker) {
                let asking = Task { await worker.uplink.presentError(SaveFailed()) }
                _ = try await presenter.nextPrompt()
                try await central.stop()
                #expect(await asking.value.reason == .unreachable)
            }
        }
    }
}
