import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct IntensityLimiterTests {
    private let start = ManualTime().now.instant
    private let limit = IntensityLimit(3, per: .seconds(60))

    private func key(_ domain: String = "d", origin: NodeName? = nil) -> IntensityLimiter.Key {
        .init(rule: 1, domain: domain, code: 1, origin: origin)
    }

    @Test("A38 past the limit it refuses until the window has moved on")
    func slides() {
        var limiter = IntensityLimiter()
        let times = [0, 20, 40, 50, 59, 60, 61, 80, 100, 101]
        let permitted = times.map {
            limiter.use(key(), within: limit, at: start + .seconds($0)) == .permitted
        }
        #expect(
            permitted == [true, true, true, false, false, true, false, true, true, false])
    }

    @Test("a use that is taken back counts no more, and those beside it do")
    func takesBack() {
        var limiter = IntensityLimiter()
        let twice = IntensityLimit(2, per: .seconds(60))
        func permits(_ second: Int) -> Bool {
            limiter.use(key(), within: twice, at: start + .seconds(second)) == .permitted
        }
        let before = [0, 10, 20].map(permits)
        #expect(before == [true, true, false])
        limiter.takeBack(key(), at: start)
        // These times and this key have no use.
        limiter.takeBack(key(), at: start + .seconds(5))
        limiter.takeBack(key("e"), at: start + .seconds(10))
        // The use at 10 counts until 70, the one at 30 longer.
        let after = [30, 40, 69, 70, 71].map(permits)
        #expect(after == [true, false, false, true, false])
    }

    @Test("each origin and each domain has its own count")
    func keys() {
        var limiter = IntensityLimiter()
        let once = IntensityLimit(1, per: .seconds(60))
        let keys = [key(origin: "a"), key(origin: "b"), key("e", origin: "a"), key(origin: "a")]
        let permitted = keys.map { limiter.use($0, within: once, at: start) }
        #expect(permitted == [.permitted, .permitted, .permitted, .limitReached])
    }

    @Test("the number of keys is bounded, and old ones make room")
    func bounded() {
        var limiter = IntensityLimiter()
        let first = (0..<IntensityLimiter.keyCountMax).map {
            limiter.use(key("d\($0)"), within: limit, at: start)
        }
        #expect(Set(first) == [.permitted])
        let more = limiter.use(key("more"), within: limit, at: start)
        let known = limiter.use(key("d0"), within: limit, at: start)
        let later = limiter.use(key("more"), within: limit, at: start + .seconds(60))
        #expect([more, known, later] == [.tooManyCounted, .permitted, .permitted])
    }
}
