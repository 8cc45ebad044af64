import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct ConclusionTests {
    @Test(
        "Every reason has its exit status",
        arguments: [
            (.withheld, .declined), (.userCancelled, .declined), (.declined, .declined),
            (.expired, .temporaryFailure), (.detached, .unavailable), (.unreachable, .unavailable),
            (.recoveryFailed, .declined), (.recoveryTimedOut, .declined), (.noAttempter, .declined),
            (.undelivered, .declined), (.withdrawn, .declined), (.cycle, .badData),
            (.tooManyHops, .badData), (.busy, .temporaryFailure), (.rejected, .badData),
            (.shutDown, .temporaryFailure), (Outcome.Reason(rawValue: "newer\u{1B}[2J"), .declined),
        ] as [(Outcome.Reason, BusNodeKit.ExitStatus)])
    func status(reason: Outcome.Reason, expected: BusNodeKit.ExitStatus) {
        let conclusion = Conclusion(
            Outcome(didRecover: false, reason: reason, decidedBy: "b\u{1B}y", detail: "\u{1B}c"))
        #expect(conclusion.status == expected)
        #expect(conclusion.text != nil)
        #expect(conclusion.text?.contains("\u{1B}") != true)
    }

    @Test(
        "A presentation refused by a busy node may be tried again later",
        arguments: [429, 503] as [UInt16])
    func busy(code: UInt16) {
        var outcome = Outcome(didRecover: false, reason: .unreachable, decidedBy: "me")
        outcome.refusalCode = code
        #expect(Conclusion(outcome).status == (code == 429 ? .temporaryFailure : .unavailable))
    }

    @Test("What was withheld once it was in front of a person was not kept from presenters")
    func withheldLate() {
        let outcome = Outcome(
            didRecover: false, reason: .withheld, decidedBy: "central, silence 1 (ann)")
        let words = "withheld by central, silence 1 (ann)"
        let shown = ShownMark()
        shown.take(PresentationState(.relayed))
        shown.take(PresentationState(.queued, by: "policy central"))
        #expect(
            Conclusion(outcome, wasShown: shown.wasShown).text
                == words + ": no presenter was asked")
        shown.take(PresentationState(.presented, by: "console"))
        shown.take(PresentationState(.unreachable))
        #expect(Conclusion(outcome, wasShown: shown.wasShown).text == words)
        // exec presents again.
        shown.begin()
        #expect(!shown.wasShown)
    }

    @Test("Where only the time was too short, it says what gives more of it")
    func grace() {
        func text(isTooSoon: Bool) -> String? {
            var outcome = Outcome(
                didRecover: false, reason: .unreachable, decidedBy: "me",
                detail: "tried tcp://127.0.0.1:7701: a reason")
            outcome.isTooSoon = isTooSoon
            return Conclusion(outcome).text
        }
        let remedy = "; --grace 1m, or longer, waits for one that starts again"
        #expect(text(isTooSoon: true)?.hasSuffix("a reason\(remedy)") == true)
        #expect(text(isTooSoon: false)?.hasSuffix("a reason") == true)
    }

    @Test("An option applied on expiry is named as such")
    func expired() {
        let answer = Answer(
            option: "retry", by: "me", via: .expiry)
        let conclusion = Conclusion(
            Outcome(didRecover: true, reason: .answered, decidedBy: "me", answer: answer))
        #expect(conclusion.status == .ok)
        #expect(conclusion.text == "no answer came in time: retry applied (on expiry)")
    }

    @Test("The comment on an answer is one line for people, and a key for scripts")
    func comment() {
        func outcome(_ comment: String?) -> Outcome {
            let answer = Answer(option: "retry", by: "me", via: .person, comment: comment)
            return Outcome(didRecover: true, reason: .answered, decidedBy: "me", answer: answer)
        }
        let long = String(repeating: "x", count: ErrorReport.Limits.commentByteCount - 1)
        #expect(outcome("a\n\(long)").commentLine == "comment: a\\n\(long.dropLast())")
        #expect(outcome("a\nb").json["comment"] == "a\nb")
        #expect(outcome(nil).commentLine == nil && outcome(nil).json["comment"] == nil)
    }

    @Test("Scripts get both people of an answer that two have given, and the deciding node's name")
    func people() {
        let answer = Answer(option: "wipe", by: "ann", via: .person, second: "bob")
        let given = Outcome(
            didRecover: true, reason: .answered, decidedBy: "central", answer: answer)
        #expect(given.json["by"] == "ann" && given.json["second"] == "bob")
        let none = Outcome(didRecover: false, reason: .withheld, decidedBy: "central")
        #expect(none.json["by"] == "central" && none.json["second"] == nil)
        #expect(none.json["option"] == .null && none.json["via"] == .null)
    }

    @Test("An answer is its option, without a further sentence", arguments: [true, false])
    func answered(didRecover: Bool) {
        let answer = Answer(
            option: "retry", by: "me", via: .person)
        let conclusion = Conclusion(
            Outcome(didRecover: didRecover, reason: .answered, decidedBy: "me", answer: answer))
        #expect(conclusion.status == (didRecover ? .ok : .declined))
        #expect(conclusion.text == nil)
    }
}
