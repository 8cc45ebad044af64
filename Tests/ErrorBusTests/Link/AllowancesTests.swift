import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct AllowancesTests {
    private let now: MonotonicTime = 1_000_000

    @Test("so much at once for each owner, and as much again as time goes by")
    func growsBack() {
        var allowances = Allowances<Int>(whole: 1_000)
        func taken(_ owner: Int, at time: MonotonicTime) -> Int {
            (0..<100).count { _ in allowances.take(100, of: owner, at: time) }
        }
        #expect(taken(1, at: now) == 10)
        #expect(taken(2, at: now) == 10)
        #expect(taken(1, at: now + 99) == 0)
        #expect(taken(1, at: now + 250) == 2)
        #expect(taken(1, at: now + 1_000_000) == 10)
        // What is too much takes nothing.
        #expect(allowances.take(1_001, of: 3, at: now) == false)
        #expect(allowances.take(1_000, of: 3, at: now) == true)
    }

    @Test("no more owners are kept than allowed, and only while they have less than the whole")
    func owners() {
        var allowances = Allowances<Int>(whole: 1_000, ownersMax: 3)
        for owner in 1...3 { #expect(allowances.take(10, of: owner, at: now) == true) }
        #expect(allowances.take(10, of: 4, at: now) == false)
        #expect(allowances.take(10, of: 1, at: now) == true)
        #expect(allowances.take(10, of: 4, at: now + 10) == true)
        #expect(allowances.ownerCount == 2)
    }
}
