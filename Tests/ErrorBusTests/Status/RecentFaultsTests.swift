import ErrorBusTesting
import Logging
import Synchronization
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct RecentFaultsTests {
    private let start = ManualTime().now.instant

    @Test("a repetition takes no further place, and becomes the newest")
    func repeated() {
        let faults = RecentFaults()
        faults.note(.sent, "404 no such id", at: start)
        faults.note(.got, "404 no such id", at: start + .seconds(1))
        faults.note(.sent, "404 no such id", count: 4, at: start + .seconds(2))
        #expect(
            faults.list(at: start + .seconds(5)) == [
                .init(source: .sent, text: "404 no such id", count: 5, agoMilliseconds: 3_000),
                .init(source: .got, text: "404 no such id", count: 1, agoMilliseconds: 4_000),
            ])
    }

    @Test("refusals, which a peer can cause at will, never displace logged errors")
    func flood() {
        let faults = RecentFaults()
        for number in 0..<20 {
            faults.note(.logged, "disk \(number)", at: start + .seconds(number))
        }
        for number in 0..<1_000 {
            faults.note(.sent, "400 \(number)", at: start + .seconds(100 + number))
        }
        let list = faults.list(at: start + .seconds(2_000))
        #expect(list.count == 2 * RecentFaults.countMax)
        #expect(list.first?.text == "400 999")
        #expect(list.filter { $0.source == .logged }.map(\.text).last == "disk 10")
    }

    @Test("failed connections, which a stranger can cause, never displace refusals or errors")
    func strangers() {
        let faults = RecentFaults()
        faults.note(.logged, "the journal is full", at: start)
        faults.note(.sent, "to worker: 429 busy", at: start)
        for number in 0..<1_000 {
            faults.note(.connection, "from 10.0.0.\(number)", at: start + .seconds(1 + number))
        }
        let list = faults.list(at: start + .seconds(2_000))
        #expect(list.count == RecentFaults.countMax + 2)
        #expect(list.first?.text == "from 10.0.0.999")
        #expect(Set(list.suffix(2).map(\.source)) == [.logged, .sent])
    }

    @Test("text is cut, and cannot drive a terminal")
    func text() throws {
        let faults = RecentFaults()
        faults.note(.sent, "\u{1B}[2J" + String(repeating: "é", count: 10_000))
        let text = try #require(faults.list().first?.text)
        #expect(text.unicodeScalars.count <= NodeStatus.textScalarMax + 1)
        #expect(text.hasPrefix("\\u{1B}[2J"))
    }

    @Test("a watched logger logs as before, and errors are recorded")
    func logger() {
        let faults = RecentFaults()
        let said = Said()
        var logger = faults.watching(Logger(label: "test") { _ in SayingHandler(said: said) })
        logger[metadataKey: "a"] = "1"
        logger.logLevel = .info
        logger.warning("not noted")
        logger.error("the journal is full", metadata: ["path": "x.sqlite"])
        #expect(faults.list().map(\.text) == ["the journal is full path=x.sqlite"])
        #expect(faults.list().map(\.source) == [.logged])
        #expect(logger.logLevel == .info)
        #expect(said.texts.withLock { $0 } == ["not noted", "the journal is full"])
    }

    private final class Said: Sendable {
        let texts = Mutex<[String]>([])
    }

    private struct SayingHandler: LogHandler {
        let said: Said
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { said.texts.withLock { $0.append("\(event.message)") } }
    }
}
