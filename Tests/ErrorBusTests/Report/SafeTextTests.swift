import ErrorBus
import Testing

@Suite("Text of peers made safe to show")
struct SafeTextTests {
    @Test(
        "No part of it is interpreted or hidden",
        arguments: [
            ("plain ~ text", "plain ~ text"), ("naïve 漢字 ✓", "naïve 漢字 ✓"),
            ("\u{1B}[31mred\u{1B}]0;t\u{7}", "\\u{1B}[31mred\\u{1B}]0;t\\u{7}"),
            ("a\u{9B}2Jb", "a\\u{9B}2Jb"), ("\u{7F}\0", "\\u{7F}\\u{0}"), ("a\tb", "a\\tb"),
            ("ok\r\nfake log line", "ok\\r\\nfake log line"), ("a\rb", "a\\rb"),
            ("\u{202E}gpj.exe\u{202C}", "\\u{202E}gpj.exe\\u{202C}"),
            ("\u{2066}x\u{2069}\u{200F}", "\\u{2066}x\\u{2069}\\u{200F}"),
            ("a\u{200B}b\u{200D}\u{FEFF}", "a\\u{200B}b\\u{200D}\\u{FEFF}"),
            ("👩\u{200D}👩\u{200D}👧", "👩\u{200D}👩\u{200D}👧"),
            ("👩🏽\u{200D}🚀 ❤\u{FE0F}\u{200D}🔥", "👩🏽\u{200D}🚀 ❤\u{FE0F}\u{200D}🔥"),
            ("👩\u{200D}a \u{200D}👩 1\u{200D}👩", "👩\\u{200D}a \\u{200D}👩 1\\u{200D}👩"),
            ("👩\u{200D}\u{200D}👩", "👩\\u{200D}\\u{200D}👩"),
            ("a\u{2028}b\u{2029}\u{85}", "a\\u{2028}b\\u{2029}\\u{85}"),
            ("\u{E0041}\u{AD}\u{3164}", "\\u{E0041}\\u{AD}\\u{3164}"),
            ("\u{E000}\u{FFFE}", "\\u{E000}\\u{FFFE}"), ("⚠\u{FE0F}", "⚠\u{FE0F}"),
            ("\u{301}e\u{301}", "\\u{301}e\u{301}"),
            (
                "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}x\u{301}",
                "e\u{301}\u{301}\u{301}\u{301}\\u{301}\\u{301}x\u{301}"
            ),
        ])
    func escaped(text: String, safe: String) {
        #expect(Array(text.escapedForTerminal().unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test("Line breaks are kept on request, up to a number of lines")
    func lines() {
        #expect("a\r\nb\nc".escapedForTerminal(keepingLines: 3) == "a\nb\nc")
        #expect("a\nb\nc".escapedForTerminal(keepingLines: 2) == "a\nb…")
        #expect("a\rb\n\u{301}".escapedForTerminal(keepingLines: 9) == "a\\rb\n\\u{301}")
    }

    @Test("The result never passes the limit, and no escape is cut in two")
    func limit() {
        #expect("abcdef".escapedForTerminal(scalarLimit: 6) == "abcdef")
        #expect("abcdefg".escapedForTerminal(scalarLimit: 6) == "abcdef…")
        #expect("abc\u{1B}".escapedForTerminal(scalarLimit: 6) == "abc…")
        #expect("abc".escapedForTerminal(scalarLimit: -1) == "…")
        let flood = String(repeating: "\u{202E}", count: 10_000).escapedForTerminal(
            scalarLimit: 100)
        #expect(flood.unicodeScalars.count <= 101)
    }
}
