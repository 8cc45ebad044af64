import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The report of a child's error")
struct ReportReadingTests {
    @Test("A report is parsed once, however often responders look at it")
    func parsedOnce() {
        let reading = ReportReading(
            Frame(
                #"{"domain":"d","description":"x","recoveryOptions":["#.utf8)
                + Frame(#"{"id":"retry","title":"Retry"}]}"#.utf8))
        let looks = (0..<3).map { _ in reading.report }
        #expect(looks.map(\.options.first?.id) == ["retry", "retry", "retry"])
        // Copies of one report share the memory of its options; two parsed reports do not.
        let places = looks.map { report in
            report.options.withUnsafeBufferPointer { $0.baseAddress }
        }
        #expect(Set(places).count == 1)
    }
}
