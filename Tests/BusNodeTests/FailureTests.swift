import Testing

@testable import BusNodeKit

struct FailureTests {
    @Test("A log gets the first lines of a failure one by one, and the number of the rest")
    func lines() {
        let failure = Failure(.badConfiguration, "a\nb\nc")
        #expect(failure.lines(upTo: 3) == ["a", "b", "c"])
        #expect(
            failure.lines(upTo: 1) == ["a", "and 2 more, which bus-node check reports"])
    }
}
