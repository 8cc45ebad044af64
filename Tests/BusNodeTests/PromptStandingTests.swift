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
}
