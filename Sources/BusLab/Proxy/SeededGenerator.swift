/// SplitMix64: the same seed gives the same numbers on every machine, unlike the system's
/// generator. For faults and schedules, never for ids or secrets.
package struct SeededGenerator: RandomNumberGenerator, Hashable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator for one part of a whole, independent of the draws of other parts.
    init(seed: UInt64, part: String) { state = Self.seed(seed, part: part) }

    /// The seed of one part of a whole.
    package static func seed(_ seed: UInt64, part: String) -> UInt64 {
        part.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, but not including, 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }

    /// True with this probability.
    mutating func happens(_ probability: Double) -> Bool { fraction() < probability }

    /// Within the bounds, to the microsecond.
    mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let bounds = range.lowerBound.wholeMicroseconds...range.upperBound.wholeMicroseconds
        return .microseconds(Int64.random(in: bounds, using: &self))
    }
}

extension Duration {
    /// Rounded down.
    var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }

    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
