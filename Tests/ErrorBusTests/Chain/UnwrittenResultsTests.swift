import ErrorBusTesting
import Logging
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Results that wait for their journal", .timeLimit(.minutes(10)))
struct UnwrittenResultsTests {
    /// A journal whose next writes fail.
    private final class FailingJournal: DecisionJournal {
        struct DiskFull: Error {}
        private let failureCount = Mutex(0)
        let results = Recorder<RecoveryResult>()

        func failOnce() { failureCount.withLock { $0 = 1 } }

        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {}
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {
            let fails = failureCount.withLock { count in
                defer { count = 0 }
                return count > 0
            }
            if fails { throw DiskFull() }
            results.record(result)
        }
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    /// Counts the results that were given up, by their lines in the log.
    private final class GivenUp: Sendable {
        private let value = Mutex(0)

        var count: Int { value.withLock { $0 } }

        func note(_ line: String) {
            if line.contains("too many results") { value.withLock { $0 += 1 } }
        }
    }

    private struct Handler: LogHandler {
        let givenUp: GivenUp
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { givenUp.note("\(event.message)") }
    }

    @Test("A result is tried again for a day: after 1, 2, 4 .. 32 s, then once a minute")
    func pauses() {
        let pauses = Array(UnwrittenResults.pauses)
        let seconds: [Int] = [1, 2, 4, 8, 16, 32, 60]
        let first = seconds.map { Duration.seconds($0) }
        #expect(Array(pauses.prefix(first.count)) == first)
        #expect(pauses.dropFirst(first.count).allSatisfy { $0 == .seconds(60) })
        let total = pauses.reduce(Duration.zero, +)
        #expect(total >= .seconds(86_400) && total < .seconds(86_460))
    }

    @Test("A result that is written at last leaves its place to the next one")
    func placeGivenBack() async throws {
        let (journal, givenUp) = (FailingJournal(), GivenUp())
        let decisions = Decisions(
            by: "P", journal: journal,
            logger: Logger(label: "test") { _ in Handler(givenUp: givenUp) }, unwrittenMax: 1)
        let answer = Answer(option: "retry", by: "ann", via: .person)
        journal.failOnce()
        await decisions.settled(PresentationID(1), answer, .failed)
        #expect(try await journal.results.next() == .failed)
        // The place is free a moment after the write.
        var isGivenUp = true
        while isGivenUp, !Task.isCancelled {
            let before = givenUp.count
            journal.failOnce()
            await decisions.settled(PresentationID(2), answer, .recovered)
            isGivenUp = givenUp.count > before
            await Task.yield()
        }
        try #require(!isGivenUp)
        #expect(try await journal.results.next() == .recovered)
    }
}
