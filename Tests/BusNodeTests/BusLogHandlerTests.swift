import Testing

@testable import BusNodeKit

struct BusLogHandlerTests {
    @Test(
        "A value that looks like several pairs is in quotes, which it cannot end; others are not",
        arguments: [
            ("central", "central"), ("parent left: shutdown", "parent left: shutdown"),
            ("http://x/?token=a", "http://x/?token=a"), (#"found "x""#, #"found "x""#),
            ("a level=info by=anna", #""a level=info by=anna""#),
            (#""a" by="anna"#, #""\"a\" by=\"anna""#), (#"a\" b=c"#, #""a\\\" b=c""#),
            ("a\u{A0}b=c", "\"a\u{A0}b=c\""), (#""a"#, #""\"a""#), ("a\nb=c", #"a\nb=c"#),
            ("", ""),
        ])
    func pairs(text: String, shown: String) { #expect(BusLogHandler.value(text) == shown) }
}
