import Testing

@testable import ErrorBus

extension RealSockets {
    @Suite struct SettlingTests {
        @Test("What was just answered, asked again at once under its id, has the same answer")
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

        @Test("What came of an answer is told although the node goes down at once")
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
                let done = try await audit.next(.done)
                #expect(done.fields["result"] == "recovered")
            }
        }
    }
}
