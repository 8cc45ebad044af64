import Testing

@testable import BusLab

/// Made-up logs: the checks have to bite, each on its own fault and on nothing else.
struct LedgerTallyTests {
    private typealias Log = MadeUpLog

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

    @Test("C1 a complete presentation has no violation")
    func whole() {
        #expect(counts(Log.whole) == fine)
        #expect(fine.violations(expected: 1, everyEndIsAnAnswer: true).isEmpty)
        #expect(counts(Log.whole).lost == 0)
    }

    @Test("Each fault is counted under its own name only", arguments: LedgerFault.all)
    func bites(fault: LedgerFault) {
        var expected = fine
        fault.count(&expected)
        let counts = counts(fault.events)
        #expect(counts == expected)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: true).count == 1)
    }

    @Test("C1 a presentation that never completes is open, and lost")
    func lost() {
        let counts = counts([
            Log.report, Log.present, Log.prompt, Log.gone, Log.decide, Log.done,
        ])
        #expect(counts.lost == 1)
        #expect(counts.openAtEnd == 1)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: false).count == 2)
    }

    @Test("F13 a presentation that ended with its origin is not lost")
    func originDied() {
        let counts = counts([Log.report, Log.prompt, Log.gone], dead: [Log.worker])
        #expect(counts.originDied == 1)
        #expect(counts.lost == 0)
        #expect(counts.openAtEnd == 0)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: true).isEmpty)
    }

    @Test("F13 a completion written before the death counts")
    func completedBeforeDeath() {
        #expect(counts(Log.whole, dead: [Log.worker]) == fine)
    }

    @Test("A remaining prompt is open; one of a dead presenter is not")
    func openPrompt() {
        let events = Log.whole + [Log.event(.prompt, Log.centreLater, id: "B")]
        #expect(counts(events).openAtEnd == 1)
        #expect(counts(events, dead: [Log.centreLater]).openAtEnd == 0)
    }

    @Test("A removed prompt may return; one of an earlier life may be shown again")
    func promptsAgain() {
        #expect(counts([Log.report, Log.prompt, Log.takenAway] + Log.whole) == fine)
        let again = [Log.report, Log.event(.prompt, Log.centreLater)] + Log.whole
        #expect(counts(again, dead: [Log.centreLater]) == fine)
    }

    @Test("F16 a decision that its life could not log counts once the next life logs it")
    func restoredDecision() {
        var restored = MadeUpLog.event(
            .decide, MadeUpLog.centreLater, option: "retry", answer: "1")
        restored.isRestored = true
        var tally = LedgerTally(durableNodes: ["c"])
        for event in [
            MadeUpLog.report, MadeUpLog.present, MadeUpLog.prompt, MadeUpLog.gone,
            MadeUpLog.attempt, MadeUpLog.complete, MadeUpLog.done,
        ] {
            tally.add(event)
        }
        #expect(tally.counts(dead: [MadeUpLog.centre]).disagreements == 1)
        tally.add(restored)
        let counts = tally.counts(dead: [MadeUpLog.centre])
        #expect(counts == fine)
    }

    @Test("C6 a forged ledger: two decisions, an attempt of an option not offered, no result")
    func forged() {
        let events = [
            Log.report, Log.present, Log.prompt, Log.gone, Log.decide,
            Log.event(.decide, Log.centre, option: "skip", answer: "2"),
            Log.event(.attempt, Log.worker, option: "delete-everything"),
            Log.complete(in: Log.worker, option: "skip", answer: "2"),
        ]
        var expected = fine
        expected.duplicateDecisions = 1
        expected.attemptsUnchosen = 1
        expected.unsettled = 1
        #expect(counts(events, durable: ["c"]) == expected)
    }

    @Test("An option is chosen only for the presentation of its decision")
    func chosenElsewhere() {
        let elsewhere = Log.event(.decide, Log.centre, id: "B", option: "wipe", answer: "2")
        let attempt = Log.event(.attempt, Log.worker, option: "wipe")
        #expect(counts(Log.whole + [elsewhere, attempt]).attemptsUnchosen == 1)
    }

    @Test("C6 an unknown result may become known; one of a dead presenter may be missing")
    func lateResult() {
        let without = Log.whole.filter { $0.kind != .done }
        #expect(counts(without + [Log.done("unknown")]) == fine)
        #expect(counts(without + [Log.done("unknown"), Log.done]) == fine)
        #expect(counts(without, dead: [Log.centre]) == fine)
        #expect(!counts(without).isSettled)
    }

    @Test("C6 an answer that the origin refused is invalid")
    func refusedByOrigin() {
        let asked = [Log.report, Log.present, Log.prompt, Log.gone, Log.decide]
        var refused = Log.complete
        refused.didRecover = false
        #expect(counts(asked + [Log.done("invalid"), refused]) == fine)
    }

    @Test("C6 beside another presenter's answer a hop may call one late that was applied")
    func lateAtHop() {
        let second = LedgerEvent.Life(node: "c2", pid: 3)
        let other = Log.event(.decide, second, option: "skip", answer: "2")
        for result in ["late", "withdrawn"] {
            let events = Log.whole + [other, Log.done(result)]
            #expect(counts(events).untrueResults == 0, "\(result)")
        }
    }

    @Test("A presenter without a journal may decide again after a restart, one with it may not")
    func decidedInTwoLives() {
        let events =
            Log.whole + [
                Log.event(.decide, Log.centreLater, option: "skip", answer: "2"),
                Log.event(.done, Log.centreLater, option: "skip", answer: "2"),
            ]
        #expect(counts(events).duplicateDecisions == 0)
        #expect(counts(events, durable: ["c"]).duplicateDecisions == 1)
    }

    @Test("F16 after a recorded decision no life prompts again")
    func durable() {
        let events =
            Log.whole + [
                Log.event(.prompt, Log.centreLater), Log.event(.gone, Log.centreLater),
            ]
        #expect(counts(events).duplicatePrompts == 0)
        #expect(counts(events, durable: ["c"]).duplicatePrompts == 1)
        // Killed between the answer and its record: nothing was decided.
        let unrecorded = events.filter { $0.kind != .decide }
        #expect(counts(unrecorded, durable: ["c"]).duplicatePrompts == 0)
    }

    @Test("An end without an answer is a violation only where every end has to be one")
    func unanswered() {
        let events = [Log.report, Log.event(.complete, Log.worker, reason: "unreachable")]
        let counts = counts(events)
        #expect(counts.completed == 1)
        #expect(counts.answered == 0)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: false).isEmpty)
        #expect(counts.violations(expected: 1, everyEndIsAnAnswer: true).count == 1)
    }

    @Test("Fewer presentations than requested are a violation")
    func tooFew() {
        #expect(fine.violations(expected: 2, everyEndIsAnAnswer: true).count == 1)
    }
}
