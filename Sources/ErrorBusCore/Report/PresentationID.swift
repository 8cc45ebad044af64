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

    /// The bytes of the canonical form.
    static let byteCount = 36

    /// Reads the canonical 36-character form, in either case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let read = text.utf8.withContiguousStorageIfAvailable(UniqueID.init(utf8:))
        guard let id = read ?? Array(text.utf8).withUnsafeBufferPointer(UniqueID.init(utf8:))
        else { return nil }
        self = id
    }

    /// Reads the bytes of the canonical form.
    init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        let hyphen = UInt8(ascii: "-")
        guard text.count == Self.byteCount, text[8] == hyphen, text[13] == hyphen,
            text[18] == hyphen, text[23] == hyphen
        else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        guard high.take(hex: text[0..<8]), high.take(hex: text[9..<13]),
            high.take(hex: text[14..<18]), low.take(hex: text[19..<23]),
            low.take(hex: text[24..<36])
        else { return nil }
        self.init(high: high, low: low)
    }
}

extension UniqueID: CustomStringConvertible {
    /// The canonical lower-case form.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.byteCount) { text in
            write(into: text)
            return Self.byteCount
        }
    }

    /// Writes the canonical lower-case form, ``byteCount`` bytes.
    func write(into text: UnsafeMutableBufferPointer<UInt8>) {
        (high >> 32).writeHex(8, into: text, at: 0)
        (high >> 16).writeHex(4, into: text, at: 9)
        high.writeHex(4, into: text, at: 14)
        (low >> 48).writeHex(4, into: text, at: 19)
        low.writeHex(12, into: text, at: 24)
        let hyphen = UInt8(ascii: "-")
        (text[8], text[13], text[18], text[23]) = (hyphen, hyphen, hyphen, hyphen)
    }
}

extension UInt64 {
    /// The number of hexadecimal digits.
    static let hexByteCount = 16

    /// Sixteen lower-case hexadecimal digits.
    var paddedHex: String {
        String(unsafeUninitializedCapacity: Self.hexByteCount) { text in
            writeHex(Self.hexByteCount, into: text, at: 0)
            return Self.hexByteCount
        }
    }

    /// Writes the last `count` hexadecimal digits, in lower case.
    @inline(__always)
    func writeHex(_ count: Int, into text: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        for index in 0..<count {
            let digit = UInt8(truncatingIfNeeded: self >> UInt64(4 * (count - 1 - index)) & 0xF)
            text[start + index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
    }

    /// Puts hexadecimal digits, in either case, behind the ones that it has; false if one is none.
    mutating func take(hex digits: some Sequence<UInt8>) -> Bool {
        for byte in digits {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                self = self << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                self = self << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                self = self << 4 | UInt64(byte - UInt8(ascii: "A") + 10)
            default: return false
            }
        }
        return true
    }
}
