import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct TableSizesTests {
        @Test("An open presentation is in the tables of every node on its way, and then in none")
        func filledAndEmptied() async throws {
            let bus = Bus()
            let presenter = FixedPresenter(option: "retry")
            let inAttempt = Recorder<[TableSizes]>()
            let forgetsSoon: (inout NodeParts) -> Void = { $0.times.tombstone = 50 }
            let central = try bus.node("central", presenters: [presenter], parts: forgetsSoon)
            let relay = try bus.node("relay", next: ["central"], parts: forgetsSoon)
            let worker = try bus.node(
                "worker", next: ["relay"], listens: false, parts: forgetsSoon)
            #expect(await worker.tableSizes == TableSizes())
            try await bus.run(central, relay, worker) {
                let outcome = await worker.uplink.presentError(
                    SaveFailed().recoverable {
                        RecoveryOption("Retry", id: "retry") {
                            inAttempt.record([
                                await central.tableSizes, await relay.tableSizes,
                                await worker.tableSizes,
                            ])
                            return true
                        }
                    })
                #expect(outcome.didRecover)
                let during = try await inAttempt.next()
                #expect(during.map(\.children) == [1, 1, 0])
                #expect(during.map(\.openBelow) == [1, 1, 0])
                #expect(during.map(\.offered) == [1, 1, 0])
                #expect(during.map(\.openAbove) == [0, 1, 1])
                #expect(during.map(\.attempts) == [1, 1, 0])
                for node in [central, relay, worker] {
                    while await node.tableSizes.entryCount > 0 {
                        await Task.yield()
                    }
                }
            }
        }
    }
}
