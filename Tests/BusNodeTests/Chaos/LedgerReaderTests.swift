import ErrorBus
import Foundation
import Logging
import Testing

@testable import BusLab
@testable import BusNodeKit

struct LedgerReaderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/w.jsonl"
    }

    private func append(_ text: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private static func line(_ id: String) -> String {
        #"{"event":"report","id":"\#(id)","node":"w","pid":7,"time":"2026-01-02T03:04:05.250Z"}"#
    }

    @Test("A growing log is read by whole lines, each once")
    func grows() throws {
        var reader = LedgerReader(path)
        #expect(reader.newEvents().isEmpty)
        try append(Self.line("a") + "\n" + Self.line("b").prefix(20))
        #expect(reader.newEvents().map(\.id) == ["a"])
        #expect(reader.newEvents().isEmpty)
        try append(Self.line("b").dropFirst(20) + "\n")
        let second = reader.newEvents()
        #expect(second.map(\.id) == ["b"])
        #expect(second.first?.life == LedgerEvent.Life(node: "w", pid: 7))
        #expect(second.first?.time == 11_045.25)
    }

    @Test("F32 a line cut off by its writer's death damages no other")
    func torn() throws {
        try append(Self.line("a").prefix(30) + "\n" + Self.line("b") + "\n" + "not JSON\n")
        var reader = LedgerReader(path)
        #expect(reader.newEvents().map(\.id) == ["b"])
    }

    @Test("Events are counted, and kept only for a picture", arguments: [true, false])
    func kept(keepsEvents: Bool) throws {
        let plan = try FaultScheduleTests.plan()
        var ledger = ChaosLedger(
            plan, folder: ChaosFolder(path: folder.path), keepsEvents: keepsEvents)
        // The log of one of the plan's nodes.
        try folder.write(Self.line("a") + "\n", to: "w1.jsonl")
        ledger.read()
        #expect(ledger.counts([:]).presented == 1)
        #expect(ledger.events.count == (keepsEvents ? 1 : 0))
    }

    @Test("Chaos reads the lines that it writes, and the library's")
    func roundTrip() throws {
        let id = PresentationID.make()
        let log = try ChaosLog(path, node: "w")
        let audit = try EventLog(path, node: "w", logger: Logger(label: "test"))
        log.record(.attempt, id, ["option": "retry"])
        let answer = Answer(option: "retry", by: "ann", via: .person)
        audit.record(.completed(id, .answered, answer: answer))
        var reader = LedgerReader(path)
        let events = reader.newEvents()
        #expect(events.map(\.kind) == [.attempt, .complete])
        #expect(events.allSatisfy { $0.id == id.description && $0.option == "retry" })
        #expect(Set(events.map(\.life)).count == 1)
    }
}
