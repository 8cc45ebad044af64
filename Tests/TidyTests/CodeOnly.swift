/// A source text without comments and string literals, line for line the same length of file, so
/// that rules see only code. Code inside string interpolations stays.
///
/// Bare `/regex/` literals are not distinguished from division: none may contain a quotation mark.
struct CodeOnly {
    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []

    private init(_ text: String) {
        bytes = Array(text.utf8)
        output.reserveCapacity(bytes.count)
    }

    static func of(_ text: String) -> String {
        var stripper = CodeOnly(text)
        stripper.code(inParentheses: false)
        return String(decoding: stripper.output, as: UTF8.self)
    }

    private func startsWith(_ text: StaticString, at offset: Int = 0) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + offset + count <= bytes.count else { return false }
        return text.withUTF8Buffer { wanted in
            (0..<count).allSatisfy { bytes[position + offset + $0] == wanted[$0] }
        }
    }

    /// Skips `count` bytes; only their line ends are kept.
    private mutating func skip(_ count: Int) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { output.append(bytes[position]) }
            position += 1
        }
    }

    /// Copies code to the end, or to the `)` that closes an interpolation.
    private mutating func code(inParentheses: Bool) {
        var depth = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "/"), startsWith("//") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
                    position += 1
                }
                output.append(UInt8(ascii: " "))
                continue
            }
            if byte == UInt8(ascii: "/"), startsWith("/*") {
                blockComment()
                continue
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"),
                let hashes = hashesBeforeQuote()
            {
                string(hashes: hashes)
                continue
            }
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") {
                if inParentheses, depth == 0 { return }
                depth -= 1
            }
            output.append(byte)
            position += 1
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if startsWith("/*") {
                depth += 1
                skip(2)
            } else if startsWith("*/") {
                depth -= 1
                skip(2)
            } else {
                skip(1)
            }
        } while depth > 0 && position < bytes.count
        output.append(UInt8(ascii: " "))
    }

    /// How many `#` stand here before a quotation mark; nil when this is no string.
    private func hashesBeforeQuote() -> Int? {
        var count = 0
        while position + count < bytes.count, bytes[position + count] == UInt8(ascii: "#") {
            count += 1
        }
        return startsWith("\"", at: count) ? count : nil
    }

    private func hashes(_ count: Int, at offset: Int) -> Bool {
        position + offset + count <= bytes.count
            && (0..<count).allSatisfy { bytes[position + offset + $0] == UInt8(ascii: "#") }
    }

    private mutating func string(hashes count: Int) {
        skip(count)
        let isLong = startsWith("\"\"\"")
        let quotes = isLong ? 3 : 1
        skip(quotes)
        output += "\"\"".utf8
        while position < bytes.count {
            if isLong ? startsWith("\"\"\"") : startsWith("\""), hashes(count, at: quotes) {
                skip(quotes + count)
                return
            }
            if startsWith("\\"), hashes(count, at: 1) {
                skip(1 + count)
                if startsWith("(") {
                    output.append(UInt8(ascii: "("))
                    position += 1
                    code(inParentheses: true)
                    output.append(UInt8(ascii: ")"))
                    position += 1
                } else {
                    skip(1)
                }
            } else if !isLong, startsWith("\n") {
                return
            } else {
                skip(1)
            }
        }
    }
}
