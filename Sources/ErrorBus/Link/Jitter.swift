/// The machines' only randomness: a small generator (SplitMix64) that is part of their state, so
/// that a copied machine with the same seed does the same.
struct Jitter: Hashable, Sendable, RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// 1, 2, 4 .. 30 s after `tries` sendings without a reply, each up to a quarter longer.
    mutating func resendDelay(afterTries tries: Int) -> UInt64 {
        let seconds = min(30, UInt64(1) << UInt64(min(max(tries - 1, 0), 5)))
        return seconds * 1000 + UInt64.random(in: 0...seconds * 250, using: &self)
    }

    mutating func milliseconds(in range: ClosedRange<UInt64>) -> UInt64 {
        UInt64.random(in: range, using: &self)
    }
}
