import ErrorBus
import Testing

@Suite("JSON: accepted and refused input")
struct JSONParserTests {
    private static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONValue.parse(Array(text.utf8))
    }

    private static func fault(
        in bytes: [UInt8], limits: JSONLimits = .report
    ) -> (reason: JSONError.Reason, offset: Int)? {
        do {
            _ = try JSONValue.parse(bytes, limits: limits)
            return nil
        } catch { return (error.reason, error.offset) }
    }

    @Test(
        "Good texts",
        arguments: [
            ("null", nil), (" true\r\n\t", true), ("false", false), ("0", 0), ("-0", 0),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("1.0", .number(1)), ("-0.0", .number(-0.0)), ("1e2", .number(100)),
            ("1E+2", .number(100)), ("12.5e-1", .number(1.25)), ("1e-400", .number(0)),
            ("\"\"", ""), ("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "a\"\\/\u{8}\u{C}\n\r\t"),
            ("\"\\u00e9\\u0000\"", "é\0"), ("\"\\uD83D\\uDE00x\"", "😀x"),
            ("\"é😀\u{2028}\"", "é😀\u{2028}"),
            ("\"\u{10FFFF}\"", "\u{10FFFF}"), ("\"\u{7F}\"", "\u{7F}"), ("[]", []), ("[ ]", []),
            ("{}", [:]), ("{ }", [:]), ("[1,[2],{\"a\":3}]", [1, [2], ["a": 3]]),
            ("{\"\":0,\"a\":null}", ["": 0, "a": nil]), ("{\"a\":{\"a\":1}}", ["a": ["a": 1]]),
        ] as [(String, JSONValue)])
    func good(text: String, value: JSONValue) throws {
        #expect(try Self.parse(text) == value)
    }

    @Test(
        "Bad texts are refused at the byte at fault",
        arguments: [
            ("", 0), ("  ", 2), ("tru", 3), ("truE", 3), ("nul1", 3), ("True", 0), ("NaN", 0),
            ("Infinity", 0), ("-Infinity", 1), ("+1", 0), ("-", 1), ("01", 0), ("-01", 1),
            ("00", 0),
            ("1.", 2), (".5", 0), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("0x10", 1), ("1_000", 1),
            ("9223372036854775808", 0), ("-9223372036854775809", 0),
            ("99999999999999999999999", 0), ("1e400", 0), ("[-1e999]", 1), ("\"", 1),
            ("\"a", 2), ("'a'", 0), ("\"\\", 2), ("\"\\x41\"", 1), ("\"\\u12G4\"", 1),
            ("\"\\u12", 5), ("\"a\u{1}\"", 2), ("\"\n\"", 1), ("\"\\n\u{0}\"", 3),
            ("\"\\uD800\"", 1), ("\"\\uDC00\"", 1), ("\"\\uD800\\n\"", 1), ("\"\\uD800x\"", 1),
            ("\"\\uD800\\uD800\"", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1),
            ("[1 2]", 3), ("[1}", 2), ("]", 0), ("{", 1), ("{\"a\"", 4), ("{\"a\":", 5),
            ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{1:1}", 1),
            ("{\"a\" 1}", 5), ("{\"a\":}", 5), ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1]", 6),
            ("{\"a\":1,\"a\":2}", 7), ("{\"a\":1,\"\\u0061\":2}", 7), ("1 2", 2), ("{}{}", 2),
            ("[]]", 2), ("null,", 4), ("1//c", 1), ("/**/1", 0), ("\u{A0}1", 0), ("\u{C}1", 0),
            ("\u{FEFF}1", 0), ("1\0", 1),
        ])
    func bad(text: String, offset: Int) throws {
        let fault = try #require(Self.fault(in: Array(text.utf8)))
        #expect(fault.offset == offset, "\(fault.reason)")
    }

    @Test(
        "A number out of range is named for what it is: an integer, or a double",
        arguments: [
            ("9223372036854775808", .integerOutOfRange),
            ("-9223372036854775809", .integerOutOfRange), ("1e400", .doubleOutOfRange),
            ("-1.0e999", .doubleOutOfRange),
        ] as [(String, JSONError.Reason)])
    func range(text: String, reason: JSONError.Reason) throws {
        #expect(Self.fault(in: Array(text.utf8))?.reason == reason)
        #expect(try Self.parse("9223372036854775808.0") == .number(0x1p63))
    }

    @Test(
        "Bytes that are not UTF-8 are refused at the first of them",
        arguments: [
            ([0x80], 1, .invalidUTF8), ([0x61, 0xFF], 2, .invalidUTF8),
            ([0xC0, 0x80], 1, .invalidUTF8), ([0xE0, 0x80, 0x80], 1, .invalidUTF8),
            ([0xC3], 1, .invalidUTF8), ([0xF4, 0x90, 0x80, 0x80], 1, .invalidUTF8),
            ([0xC3, 0xA9, 0xE2, 0x82], 3, .invalidUTF8),
            ([0x61, 0xED, 0xA0, 0x80], 2, .loneSurrogate),
            ([0xED, 0xBF, 0xBF], 1, .loneSurrogate),
        ] as [([UInt8], Int, JSONError.Reason)])
    func utf8(inside: [UInt8], offset: Int, reason: JSONError.Reason) throws {
        let fault = try #require(Self.fault(in: [0x22] + inside + [0x22]))
        #expect(fault.offset == offset)
        #expect(fault.reason == reason)
    }

    @Test("The size limit holds to the byte")
    func byteCount() throws {
        let limit = JSONLimits.report.byteCount
        let text = Array(repeating: UInt8(ascii: " "), count: limit - 1) + [UInt8(ascii: "1")]
        #expect(try JSONValue.parse(text) == 1)
        let fault = try #require(Self.fault(in: [0x20] + text))
        #expect(fault.reason == .tooLarge(byteCount: limit + 1, limit: limit))
    }

    @Test("32 levels are read, 33 refused, and a flood of brackets does not overflow")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(try JSONValue.parse(nested(32)).arrayValue?.count == 1)
        let fault = try #require(Self.fault(in: nested(33)))
        #expect(fault.reason == .tooDeep(limit: 32))
        #expect(fault.offset == 32)
        var limits = JSONLimits.report
        limits.depth = .max
        #expect(limits.depth == JSONLimits.depthCeiling)
        let flood = try #require(Self.fault(in: nested(100_000), limits: limits))
        #expect(flood.reason == .tooDeep(limit: JSONLimits.depthCeiling))
        // Depth counts what is open, not what was.
        let flat = "[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]"
        #expect(try Self.parse(flat).arrayValue?.count == 100)
    }

    @Test("20,000 values are read, one more refused")
    func valueCount() throws {
        func array(_ count: Int) -> [UInt8] {
            Array("[\(Array(repeating: "1", count: count).joined(separator: ","))]".utf8)
        }
        #expect(try JSONValue.parse(array(19_999)).arrayValue?.count == 19_999)
        let fault = try #require(Self.fault(in: array(20_000)))
        #expect(fault.reason == .tooManyValues(limit: 20_000))
    }

    @Test("Keys have a limit, since hashing a flood of marks takes quadratic time")
    func keyByteCount() throws {
        let escaped = String(repeating: "\u{7F}", count: 1024)
        let written = JSONValue.object([escaped: 1]).encoded()
        #expect(written.count > 1024 + 5)
        #expect(Self.fault(in: written) == nil)
        let longest = String(repeating: "k", count: 1024)
        #expect(try Self.parse("{\"\(longest)\":1}") == .object([longest: 1]))
        let fault = try #require(Self.fault(in: Array("{\"k\(longest)\":1}".utf8)))
        #expect(fault.reason == .keyTooLong(limit: 1024))
        let flood = String(repeating: "\u{301}\u{316}", count: 60_000)
        #expect(Self.fault(in: Array("{\"\(flood)\":1}".utf8))?.reason == .keyTooLong(limit: 1024))
    }

    @Test("Messages are one safe sentence with the offset")
    func messages() throws {
        let error = #expect(throws: JSONError.self) {
            try Self.parse("{\"a\u{7F}\":1,\"a\u{7F}\":2}")
        }
        let text = try #require(error).description
        #expect(text == "Byte 8: the key \"a\\u{7F}\" a second time in one object.")
        let other = #expect(throws: JSONError.self) { try Self.parse("[1;") }
        #expect(other?.description == "Byte 2: ';' where ',' or ']' is allowed.")
    }
}
