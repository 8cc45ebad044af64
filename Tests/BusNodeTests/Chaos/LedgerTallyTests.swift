import Testing

@testable import bus_node

/// Made-up logs: the checks have to bite, each on its own fault and on nothing else.
struct LedgerTallyTests {
    private static let worker = LedgerEvent.Life(node: "w1", pid: 10)
    private static let later = LedgerEvent.Life(node: "w1", pid: 11)
    private static let other = LedgerEvent.Life(node: "w2", pid: 20)
    private static let centre = LedgerEvent.Life(node: "c", pid: 1)
    private static let centreLater = LedgerEvent.Life(node: "c", pid: 2)

    private static func event(
        _ kind: LedgerEvent.Kind, _ life: LedgerEvent.Life, id: String = "A",
        option: String = "", answer: String = "", reason: String = ""
    ) -> LedgerEvent {
        var event = LedgerEvent(kind, id, life)
        event.option = option
        event.answer = answer
        event.reason = reason
        return event
    }

    private static let report = event(.report, worker)
    private static let prompt = event(.prompt, centre)
    private static let gone = event(.gone, centre, reason: "answered")
    private static let takenAway = event(.gone, centre, reason: "takenAway")
    private static let decide = event(.decide, centre, option: "retry", answer: "1")
    private static let attempt = event(.attempt, worker, option: "retry")
    private static let complete = event(
        .complete, worker, option: "retry", answer: "1", reason: "answered")
    private static let whole = [report, prompt, gone, decide, attempt, complete]

    private func counts(
        _ events: [LedgerEvent], dead: Set<LedgerEvent.Life> = [], durable: Set<String> = []
    ) -> LedgerCounts {
        var tally = LedgerTally(durableNodes: durable)
        for event in events { tally.add(event) }
        return tally.counts(dead: dead)
    }

    private var fine: LedgerCounts {
        var counts = LedgerCounts()
        counts.presented = 1
        counts.completed = 1
        counts.answered = 1
        return counts
    }

    @Test("C1 a whole presentation is fine")
    func whole() {
        #expect(counts(Self.whole) == fine)
        #expect(fine.violations(expected: 1, everyEndIsAnAnswer: true).isEmpty)
        #expect(counts(Self.whole).lost == 0)
    }

    @Test(
        "Each fault is counted under its own name, and nothing else is",
        arguments: [
            (
                "duplicateCompletions", whole + [complete], \LedgerCounts.duplicateCompletions
            ),
            ("duplicatePrompts: beside a live one", [report, prompt] + whole, \.duplicatePrompts),
            (
                "duplicatePrompts: after the decision", whole + [prompt, takenAway],
                \.duplicatePrompts
            ),
            (
                "misrouted: completed by another process",
                Array(whole.dropLast()) + [
                    event(.complete, other, option: "retry", answer: "1")
                ], \.misrouted
            ),
            (
                "misrouted: completed by another life of it",
                Array(whole.dropLast()) + [
                    event(.complete, later, option: "retry", answer: "1")
                ], \.misrouted
            ),
            (
                "misrouted: attempted by another process",
                whole + [event(.attempt, other, option: "retry")], \.misrouted
            ),
            ("attemptsOverOne", whole + [attempt], \.attemptsOverOne),
            (
                "disagreements: another option",
                Array(whole.dropLast()) + [
                    event(.complete, worker, option: "skip", answer: "1")
                ], \.disagreements
            ),
            (
                "disagreements: another answer",
                Array(whole.dropLast()) + [
                    event(.complete, worker, option: "retry", answer: "2")
                ], \.disagreements
            ),
        ] as [(String, [LedgerEvent], WritableKeyPath<LedgerCounts, Int> & Sendable)])
    func bites(
        name: String, events: [LedgerEvent], field: WritableKeyPath<LedgerCounts, Int> & Sendable
    ) {
        var expected = fine
        expected[keyPath: field] = 1
        let counts = counts(events)
        #expect(counts == expected)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: true).count == 1)
    }

    @Test("C1 what never completes is open, and lost")
    func lost() {
        let counts = counts([Self.report, Self.prompt, Self.gone, Self.decide])
        #expect(counts.lost == 1)
        #expect(counts.openAtEnd == 1)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: false).count == 2)
    }

    @Test("F13 what its origin took with it is not lost")
    func originDied() {
        let counts = counts([Self.report, Self.prompt, Self.gone], dead: [Self.worker])
        #expect(counts.originDied == 1)
        #expect(counts.lost == 0)
        #expect(counts.openAtEnd == 0)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: true).isEmpty)
    }

    @Test("F13 a completion written before the death counts")
    func completedBeforeDeath() {
        #expect(counts(Self.whole, dead: [Self.worker]) == fine)
    }

    @Test("A prompt that is left over is open; one of a dead presenter is not")
    func openPrompt() {
        let events = Self.whole + [Self.event(.prompt, Self.centreLater, id: "B")]
        #expect(counts(events).openAtEnd == 1)
        #expect(counts(events, dead: [Self.centreLater]).openAtEnd == 0)
    }

    @Test("A prompt that was taken away may come back; one of an earlier life may be shown again")
    func promptsAgain() {
        #expect(counts([Self.report, Self.prompt, Self.takenAway] + Self.whole) == fine)
        let again = [Self.report, Self.event(.prompt, Self.centreLater)] + Self.whole
        #expect(counts(again, dead: [Self.centreLater]) == fine)
    }

    @Test("F16 after a decision on record nobody is asked again in any life")
    func durable() {
        let events = Self.whole + [
            Self.event(.prompt, Self.centreLater), Self.event(.gone, Self.centreLater),
        ]
        #expect(counts(events).duplicatePrompts == 0)
        #expect(counts(events, durable: ["c"]).duplicatePrompts == 1)
    }

    @Test("An end without an answer counts only where every end has to be one")
    func unanswered() {
        let events = [Self.report, Self.event(.complete, Self.worker, reason: "unreachable")]
        let counts = counts(events)
        #expect(counts.completed == 1)
        #expect(counts.answered == 0)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: false).isEmpty)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: true).count == 1)
    }

    @Test("Fewer presentations than asked for is a violation")
    func tooFew() {
        #expect(fine.violations(expected: 2, everyEndIsAnAnswer: true).count == 1)
    }
}
