import Testing

@testable import BusNodeKit

@Suite struct TextWidthTests {
    @Test(
        "columns as terminals count them",
        arguments: [
            ("", 0), ("abc", 3), ("会議", 4), ("é", 1), ("e\u{301}", 1), ("👩", 2), ("한글", 4),
            ("ｶﾅ", 2), ("Ａ", 2), ("🇩🇪", 2), ("✕‼·▸", 4), ("\u{1100}\u{1161}", 2), ("“…”", 3),
        ])
    func columns(text: String, expected: Int) {
        #expect(TextWidth.columns(of: text) == expected)
    }

    @Test(
        "cut text has an ellipsis and fits",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 4, "abc…"), ("会議室", 5, "会議…"),
            ("会議室", 4, "会…"), ("e\u{301}e\u{301}e", 2, "e\u{301}…"), ("abc", 0, ""),
        ])
    func clipped(text: String, limit: Int, expected: String) {
        #expect(TextWidth.clipped(text, to: limit) == expected)
    }

    @Test("lines break between words, long words anywhere, without loss")
    func pieces() {
        #expect(TextWidth.pieces("one two three", columns: 8) == ["one two ", "three"])
        #expect(TextWidth.pieces("abcdefghij", columns: 4) == ["abcd", "efgh", "ij"])
        #expect(TextWidth.pieces("会議室です", columns: 5) == ["会議", "室で", "す"])
        #expect(TextWidth.pieces("", columns: 5) == [""])
        #expect(TextWidth.pieces("会", columns: 1) == ["会"])
    }
}
