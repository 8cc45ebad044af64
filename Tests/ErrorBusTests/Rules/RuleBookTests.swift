import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct RuleBookTests {
    private func rule(_ position: Int, _ domain: String, _ action: RuleAction) throws -> Rule {
        Rule(
            match: RuleMatch(domain: [try TextPattern(domain)]), actions: [action],
            position: position)
    }

    @Test("the first rule that matches")
    func firstMatch() throws {
        let book = RuleBook(
            [
                try rule(1, "a", .withhold), try rule(2, "b*", .withhold),
                try rule(3, "*", .withhold),
            ],
            mode: .firstMatch)
        let report = ErrorReport(domain: "bc", description: "x")
        #expect(book.firstMatch(report, origin: nil)?.position == 2)
    }

    @Test("only rules that always end the list shadow later ones")
    func shadowed() throws {
        let answer = RuleAction.answer(RuleAnswer("retry"))
        let limited = RuleAction.answer(
            RuleAnswer("retry", limit: IntensityLimit(1, per: .seconds(1))))
        let changes = RuleAction.removeOption(["x"])
        for (action, mode, hides) in [
            (RuleAction.withhold, RuleBook.Mode.everyMatch, true), (answer, .everyMatch, true),
            (limited, .everyMatch, false), (changes, .everyMatch, false),
            (changes, .firstMatch, true), (limited, .firstMatch, false),
        ] {
            let book = RuleBook(
                [try rule(1, "com.*", action), try rule(2, "com.acme", answer)], mode: mode)
            #expect(book.shadowed.map(\.rule.position) == (hides ? [2] : []), "\(action), \(mode)")
        }
    }

    @Test("a narrower rule before a wider one shadows nothing")
    func narrower() throws {
        let book = RuleBook(
            [try rule(1, "com.acme", .withhold), try rule(2, "com.*", .withhold)],
            mode: .everyMatch)
        #expect(book.shadowed.isEmpty)
    }
}
