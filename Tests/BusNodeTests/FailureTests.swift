import ErrorBus
import Testing

@testable import BusNodeKit
@testable import bus_node

struct FailureTests {
    @Test("A log gets the first lines of a failure one by one, and the number of the rest")
    func lines() {
        let failure = Failure(.badConfiguration, "a\nb\nc")
        #expect(failure.lines(upTo: 3) == ["a", "b", "c"])
        #expect(
            failure.lines(upTo: 1) == ["a", "and 2 more, which bus-node check reports"])
    }

    @Test("A node that is asked too often may be asked later; any other fault is that of no node")
    func status() {
        let often = Failure(StatusFailure.refused(code: 429, reason: "x"), asking: "central")
        #expect(often.status == .temporaryFailure)
        #expect(often.text == "central: refused: 429 x")
        for fault in [
            .refused(code: 505, reason: "x"), .unreachable("no answer"), .malformed("x"),
        ] as [StatusFailure] {
            #expect(Failure(fault, asking: "central").status == .unavailable)
        }
    }
}
