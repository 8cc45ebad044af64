import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct HeaderTests {
    @Test(
        "valid headers",
        arguments: [
            ("", 0), ("a: b\n", 1), ("a: b", 1), ("a: \n", 1), ("a: b: c\nb-2: d\n", 2),
            ("a: \u{A0}ö\n", 1), ("a: b\nc: d", 2),
            (String(repeating: "a", count: 64) + ": b\n", 1),
        ])
    func good(_ text: String, _ count: Int) throws {
        let header = try Header(Frame(text.utf8))
        #expect(header.fields.count == count)
        #expect(
            String(decoding: header.frame, as: UTF8.self)
                == (text.last == "\n" || text.isEmpty ? text : text + "\n"))
    }

    @Test("spaces around a value are dropped", arguments: ["a:b\n", "a:  b \n", "a: b\n"])
    func spaces(_ text: String) throws {
        #expect(try Header(Frame(text.utf8))["a"] == "b")
    }

    @Test(
        "malformed headers",
        arguments: [
            "a", "\n", "a: b\n\n", ": b\n", "A: b\n", "ä: b\n", "a b: c\n",
            "a: b\r\n", "a: b\0\n", "a: b\u{7F}\n", "a: \u{85}\n",
            "x-later: \u{9B}31mred\n", "a: \t\n", " a: b\n", "a: b\n folded\n",
            "a: b\na: c\n", "a: b\nb: c\na: b\n", "1a: b\n", "-a: b\n",
            String(repeating: "a", count: 65) + ": b\n",
        ])
    func bad(_ text: String) {
        #expect(throws: WireError.self) { try Header(Frame(text.utf8)) }
        #expect((try? Header(Frame(text.utf8))) == nil)
    }

    @Test(
        "bytes that are not UTF-8 are malformed",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3],
        ] as [Frame])
    func badUTF8(_ bytes: Frame) {
        let error = #expect(throws: WireError.self) { try Header(Frame("a: ".utf8) + bytes) }
        #expect(error?.code == .malformed)
    }

    @Test("8192 bytes are read, 8193 are 413")
    func byteLimit() throws {
        let full = Frame("a: ".utf8) + Frame(repeating: 0x78, count: 8 * 1024 - 4) + [0x0A]
        #expect(try Header(full).byteCount == 8192)
        let error = #expect(throws: WireError.self) { try Header(full + [0x0A]) }
        #expect(error?.code == .tooLarge)
    }

    @Test("64 fields are read, 65 are refused")
    func fieldLimit() throws {
        let lines = (0..<65).map { "f\($0): v\n" }
        #expect(try Header(Frame(lines.dropLast().joined().utf8)).fields.count == 64)
        #expect(throws: WireError.self) { try Header(Frame(lines.joined().utf8)) }
    }
}
