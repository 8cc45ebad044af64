extension JSONParser {
    /// The string whose opening quote is at the position.
    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try text(start..<position)
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw JSONError(.controlCharacter(byte), at: position) }
            position += 1
        }
        throw unexpected("the closing quote")
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

    /// The bytes as text. They are checked once, by the standard library; where a fault is, is
    /// only looked for when there is one.
    private func text(_ range: Range<Int>) throws(JSONError) -> String {
        let slice = UnsafeBufferPointer(rebasing: bytes[range])
        if let text = String(validating: slice, as: UTF8.self) { return text }
        throw utf8Fault(in: slice, from: range.lowerBound)
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
