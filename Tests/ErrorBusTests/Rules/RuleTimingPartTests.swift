import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The random part of a rule's delay")
struct RuleTimingPartTests {
    private let time = ManualTime()

    @Test("The random part is small as often as large, so that many answers do not come together")
    func spread() {
        let timing = RuleTiming(now: { [time] in time.now.instant })
        // Chance leaves out a half once in more runs than there will ever be.
        let parts = (0..<200).map { _ in timing.part(.seconds(10)) }
        #expect(parts.contains { $0 < .seconds(5) })
        #expect(parts.contains { $0 > .seconds(5) })
    }
}
