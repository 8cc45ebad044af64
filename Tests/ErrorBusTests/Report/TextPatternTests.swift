import Glibc
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct TextPatternTests {
    @Test(arguments: [
        ("com.acme", "com.acme", true), ("com.acme", "com.acme.auth", false),
        ("com.acme.*", "com.acme.auth", true), ("com.acme.*", "com.acme.", true),
        ("com.acme.*", "com.acme", false), ("*", "", true), ("*auth", "com.auth", true),
        ("*auth", "com.authx", false), ("a*b*c", "aXbYbZc", true), ("a*b*c", "acb", false),
        ("**", "x", true), ("a\\*b", "a*b", true), ("a\\*b", "axb", false),
        ("C:\\temp", "C:\\temp", true), ("\\/var/", "/var/", true), ("/var/x", "/var/x", true),
        ("/", "/", true), ("Auth", "auth", false),
        // The same letter in two spellings is two texts.
        ("\u{E9}", "e\u{301}", false),
    ])
    func globs(pattern: String, text: String, expected: Bool) throws {
        #expect(try TextPattern(pattern).matches(text) == expected)
    }

    @Test(
        "A text is written as the pattern that matches it alone",
        arguments: [
            "a", "a*b", "a\\*", "/x/", "/x/i", "/", "\\", "C:\\temp\\", "\\/",
            "a*\u{301}", "/\u{301}x/", "\\\u{301}*",
        ])
    func written(text: String) throws {
        #expect(try TextPattern(TextPattern.text(matching: text)) == .exact(text))
    }

    @Test(arguments: [
        ("/acme/", "com.acme.auth", true), ("/^acme/", "com.acme", false),
        ("/^com\\.(acme|umbrella)$/", "com.umbrella", true),
        ("/^com\\.(acme|umbrella)$/", "com.umbrellas", false),
        ("/^4\\d\\d$/", "404", true), ("/^4\\d\\d$/", "4040", false), ("/^4\\d{2}$/", "404", true),
        ("/^a{2,3}$/", "aaa", true), ("/^a{2,3}$/", "aaaa", false), ("/^a{2,}$/", "aaaaa", true),
        ("/^a?b+c*$/", "bb", true), ("/^[^a-c]+$/", "xyz", true), ("/^[^a-c]+$/", "xbz", false),
        ("/^[\\w.-]+$/", "a_b.c-9", true), ("/^[]x]$/", "]", true), ("/ACME/i", "com.acme", true),
        ("/acme/i", "ACME", true), ("/^(?:ab)*$/", "abab", true), ("/a|/", "", true),
        ("/^\\S+\\s\\S+$/", "a b", true), ("/a.c/", "a\u{1F600}c", true),
        ("/a\\/b/", "a/b", true), ("/^a+?$/", "aa", true), ("/\\D/", "12", false),
        ("/\\W/", "a_1Z", false), ("/\\W/", "a-b", true), ("/^(a|b|c)$/", "a", true),
        ("/^(a|b|c)$/", "b", true), ("/^(a|b|c)$/", "c", true), ("/^(a|b|c)$/", "ab", false),
        // Only letters have another case.
        ("/\\[/i", "{", false), ("/@/i", "`", false), ("/[{]/i", "[", false),
    ])
    func regexes(pattern: String, text: String, expected: Bool) throws {
        #expect(try TextPattern(pattern).matches(text) == expected)
    }

    @Test(arguments: [
        "//", "/(/", "/)/", "/[a/", "/a**/", "/*/", "/a{3,2}/", "/a{/", "/a{1001}/", "/\\1/",
        "/(?=a)/", "/(?i)a/", "/[z-a]/", "/\\/", "/a{99999999999999999999}/", "/()*x/", "/(a{0})+/",
    ])
    func badRegexes(pattern: String) {
        #expect(throws: PatternError.self) { try TextPattern(pattern) }
    }

    @Test("patterns have a length, a size and a depth")
    func limits() throws {
        let longest = String(repeating: "a", count: GlobPattern.scalarCountMax)
        #expect(try TextPattern(longest).matches(longest))
        #expect(throws: PatternError.self) { try TextPattern(longest + "a") }
        #expect(try TextPattern("/\(longest)/").matches(longest))
        #expect(throws: PatternError.self) { try TextPattern("/\(longest)a/") }
        #expect(try TextPattern("/(?:a{30}){60}/").matches(String(repeating: "a", count: 1800)))
        #expect(throws: PatternError.self) { try TextPattern("/(?:a{50}){60}/") }
        #expect(throws: PatternError.self) { try TextPattern("/(?:(?:a{1000}){1000}){1000}/") }
        let depth = RegexPattern.depthMax
        let deep = String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
        #expect(try TextPattern("/\(deep)/").matches(""))
        #expect(throws: PatternError.self) { try TextPattern("/(\(deep))/") }
    }

    @Test(
        "F25 an expression that would take endless time to read is refused with the reason",
        .timeLimit(.minutes(10)),
        arguments: ["(){1000}", "(a{0}){1000}", "(^{0}|){1000}"].map { part in
            (0..<6).reduce(part) { inner, _ in "(\(inner)){1000}" }
        })
    func boundedReading(pattern: String) {
        let error = #expect(throws: PatternError.self) { try TextPattern("/\(pattern)/") }
        #expect(error?.found == "/\(pattern)/")
        #expect(error?.description.contains("repetitions") == true)
    }

    @Test("F25 a set is tested once for a character, however often it is repeated")
    func boundedSets() throws {
        // Every second letter of the extended Latin ones: ranges that cannot be joined.
        let letters = (0..<230).compactMap { Unicode.Scalar(0x100 + 2 * $0) }.map(String.init)
        let text = String(repeating: "a", count: TextPattern.scalarCountMax)
        func work(_ set: String) throws -> Duration {
            let pattern = try TextPattern("/[\(set)a]{999}!/")
            var (start, end) = (timespec(), timespec())
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
            #expect(!pattern.matches(text))
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
            return .seconds(end.tv_sec - start.tv_sec)
                + .nanoseconds(end.tv_nsec - start.tv_nsec)
        }
        // Asked at each place, 231 ranges would cost a hundred times what one does.
        #expect(try work(letters.joined()) < work("") * 4)
    }

    @Test(
        "F25 an expression that would backtrack endlessly ends", .timeLimit(.minutes(10)),
        arguments: [
            "/(a+)+b/", "/(a|aa)+b/", "/.*.*.*.*.*b/", "/(a*)*b/", "*a*a*a*a*a*b",
        ])
    func bounded(pattern: String) throws {
        let text = String(repeating: "a", count: 100_000)
        #expect(try !TextPattern(pattern).matches(text))
    }

    @Test("only the beginning of a long text is compared")
    func longText() throws {
        let text = String(repeating: "a", count: TextPattern.scalarCountMax)
        #expect(try TextPattern("/b/").matches(text.dropLast() + "b"))
        #expect(try !TextPattern("/b/").matches(text + "b"))
        #expect(try !TextPattern("*b").matches(text + "b"))
        #expect(TextPattern.exact(text + "b").matches(text + "b"))
    }

    @Test(arguments: [
        ("*", "/x/", true), ("com.*", "com.acme", true), ("com.*", "com.acme.*", true),
        ("com.acme.*", "com.*", false), ("a*c", "a*b*c", true), ("a*c", "a*", false),
        ("x", "x", true), ("x", "*", false), ("/x/", "/x/", true), ("/x/", "/y/", false),
        ("/^com/", "com.acme", true), ("/^com/", "com.*", false),
    ])
    func covers(one: String, other: String, expected: Bool) throws {
        #expect(try TextPattern(one).covers(TextPattern(other)) == expected)
    }
}
