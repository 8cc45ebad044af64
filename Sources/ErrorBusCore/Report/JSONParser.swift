/// A strict RFC 8259 parser over borrowed bytes. Recursive, but never deeper than
/// ``JSONLimits/depth``; never reads a byte twice on the common path.
///
/// Stricter than the RFC where peers could otherwise read one text in two ways: duplicate keys,
/// lone surrogates and numbers outside our range are refused. Keys are compared as Swift compares
/// strings: two spellings of one canonically equivalent text are duplicates.
struct JSONParser {
    /// An outermost object before its members: a report of the usual size does not let it grow.
    /// Inner objects are many and mostly small.
    private static var outermost: [String: JSONValue] { Dictionary(minimumCapacity: 12) }

    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    private var depth = 0
    private var valueCount = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The value of the whole text.
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
        var members = depth == 1 ? Self.outermost : [:]
        if closes(with: UInt8(ascii: "}")) { return .object(members) }
        while true {
            let start = position
            guard current == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
            let key = try string()
            // Without escapes, of which a writer may need more than the text has.
            guard key.utf8.count <= limits.keyByteCount else {
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

extension JSONParser {
    /// The string whose opening quote is at the position.
    mutating func string() throws(JSONError) -> String {
        let start = position + 1
        // A variable of its own, which stays in a register.
        var end = start
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
            bytes[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        position = end
        guard let byte = current else { throw unexpected("the closing quote") }
        switch byte {
        case UInt8(ascii: "\""):
            let text = try text(start..<end)
            position += 1
            return text
        case UInt8(ascii: "\\"): return try escapedString(from: start)
        default: throw JSONError(.controlCharacter(byte), at: position)
        }
    }

    /// A string with escapes: `start` is its first byte, the position its first backslash.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text = try text(start..<position)
        var runStart = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                text += try self.text(runStart..<position)
                position += 1
                return text
            }
            if byte < 0x20 { throw JSONError(.controlCharacter(byte), at: position) }
            guard byte == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            text += try self.text(runStart..<position)
            text.unicodeScalars.append(try escape())
            runStart = position
        }
        throw unexpected("the closing quote")
    }

    /// The scalar of the escape at the position.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = position
        position += 1
        guard let letter = current else { throw unexpected("the rest of an escape") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default: throw JSONError(.badEscape, at: start)
        }
    }

    /// The scalar of a `\u` escape, or of the two that are a surrogate pair.
    private mutating func unicodeEscape(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try hexUnit(from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, current == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, at: start) }
        let secondStart = position
        position += 2
        let second = try hexUnit(from: secondStart)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar((unit - 0xD800) << 10 + (second - 0xDC00) + 0x10000)
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    /// Four hexadecimal digits at the position; `start` is where their escape began.
    private mutating func hexUnit(from start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current else { throw unexpected("four hexadecimal digits") }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw JSONError(.badEscape, at: start)
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    /// The bytes as text. The standard library checks them once; only a fault causes a search for
    /// its place.
    private func text(_ range: Range<Int>) throws(JSONError) -> String {
        let slice = UnsafeBufferPointer(rebasing: bytes[range])
        // Not `String(validating:as:)`, which is generic and takes four times as long.
        guard let valid = try? UTF8Span(validating: slice.span) else {
            throw utf8Fault(in: slice, from: range.lowerBound)
        }
        return String(copying: valid)
    }

    private func utf8Fault(in slice: UnsafeBufferPointer<UInt8>, from start: Int) -> JSONError {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = slice.makeIterator()
        var offset = start
        while case .valid(let scalar) = decoder.parseScalar(from: &iterator) {
            offset += scalar.count
        }
        // A surrogate written as three bytes is the one fault with a name of its own.
        let index = offset - start
        let isSurrogate =
            index + 1 < slice.count && slice[index] == 0xED && slice[index + 1] >= 0xA0
        return JSONError(isSurrogate ? .loneSurrogate : .invalidUTF8, at: offset)
    }
}

extension JSONParser {
    /// The number at the position. Without fraction and exponent it is an integer and must fit 64
    /// bits (`-0` is 0); with either it is a double and must be finite. A double too small for the
    /// format is 0.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let firstDigit = position
        var magnitude: UInt64 = 0
        var overflows = false
        while let digit = digit() {
            let (product, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt64(digit))
            magnitude = sum
            overflows = overflows || first || second
            position += 1
        }
        guard position > firstDigit else { throw unexpected("a digit") }
        if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw JSONError(.leadingZero, at: firstDigit)
        }
        switch current {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            return .number(try double(from: start))
        default: break
        }
        let limit = UInt64(Int64.max) + (isNegative ? 1 : 0)
        guard !overflows, magnitude <= limit else {
            throw JSONError(.integerOutOfRange, at: start)
        }
        let bits = Int64(truncatingIfNeeded: magnitude)
        return .integer(isNegative ? 0 &- bits : bits)
    }

    /// The double that began at `start`; the position is at its point or exponent.
    private mutating func double(from start: Int) throws(JSONError) -> Double {
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
        guard let value = Double(String(decoding: slice, as: UTF8.self)) else {
            throw JSONError(.badNumber, at: start)
        }
        guard value.isFinite else { throw JSONError(.doubleOutOfRange, at: start) }
        return value
    }

    /// Steps over one digit or more.
    private mutating func digits() throws(JSONError) {
        guard digit() != nil else { throw unexpected("a digit") }
        while digit() != nil { position += 1 }
    }

    private func digit() -> UInt8? {
        guard position < bytes.count else { return nil }
        let digit = bytes[position] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}
