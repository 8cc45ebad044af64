/// A strict RFC 8259 parser over borrowed bytes. Recursive, but never deeper than
/// ``JSONLimits/depth``; never reads a byte twice on the common path.
///
/// Stricter than the RFC where peers could otherwise read one text in two ways: duplicate keys,
/// lone surrogates and numbers outside our range are refused. Keys are compared as Swift compares
/// strings: two spellings of one canonically equivalent text are duplicates.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    private var depth = 0
    private var valueCount = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The one value that the bytes are.
    mutating func parse() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.byteCount else {
            let reason = JSONError.Reason.tooLarge(byteCount: bytes.count, limit: limits.byteCount)
            throw JSONError(reason, at: limits.byteCount)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONError(.byteOrderMark, at: 0) }
        skipWhitespace()
        guard position < bytes.count else { throw JSONError(.empty, at: position) }
        let value = try value()
        skipWhitespace()
        guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        valueCount += 1
        guard valueCount <= limits.valueCount else {
            throw JSONError(.tooManyValues(limit: limits.valueCount), at: position)
        }
        guard let byte = current else { throw unexpected("a value") }
        switch byte {
        case UInt8(ascii: "\""):
            let start = position
            let text = try string()
            try checkMarks(in: text, from: start)
            return .string(text)
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try literal("true", is: .bool(true))
        case UInt8(ascii: "f"): return try literal("false", is: .bool(false))
        case UInt8(ascii: "n"): return try literal("null", is: .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        try descend()
        var members: [String: JSONValue] = [:]
        if closes(with: UInt8(ascii: "}")) { return .object(members) }
        while true {
            let start = position
            guard current == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let key = try string()
            guard position - start - 2 <= limits.keyByteCount else {
                throw JSONError(.keyTooLong(limit: limits.keyByteCount), at: start)
            }
            try checkMarks(in: key, from: start)
            skipWhitespace()
            guard current == UInt8(ascii: ":") else { throw unexpected("':'") }
            position += 1
            skipWhitespace()
            guard members.updateValue(try value(), forKey: key) == nil else {
                throw JSONError(.duplicateKey(key), at: start)
            }
            if closes(with: UInt8(ascii: "}")) { return .object(members) }
            guard current == UInt8(ascii: ",") else { throw unexpected("',' or '}'") }
            position += 1
            skipWhitespace()
        }
    }

    private func checkMarks(in text: String, from start: Int) throws(JSONError) {
        guard !text.hasMarks(inARowAbove: limits.markRunCount) else {
            throw JSONError(.tooManyMarks(limit: limits.markRunCount), at: start)
        }
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        try descend()
        var elements: [JSONValue] = []
        if closes(with: UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value())
            if closes(with: UInt8(ascii: "]")) { return .array(elements) }
            guard current == UInt8(ascii: ",") else { throw unexpected("',' or ']'") }
            position += 1
            skipWhitespace()
        }
    }

    /// Steps over the opening bracket.
    private mutating func descend() throws(JSONError) {
        guard depth < limits.depth else {
            throw JSONError(.tooDeep(limit: limits.depth), at: position)
        }
        depth += 1
        position += 1
    }

    /// Steps over whitespace and, where it comes next, the closing bracket.
    private mutating func closes(with bracket: UInt8) -> Bool {
        skipWhitespace()
        guard current == bracket else { return false }
        depth -= 1
        position += 1
        return true
    }

    private mutating func literal(
        _ word: StaticString, is value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else { throw unexpected("\(word)") }
            position += 1
        }
        return value
    }
}

extension JSONParser {
    /// The byte at the position; nil at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    func unexpected(_ allowed: String) -> JSONError {
        guard let current else { return JSONError(.unexpectedEnd(allowed: allowed), at: position) }
        return JSONError(.unexpected(current, allowed: allowed), at: position)
    }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }
}
