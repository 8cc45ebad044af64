import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("centrl", "central"), ("lsiten", "listen"), ("whenunreachable", "whenUnreachable"),
        ("presenter", "presenters"), ("xyz", nil), ("", nil),
        ("when", "whenUnreachable"), ("WHEN", "whenUnreachable"), ("wh", nil),
        ("pre", nil),
    ])
    func nearest(word: String, expected: String?) {
        let words = ["central", "listen", "whenUnreachable", "presenters", "present"]
        #expect(Suggestion.nearest(to: word, among: words) == expected)
    }

    @Test("a swap of neighbours counts once, long words are cut")
    func distance() {
        #expect(Suggestion.distance("ab", "ba") == 1)
        #expect(Suggestion.distance("", "abc") == 3)
        #expect(Suggestion.distance(String(repeating: "a", count: 100_000), "a") == 63)
        #expect(Suggestion.distance("Zone", "zones", upTo: 1) == 1)
        #expect(Suggestion.distance("zone", "time zones", upTo: 3) > 3)
    }
}
