import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct SettlingTests {
        @Test("A presentation repeated at once under its id has the same answer")
        func askedAgain() async throws {
            let bus = Bus()
            let central = try bus.node("central", presenters: [FixedPresenter(option: "retry")])
            let worker = try bus.node("worker", next: ["central"], listens: false)
            let attempts = Attempts()
            try await bus.run(central, worker) {
                for count in 1...20 {
                    var options = PresentationOptions()
                    options.id = .make()
                    let error = attempts.saveFailed()
                    let first = await worker.uplink.presentError(error, options: options)
                    let second = await worker.uplink.presentError(error, options: options)
                    #expect(first.didRecover)
                    #expect(second.didRecover)
                    #expect(second.answer?.id == first.answer?.id)
                    #expect(attempts.count == count)
                }
            }
        }

        @Test("The result of an answer is reported although the node shuts down at once")
        func toldBeforeTheEnd() async throws {
            let bus = Bus()
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: "retry")],
                parts: { $0.audit = audit })
            try await bus.run(central) {
                let worker = try bus.node("worker", next: ["central"], listens: false)
                let attempts = Attempts()
                let running = Task { try await worker.run() }
                #expect(await worker.uplink.presentError(attempts.saveFailed()).didRecover)
                running.cancel()
                try await running.value
                #expect(try await audit.nextResult() == .recovered)
            }
        }

        @Test("The result of an answer that was given up is in the ledger and the journal")
        func settledLate() async throws {
            let bus = Bus()
            let (audit, journal) = (RecordingAudit(), MemoryJournal())
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: "retry")],
                settings: { $0.abandonAfter = .milliseconds(50) },
                parts: {
                    $0.times.lease = 50
                    $0.audit = audit
                    $0.journal = journal
                })
            try await bus.run(central) {
                let client = try RawSocket.request(to: try bus.endpoint("central"))
                let present = Message.Present.client()
                guard case .answer(_, let decision, _) = try await client.ask(.present(present))
                else {
                    Issue.record("no ANSWER")
                    return
                }
                #expect(try await audit.nextResult() == .unknown)
                let settled = Message.Settled(
                    id: present.id, answer: decision.id, result: .recovered)
                #expect(try await client.ask(.settled(settled)) == .ok(id: present.id))
                #expect(try await audit.nextResult() == .recovered)
                let settling = audit.events.last.map(\.what)
                guard case .settled(_, let answer) = settling else {
                    Issue.record("\(String(describing: settling)) came last")
                    return
                }
                #expect(answer.by == "tester")
                // It is in the ledger first.
                while try await journal.results.next() != .recovered {}
            }
            guard case .decided(_, .recovered) = journal.onlyState else {
                Issue.record("\(String(describing: journal.onlyState))")
                return
            }
        }

        @Test("F15 A relay restarts during an attempt: its result arrives")
        func relayRestarts() async throws {
            let bus = Bus()
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: "retry")],
                parts: { $0.audit = audit })
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let (begun, end) = (Recorder<Void>(), FirstValue<Bool>())
            try await bus.run(central, worker) {
                let first = try await RunningNode(try bus.node("relay", next: ["central"]))
                let asking = Task { await worker.uplink.presentError(slow(begun, end)) }
                _ = try await begun.next()
                try await first.stop()
                let second = try await RunningNode(try bus.node("relay", next: ["central"]))
                end.offer(true)
                #expect(await asking.value.didRecover)
                #expect(try await audit.nextResult() == .recovered)
                try await second.stop()
            }
        }

        @Test("F16 The presenter restarts during an attempt: its result is recorded")
        func presenterRestarts() async throws {
            let bus = Bus()
            let journal = MemoryJournal()
            let audit = RecordingAudit()
            @Sendable func central() throws -> Node {
                try bus.node(
                    "central", presenters: [FixedPresenter(option: "retry")],
                    parts: {
                        $0.journal = journal
                        $0.audit = audit
                    })
            }
            let relay = try bus.node("relay", next: ["central"])
            let worker = try bus.node("worker", next: ["relay"], listens: false)
            let (begun, end) = (Recorder<Void>(), FirstValue<Bool>())
            try await bus.run(relay, worker) {
                let first = try await RunningNode(try central())
                let asking = Task { await worker.uplink.presentError(slow(begun, end)) }
                _ = try await begun.next()
                try await first.stop()
                // The result is the next life's: nothing is recorded until it is known.
                end.offer(true)
                #expect(await asking.value.didRecover)
                let second = try await RunningNode(try central())
                #expect(try await audit.nextResult() == .recovered)
                try await second.stop()
            }
            let restored = audit.events.filter {
                if case .decided(_, isRestored: true) = $0.what { true } else { false }
            }
            #expect(restored.isEmpty)
        }

        /// An error whose Retry lasts until `end` says how it ends.
        private func slow(_ begun: Recorder<Void>, _ end: FirstValue<Bool>) -> Recoverable {
            SaveFailed().recoverable {
                RecoveryOption("Retry", id: "retry") {
                    begun.record(())
                    return await end.value
                }
            }
        }
    }
}
