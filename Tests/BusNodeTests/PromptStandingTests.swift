import ErrorBus
import ErrorBusTesting
import Testing

@testable import BusNodeKit

struct ReturnPauseTests {
    private let shownAt = ManualTime().now.instant

    @Test(
        "A bare Return counts a second after its prompt, a typed option at once",
        arguments: [
            ("", 0, true), ("  ", 999, true), ("", 1_000, false), ("r", 0, false),
            ("", -5, true),
        ])
    func pause(line: String, milliseconds: Int, isTooSoon: Bool) {
        let pause = ReturnPause(shownAt: shownAt)
        #expect(
            pause.isTooSoon(line, readAt: shownAt + .milliseconds(milliseconds)) == isTooSoon)
    }

    @Test("Before its prompt is shown whole a bare Return comes too soon at any time")
    func unseen() {
        let pause = ReturnPause(shownAt: nil)
        #expect(pause.isTooSoon("", readAt: shownAt + .seconds(9)))
        #expect(!pause.isTooSoon("r", readAt: shownAt))
    }
}

struct PromptStandingTests {
    private let start = ManualTime().now.instant

    /// A prompt that came at 0 s and was written again at 10 s, as after `fg`.
    private func taken(
        _ text: String?, mark: Int = 7, seconds: Int, isTerminal: Bool = true,
        isConfirmation: Bool = false
    ) throws(LineRefusal) -> String {
        let standing = PromptStanding(
            mark: 7, began: start, ended: start + .seconds(10), isTerminal: isTerminal)
        let begun = InputLines.Start(mark: mark, at: start + .seconds(seconds))
        return try standing.taken(
            InputLines.Line(text: text, start: begun), isConfirmation: isConfirmation)
    }

    @Test("An option counts that was typed at any time since the prompt came")
    func option() throws {
        #expect(try taken("r", seconds: 5) == "r")
        #expect(throws: LineRefusal.typedBefore) { try taken("r", seconds: -1) }
        #expect(throws: LineRefusal.typedBefore) { try taken("r", mark: 6, seconds: 5) }
        #expect(try taken("r", seconds: -1, isTerminal: false) == "r")
    }

    @Test("A bare Return counts a second after the prompt was written again")
    func bareReturn() throws {
        #expect(throws: LineRefusal.returnTooSoon) { try taken("", seconds: 5) }
        #expect(throws: LineRefusal.returnTooSoon) { try taken("", seconds: 10) }
        #expect(try taken("", seconds: 11) == "")
        // It cancels.
        #expect(try taken("", seconds: 10, isConfirmation: true) == "")
    }

    @Test("Before any of its prompt is visible no line counts at a terminal")
    func unseen() throws {
        let line = InputLines.Line(text: "r", start: InputLines.Start(mark: 7, at: start))
        func taken(isTerminal: Bool) throws(LineRefusal) -> String {
            try PromptStanding(mark: 7, began: nil, ended: nil, isTerminal: isTerminal)
                .taken(line, isConfirmation: false)
        }
        #expect(throws: LineRefusal.typedBefore) { try taken(isTerminal: true) }
        // A pipe does not wait for a screen.
        #expect(try taken(isTerminal: false) == "r")
    }

    @Test("A line that is too long does not count")
    func tooLong() {
        #expect(throws: LineRefusal.tooLong) { try taken(nil, seconds: 5) }
    }
}
