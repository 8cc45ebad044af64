import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct TextSearchTests {
    @Test(
        "A text is found in upper or lower case",
        arguments: [
            ("", "", true), ("", "x", true), ("x", "", false), ("disk", "The DISK is full", true),
            ("FULL", "the disk is full", true), ("full.", "the disk is full", false),
            ("aab", "aaab", true), ("abab", "abaabab", true), ("abac", "abababac", true),
            ("abac", "abababab", false), ("ÄRGER", "der ärger", true), ("ΔΟ", "οδος", true),
            ("δο", "ΟΔΟΣ", true), ("\u{212A}", "k", true), ("a\0b", "xA\0By", true),
            ("\0", "ab", false), ("b", "a\0b", true), ("e", "e\u{301}", true),
            ("\u{E9}", "e\u{301}", false), ("👩", "👩‍🚒", true),
        ])
    func found(wanted: String, text: String, expected: Bool) {
        #expect(TextSearch(wanted).isFound(in: text) == expected)
        #expect(TextSearch(wanted).isFound(in: FoldedText(text)) == expected)
    }

    private static let marks = String(repeating: "\u{301}", count: 127)

    @Test(
        "A search is cheap in every text, whatever is looked for",
        arguments: [
            String(repeating: marks + "\u{200D}", count: 1_000),
            String(repeating: "\u{1F1E6}", count: 60_000),
            String(repeating: "\u{1F468}\u{200D}", count: 40_000),
            String(repeating: "\u{1100}", count: 80_000),
            String(repeating: "\u{E33}", count: 80_000), String(repeating: "a", count: 250_000),
        ])
    func cost(text: String) {
        let scalars = Array(text.unicodeScalars.prefix(199)).map { String($0) }.joined()
        let before = threadTime()
        for wanted in ["zz", scalars + "z", "\u{301}z", "\u{200D}z", "\u{1F1E6}\u{1F1E7}"] {
            // Not within #expect, which would print the text.
            let isFound = TextSearch(wanted).isFound(in: text)
            #expect(!isFound)
        }
        // A search by characters takes more than 10 s.
        #expect(threadTime() - before < .seconds(2))
    }

    /// The time that this thread has worked, whatever else the machine does.
    private func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
