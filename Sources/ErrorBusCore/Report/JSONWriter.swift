/// A writer that writes equal JSON in the same way every time: keys sorted, no spaces, the shortest
/// digits that read back as the same double.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter byteCount: The number of bytes that most texts have at least.
    init(byteCount: Int = 0) { bytes.reserveCapacity(byteCount) }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(word: "null")
        case .bool(let value): write(word: value ? "true" : "false")
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): write(value)
        case .string(let text): write(quoted: text)
        case .array(let elements): write(elements)
        case .object(let members): write(members)
        }
    }

    private mutating func write(word: StaticString) {
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes a number. JSON cannot express a number that is not finite: it becomes null.
    private mutating func write(_ number: Double) {
        guard number.isFinite else { return write(word: "null") }
        bytes.append(contentsOf: number.description.utf8)
    }

    private mutating func write(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ members: [String: JSONValue]) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(quoted: key)
            bytes.append(UInt8(ascii: ":"))
            write(value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var runStart = 0
            var index = 0
            while index < utf8.count {
                guard Self.mayNeedEscape(utf8[index]),
                    let (escape, length) = Self.escape(at: index, in: utf8)
                else {
                    index += 1
                    continue
                }
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[runStart..<index]))
                write(escape: escape)
                index += length
                runStart = index
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[runStart...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a scalar that begins with this byte may need an escape.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
            || byte == 0xE2
    }

    /// The scalar at `index` and its length in bytes if it must be escaped: as RFC 8259 requires,
    /// plus DEL and the two separators that end a line in JavaScript.
    private static func escape(
        at index: Int, in utf8: UnsafeBufferPointer<UInt8>
    ) -> (scalar: UInt16, length: Int)? {
        let byte = utf8[index]
        switch byte {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return (UInt16(byte), 1)
        case 0xE2:
            guard utf8[index + 1] == 0x80, utf8[index + 2] & 0xFE == 0xA8 else { return nil }
            return (0x2028 + UInt16(utf8[index + 2] & 1), 3)
        default: return nil
        }
    }

    private mutating func write(escape scalar: UInt16) {
        switch scalar {
        case 0x22: write(word: "\\\"")
        case 0x5C: write(word: "\\\\")
        case 0x08: write(word: "\\b")
        case 0x09: write(word: "\\t")
        case 0x0A: write(word: "\\n")
        case 0x0C: write(word: "\\f")
        case 0x0D: write(word: "\\r")
        default:
            write(word: "\\u")
            for shift in [12, 8, 4, 0] as [UInt16] {
                let digit = UInt8(scalar >> shift & 0xF)
                bytes.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }

    /// The bytes that a value takes.
    static func byteCount(of value: JSONValue) -> Int {
        if case .string(let text) = value { return byteCount(of: text) + 2 }
        return value.encoded().count
    }

    /// The bytes that `text` takes as a JSON string, without its quotes.
    static func byteCount(of text: String) -> Int {
        guard text.utf8.contains(where: mayNeedEscape) else { return text.utf8.count }
        var writer = JSONWriter()
        writer.write(quoted: text)
        return writer.bytes.count - 2
    }
}
