import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct RejectCodeTests {
    @Test("a refusal is of one presentation, but for those that an equal error would get as well")
    func isOfOne() {
        let shared: [RejectCode] = [.deadlinePassed, .busy, .noResponder, .version]
        #expect(RejectCode.allCases.filter { !$0.isOfOne } == shared)
    }
}
