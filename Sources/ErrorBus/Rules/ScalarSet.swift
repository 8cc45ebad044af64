/// A set of characters: ranges, or everything but them.
struct ScalarSet: Hashable, Sendable {
    var ranges: [ClosedRange<Unicode.Scalar>]
    var isInverted = false

    static let digits = ScalarSet(ranges: ["0"..."9"])
    static let word = ScalarSet(ranges: ["0"..."9", "A"..."Z", "_"..."_", "a"..."z"])
    static let space = ScalarSet(ranges: ["\t"..."\r", " "..." "])
    static let anything = ScalarSet(ranges: [], isInverted: true)

    /// The one character in it; nil when there are more or it is inverted.
    var singleScalar: Unicode.Scalar? {
        guard !isInverted, ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound else {
            return nil
        }
        return ranges[0].lowerBound
    }

    func contains(_ scalar: Unicode.Scalar, ignoringCase: Bool) -> Bool {
        var isIn = ranges.contains { $0.contains(scalar) }
        if !isIn, ignoringCase, scalar.isASCII, scalar.properties.isAlphabetic {
            let other = Unicode.Scalar(UInt8(scalar.value) ^ 0x20)
            isIn = ranges.contains { $0.contains(other) }
        }
        return isIn != isInverted
    }
}
