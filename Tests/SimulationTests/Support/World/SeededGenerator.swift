/// The only randomness of a simulation (SplitMix64): the same seed gives the same run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func number(in range: ClosedRange<UInt64>) -> UInt64 {
        range.lowerBound &+ next() % (range.upperBound - range.lowerBound + 1)
    }

    mutating func index(below count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func happens(_ probability: Double) -> Bool {
        probability > 0 && fraction() < probability
    }

    /// One of them; the list may not be empty.
    mutating func pick<T>(_ choices: [T]) -> T { choices[index(below: choices.count)] }

    /// Waiting times are mostly short and sometimes long: at most eight times the mean.
    mutating func waiting(mean: UInt64) -> UInt64 {
        var product = 0.0
        // The number of halvings until a coin shows heads, with the rest spread evenly.
        while product < 7, happens(0.5) { product += 1 }
        return UInt64((product + fraction()) * Double(mean) * 0.7)
    }
}
