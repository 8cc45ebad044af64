import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusLab

/// One wrong byte somewhere in the first connections of a link.
@Suite(.timeLimit(.minutes(10)))
struct CorruptLinkTests {
    /// One in each part: signature, version, mechanism, READY, then frames, verbs and headers of
    /// HELLO and PRESENT, and the payload.
    private static let offsets = [0, 8, 11, 15, 66, 75, 92, 94, 100, 130, 190, 230, 320, 420]

    private static let toxicity = 0.5

    /// A seed with which the first connection is spoiled and the next ones are not.
    private static func seed(for stream: ToxicStream) -> UInt64? {
        (1...1_000).first { seed in
            (1...6).allSatisfy { number in
                var random = SeededGenerator(
                    seed: SeededGenerator.seed(
                        SeededGenerator.seed(seed, part: String(number)), part: stream.rawValue))
                return random.happens(toxicity) == (number == 1)
            }
        }
    }

    @Test(
        "F11 A wrong byte on the first connection: a dead session is replaced, one completion",
        arguments: offsets, ToxicStream.allCases)
    func corrupt(offset: Int, stream: ToxicStream) async throws {
        let seed = try #require(Self.seed(for: stream))
        let pair = try await ProxiedPair("corrupt", seed: seed, .answer("retry"))
        try await pair.proxy.add(
            Toxic(.corrupt(probability: 0, offset: offset), on: stream, toxicity: Self.toxicity))
        try await pair.run {
            let outcome = await pair.present()
            // Without keys no node can know a wrong letter in an id or in a report from the right
            // one: it may make another presentation, or a refusal. Both end.
            #expect(outcome.reason == .answered || outcome.refusalCode != nil, "\(outcome)")
            #expect(pair.attempts.elements.count <= 1)
        }
    }
}
