import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct AnomalyTests {
    @Test("each kind is a fault that the operator reads of, but for those that a race explains")
    func faults() {
        let races: [Anomaly.Kind] = [
            .unknownID, .supersededLink, .lostLink, .duplicate, .late, .whileClosed,
        ]
        #expect(Anomaly.Kind.allCases.filter { !$0.isFault } == races)
    }
}
