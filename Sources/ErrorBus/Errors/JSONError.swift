/// Why bytes are not the JSON we take, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// The sort of fault.
    public enum Reason: Hashable, Sendable {
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
        case numberOutOfRange
        /// Another byte than the grammar allows here.
        case unexpected(UInt8, allowed: String)
        case unexpectedEnd(allowed: String)
        case trailingBytes
    }

    public let reason: Reason
    /// The offset of the first byte at fault, from 0.
    public let offset: Int

    init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One sentence, safe to print.
    public var description: String { "Byte \(offset): \(reason)." }
}

extension JSONError.Reason: CustomStringConvertible {
    public var description: String {
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
        case .numberOutOfRange: "a number that fits neither 64-bit integer nor finite double"
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
