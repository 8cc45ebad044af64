import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusLab

/// Two real nodes over a link that delays, slices, cuts, doubles and spoils what passes.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FaultyLinkTests {
    private static let milliseconds400 = Duration.milliseconds(400)

    @Test(
        "F5 F6 F9 Late, in pieces, or twice: one prompt, one attempt, one completion",
        arguments: [
            ToxicEffect.latency(milliseconds400, jitter: milliseconds400),
            .slicer(averageSize: 1, variation: 0, delay: .zero),
            .bandwidth(kilobytesPerSecond: 1), .duplicate(probability: 1),
            .slowClose(delay: .seconds(1)),
        ])
    func passes(effect: ToxicEffect) async throws {
        let pair = try await ProxiedPair("passes", .answer("retry"))
        for stream in ToxicStream.allCases { try await pair.proxy.add(Toxic(effect, on: stream)) }
        try await pair.run { pair.expectOne(await pair.present()) }
    }

    @Test(
        "F7 PRESENT cut after any number of bytes: no part is accepted, it is sent again",
        arguments: (0..<10).map { 1 + 31 * $0 })
    func cutUpward(byteCount: Int) async throws {
        let pair = try await ProxiedPair("up", .answer("retry"))
        try await pair.run {
            // Once by itself, so that the link is up.
            _ = await pair.present(Recorder())
            try await pair.proxy.add(Toxic(.limitData(bytes: byteCount), on: .upstream))
            async let outcome = pair.present()
            try await pair.reaches(.unreachable)
            try await pair.proxy.removeToxic("limit_data_upstream")
            #expect(await outcome.didRecover)
            #expect(pair.attempts.elements.count == 2)
            #expect(pair.presenter.prompts.count == 2)
        }
    }

    @Test(
        "F7 ANSWER cut after any number of bytes: one attempt, and no second prompt",
        arguments: (0..<9).map { 1 + 17 * $0 })
    func cutDownward(byteCount: Int) async throws {
        let pair = try await ProxiedPair("down", .waitForCancellation)
        try await pair.run {
            async let outcome = pair.present()
            let prompt = try await pair.presenter.nextPrompt()
            try await pair.reaches(.relayed)
            try await pair.proxy.add(Toxic(.limitData(bytes: byteCount), on: .downstream))
            _ = try prompt.answer("retry", by: "ann", via: .person)
            try await pair.reaches(.unreachable)
            try await pair.proxy.removeToxic("limit_data_downstream")
            pair.expectOne(await outcome)
        }
    }

    @Test("F2 Repeated resets while a presentation is open: one prompt")
    func resets() async throws {
        let pair = try await ProxiedPair("reset", .waitForCancellation)
        try await pair.run {
            async let outcome = pair.present()
            let prompt = try await pair.presenter.nextPrompt()
            for stream in ToxicStream.allCases + ToxicStream.allCases {
                try await pair.reaches(.relayed)
                try await pair.proxy.add(Toxic(.resetPeer(.zero), on: stream))
                try await pair.reaches(.unreachable)
                try await pair.proxy.removeToxic("reset_peer_\(stream.rawValue)")
            }
            _ = try prompt.answer("retry", by: "ann", via: .person)
            pair.expectOne(await outcome)
        }
    }
}
