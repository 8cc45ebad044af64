import Glibc

/// The id of one presentation, made by its origin. A repeated id means the same presentation.
public struct PresentationID: Hashable, Sendable, CustomStringConvertible {
    /// The UUID.
    public let value: UniqueID

    /// The id with this UUID.
    public init(_ value: UniqueID) { self.value = value }

    /// Reads the canonical UUID form; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard let value = UniqueID(text) else { return nil }
        self.value = value
    }

    /// A new id (UUID version 7) from the wall clock and the system's generator.
    public static func make() -> PresentationID {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    /// A new id whose random part comes from `generator`.
    package static func make(using generator: inout some RandomNumberGenerator) -> PresentationID {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
        return PresentationID(UniqueID(milliseconds: milliseconds, using: &generator))
    }

    public var description: String { value.description }
}

/// A UUID (RFC 9562) as two machine words, cheap to hash and compare.
///
/// Presentations get version 7, so that ids sort by the time they were made; any version is
/// accepted from a peer.
public struct UniqueID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A version 7 id: milliseconds since 1970 in front, then 74 random bits.
    package init(milliseconds: UInt64, using generator: inout some RandomNumberGenerator) {
        let random: UInt64 = generator.next()
        high = (milliseconds << 16) | 0x7000 | (random & 0x0FFF)
        let rest: UInt64 = generator.next()
        low = (rest & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    }

    /// Reads the canonical 36-character form, in either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let read = text.utf8.withContiguousStorageIfAvailable { Self.words(of: $0) }
        guard let (high, low) = read ?? Self.words(of: Array(text.utf8)) else { return nil }
        self.init(high: high, low: low)
    }

    private static func words(of text: some RandomAccessCollection<UInt8>) -> (UInt64, UInt64)? {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (position, byte) in text.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexDigit(byte) else { return nil }
            if position < 18 {
                words.0 = words.0 << 4 | digit
            } else {
                words.1 = words.1 << 4 | digit
            }
        }
        return words
    }

    private static func hexDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension UniqueID: CustomStringConvertible {
    /// The canonical lower-case form.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var rest = high
            for position in 0..<36 {
                switch position {
                case 8, 13, 18, 23:
                    text[position] = UInt8(ascii: "-")
                    if position == 18 { rest = low }
                default:
                    text[position] = (rest >> 60).lowHexDigit
                    rest <<= 4
                }
            }
            return 36
        }
    }
}

extension UInt64 {
    /// Sixteen lower-case hexadecimal digits.
    var paddedHex: String {
        String(unsafeUninitializedCapacity: 16) { text in
            for index in 0..<16 { text[index] = (self >> UInt64(60 - 4 * index)).lowHexDigit }
            return 16
        }
    }

    /// The lowest four bits as a lower-case digit.
    fileprivate var lowHexDigit: UInt8 {
        let digit = UInt8(truncatingIfNeeded: self & 0xF)
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
