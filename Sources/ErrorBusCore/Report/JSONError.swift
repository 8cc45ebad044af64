/// The fault that makes bytes invalid as JSON of the bus, and its place.
package struct JSONError: Error, Hashable, Sendable {
    /// The sort of fault.
    package enum Reason: Hashable, Sendable {
        case empty
        case byteOrderMark
        case tooLarge(byteCount: Int, limit: Int)
        case tooDeep(limit: Int)
        case tooManyValues(limit: Int)
        case keyTooLong(limit: Int)
        case tooManyMarks(limit: Int)
        case duplicateKey(String)
        case invalidUTF8
        case loneSurrogate
        case controlCharacter(UInt8)
        case badEscape
        case leadingZero
        case badNumber
        case integerOutOfRange
        case doubleOutOfRange
        /// A byte that the grammar does not allow here.
        case unexpected(UInt8, allowed: String)
        case unexpectedEnd(allowed: String)
        case trailingBytes
    }

    package let reason: Reason
    /// The offset of the first byte at fault, from 0.
    package let offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One sentence, safe to print.
    package var description: String { "Byte \(offset): \(reason)." }
}

extension JSONError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "no JSON at all, where one value is required"
        case .byteOrderMark: "a byte order mark, which JSON between systems must not have"
        case .tooLarge(let count, let limit): "\(count) bytes, where at most \(limit) are allowed"
        case .tooDeep(let limit): "nested deeper than the \(limit) levels allowed"
        case .tooManyValues(let limit): "more than the \(limit) values allowed"
        case .keyTooLong(let limit): "a key longer than the \(limit) bytes allowed"
        case .tooManyMarks(let limit):
            "a text with more than the \(limit) combining marks in a row allowed"
        case .duplicateKey(let key):
            "the key \"\(key.escapedForTerminal(scalarLimit: 64))\" a second time in one object"
        case .invalidUTF8: "bytes that are not UTF-8"
        case .loneSurrogate: "half a surrogate pair, which is no character"
        case .controlCharacter(let byte):
            "the control character \(Self.name(of: byte)) unescaped inside a string"
        case .badEscape: "an escape other than \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
        case .leadingZero: "a number with a leading zero"
        case .badNumber: "a number that is not digits with optional fraction and exponent"
        case .integerOutOfRange:
            "an integer outside 64 bits (one with a fraction or an exponent is read as a double)"
        case .doubleOutOfRange: "a number beyond the largest double"
        case .unexpected(let byte, let allowed):
            "\(Self.name(of: byte)) where \(allowed) is allowed"
        case .unexpectedEnd(let allowed): "the end, where \(allowed) is required"
        case .trailingBytes: "bytes after the value"
        }
    }

    private static func name(of byte: UInt8) -> String {
        if byte > 0x20, byte < 0x7F { return "'\(Character(Unicode.Scalar(byte)))'" }
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.count == 1 ? "0" + digits : digits)
    }
}

/// The limits of JSON from a peer. Reading stops at the first one passed.
package struct JSONLimits: Hashable, Sendable {
    /// The deepest nesting that any limits may allow: the parser recurses, and this many levels
    /// take less than 384 KiB of stack even in a debug build.
    package static let depthCeiling = 128

    /// The longest text, in bytes.
    package var byteCount: Int
    /// The most arrays and objects inside one another; 1 is a flat object.
    /// Never above ``depthCeiling``.
    package var depth: Int {
        didSet { depth = min(depth, Self.depthCeiling) }
    }
    /// The most values in all, containers included, keys not.
    package var valueCount: Int
    /// The longest key, in bytes as written.
    package var keyByteCount: Int
    /// The most combining marks in a row, in a key or a string. Comparing and hashing a text sorts
    /// such a row in quadratic time: one comparison of 60,000 marks takes a second. Unicode's
    /// Stream-Safe Text Format (UAX #15) allows 30.
    package var markRunCount: Int

    package init(
        byteCount: Int, depth: Int, valueCount: Int, keyByteCount: Int = 1024,
        markRunCount: Int = 128
    ) {
        self.byteCount = byteCount
        self.depth = min(depth, Self.depthCeiling)
        self.valueCount = valueCount
        self.keyByteCount = keyByteCount
        self.markRunCount = markRunCount
    }

    /// The limits of a report and of an answer's extras: 256 KiB, 32 levels, 20,000 values, keys of
    /// 1 KiB, 128 marks in a row.
    package static let report = JSONLimits(byteCount: 256 * 1024, depth: 32, valueCount: 20_000)
}
