import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What a limiter that counts all the keys that it can does with further ones.
@Suite struct LimiterCleaningTests {
    private let start = ManualTime().now.instant

    private func key(_ domain: String) -> IntensityLimiter.Key {
        .init(rule: 1, domain: domain, code: 1, origin: nil)
    }

    @Test("A full limiter looks for old keys once a second at most")
    func cleansOnceASecond() {
        var limiter = IntensityLimiter()
        let limit = IntensityLimit(3, per: .seconds(60))
        let first = (0..<IntensityLimiter.keyCountMax).map {
            limiter.use(key("d\($0)"), within: limit, at: start)
        }
        #expect(Set(first) == [.permitted])
        // At 59.5 s it looks at all keys; the first are old from 60 s on.
        let milliseconds = [59_500, 60_000, 60_499, 60_500]
        let later = milliseconds.map {
            limiter.use(key("more"), within: limit, at: start + .milliseconds($0))
        }
        #expect(later == [.tooManyCounted, .tooManyCounted, .tooManyCounted, .permitted])
    }
}
