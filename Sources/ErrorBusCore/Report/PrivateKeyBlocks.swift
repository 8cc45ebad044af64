/// Private keys in PEM form (RFC 7468), also if a text has only the end of a key.
enum PrivateKeyBlocks {
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let kinds = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"].map { Array($0.utf8) }
    /// The longest name of a kind of key, as in `ENCRYPTED PRIVATE KEY`.
    private static let kindByteMax = 64

    static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        let begins = marks(begin, in: bytes)
        let ends = marks(end, in: bytes)
        var ranges: [Range<Int>] = []
        var following = ends[...]
        if let first = ends.first, first.lowerBound < begins.first?.lowerBound ?? bytes.count {
            ranges.append(0..<first.upperBound)
        }
        for begin in begins where begin.lowerBound >= ranges.last?.upperBound ?? 0 {
            following = following.drop { $0.lowerBound < begin.lowerBound }
            ranges.append(begin.lowerBound..<(following.first?.upperBound ?? bytes.count))
        }
        return ranges
    }

    private static func marks(_ mark: [UInt8], in bytes: [UInt8]) -> [Range<Int>] {
        bytes.places(of: mark).compactMap { start in
            let rest = bytes[start.upperBound...].prefix(kindByteMax)
            let end = kinds.lazy.compactMap { rest.firstRange(of: $0)?.upperBound }.first
            return end.map { start.lowerBound..<$0 }
        }
    }
}
