import ErrorBusTesting
import Foundation
import Glibc
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct EventLogTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("eb-log-\(UInt64.random(in: 0...UInt64.max))").path
    private let logger = Logger(label: "test")

    private func log(_ name: String) throws -> EventLog {
        try EventLog("\(folder)/deep/\(name)", node: "central", logger: logger)
    }

    @Test("docs/operations.md has every event of a ledger, and no others")
    func documented() throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: repository.appendingPathComponent(path), encoding: .utf8)
        }
        let page = try text("docs/operations.md")
        let section = try #require(page.components(separatedBy: "\n## The ledger\n").last)
        let rows = section.split(separator: "\n").drop { !$0.hasPrefix("| --- ") }.dropFirst()
            .prefix { $0.hasPrefix("|") }
        let named = rows.flatMap { row in
            row.split(separator: "|")[0].matches(of: #/`(\w+)`/#).map { String($0.output.1) }
        }
        // The acts of people have their words in a switch.
        let acts = try text("Sources/BusNodeKit/Console/PersonalAct.swift")
            .matches(of: #/case \.(\w+): "(\w+)"\n/#).map { String($0.output.2) }
        let words = PresentationEvent.Word.allCases.map(\.rawValue)
        #expect(named.sorted() == (words + acts).sorted())
    }

    @Test("Written events are read back in order, and the folder is created")
    func roundTrip() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = try log("a.jsonl")
        let id = PresentationID.make()
        log.record(.presented(id, "Bo\u{1B}om\n"))
        log.record(.decided(id, "retry", by: "me"))
        log.record(.settled(id, .recovered, "retry", by: "me"))
        let events = try LoggedEvent.read("\(folder)/deep/a.jsonl").events
        #expect(events.map { $0["event"] } == ["present", "decide", "done"])
        #expect(events.map { $0["sequence"] } == ["1", "2", "3"])
        #expect(events.allSatisfy { $0["id"] == id.description && $0["node"] == "central" })
        #expect(!events[0].sentence.contains("\u{1B}"))
        let table = AuditTable(events).lines
        #expect(table.count == 2)
        #expect(
            table[1].split(separator: " ").suffix(4).map(String.init)
                == ["retry", "me", "recovered", id.description])
        let short = AuditTable(events, columns: 80).lines
        #expect(short[1].hasSuffix("  \(id.description.suffix(8))"))
        #expect(short.allSatisfy { $0.count <= 80 })
        #expect(!table[1].contains("\u{1B}"))
        #expect(!table[1].contains("\n"))
    }

    @Test(
        "The line of the longest description is read back, also where escapes make it longer",
        arguments: [("x", 262_000), ("\u{AD}", 90_000), ("\u{7F}", 262_000)])
    func longest(character: String, count: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let description = String(repeating: character, count: count)
        try log("l.jsonl").record(.presented(.make(), description))
        let (events, unreadable) = try LoggedEvent.read("\(folder)/deep/l.jsonl")
        #expect(unreadable == 0)
        // Not within #expect, which would print the texts.
        let isWhole = events.map { $0["description"] } == [description]
        #expect(isWhole)
    }

    @Test("A decision has its comment, in one line; its result does not repeat it")
    func comment() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = try log("c.jsonl")
        let answer = Answer(
            option: "retry", by: "ann", via: .person, comment: "The disk\nis \u{1B}.")
        log.record(PresentationEvent(.make(), .decided(answer, isRestored: false)))
        log.record(PresentationEvent(.make(), .settled(.recovered, of: answer)))
        let events = try LoggedEvent.read("\(folder)/deep/c.jsonl").events
        #expect(events.map { $0["comment"] } == ["The disk\nis  .", ""])
    }

    @Test("A report and its presentation have the options to give up, where there are any")
    func cancels() {
        var report = ErrorReport(
            domain: "d", description: "x", options: [.init(id: "retry", title: "Retry")])
        func fields(_ report: ErrorReport) -> [String?] {
            let events: [PresentationEvent.What] = [
                .reported(report), .presented(report, origin: nil, path: []),
            ]
            return events.map { PresentationEvent(.make(), $0).fields["cancel"] }
        }
        #expect(fields(report) == [nil, nil])
        for id in ["stop", "abort"] {
            report.options.append(ErrorReport.Option(id: id, title: id, role: .cancel))
        }
        #expect(fields(report) == ["stop,abort", "stop,abort"])
    }

    @Test("An incomplete last line is skipped, and the next life begins a new line")
    func torn() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try log("b.jsonl").record(.presented(.make(), "x"))
        let path = "\(folder)/deep/b.jsonl"
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"event\":\"dec".utf8))
        try handle.close()
        let (events, unreadable) = try LoggedEvent.read(path)
        #expect(events.count == 1)
        #expect(unreadable == 1)
        try log("b.jsonl").record(.settled(.make(), .failed, "retry", by: "me"))
        #expect(try LoggedEvent.read(path).events.map { $0["event"] } == ["present", "done"])
    }

    @Test("After a rotation the log continues in a new file, or in the former if that fails")
    func rotated() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = try log("r.jsonl")
        let path = "\(folder)/deep/r.jsonl"
        let events = { (path: String) in try LoggedEvent.read(path).events.map { $0["event"] } }
        log.record(.presented(.make(), "x"))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        log.record(.decided(.make(), "retry", by: "me"))
        // In the way of a new one.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        log.reopen()
        log.record(.settled(.make(), .failed, "retry", by: "me"))
        #expect(try events(path + ".1") == ["present", "decide", "done"])
        try FileManager.default.removeItem(atPath: path)
        log.reopen()
        log.record(.completed(.make(), .withdrawn))
        #expect(try events(path) == ["complete"])
        #expect(try events(path + ".1").count == 3)
        // Nothing rotated: the same file goes on.
        log.reopen()
        log.record(.presented(.make(), "x"))
        #expect(try events(path) == ["complete", "present"])
        #expect(try #require(FileStatus(path)).mode & 0o137 == 0)
    }

    @Test("What a full disk loses is counted, and logged with its end")
    func counted() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let recorded = RecordedLog()
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/full.jsonl"
        try files.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        let log = try EventLog(path, node: "central", logger: recorded.logger)
        for _ in 0..<3 { log.record(.presented(.make(), "x")) }
        try files.removeItem(atPath: path)
        log.reopen()
        log.record(.presented(.make(), "x"))
        log.record(.presented(.make(), "x"))
        let lines = recorded.lines.elements.filter { !$0.contains("reopened") }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("error events are lost") == true)
        #expect(lines.first?.contains("No space left on device") == true)
        #expect(lines.last?.hasPrefix("notice events: written again") == true)
        #expect(lines.last?.contains("lost=3") == true)
        #expect(try LoggedEvent.read(path).events.map { $0["sequence"] } == ["4", "5"])
    }

    @Test("A log that cannot be created is refused, a missing one is empty")
    func refused() throws {
        #expect(throws: Failure.self) {
            try EventLog("/dev/null/none.jsonl", node: "central", logger: logger)
        }
        #expect(try LoggedEvent.read("/no/such/log.jsonl").events.isEmpty)
    }

    @Test(
        "No text in the file drives a terminal",
        arguments: ["\u{9B}31m", "\u{9D}0;x\u{9C}", "a\u{202E}b", "\u{7F}\u{200B}", "\u{E0041}"])
    func invisible(text: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try log("c.jsonl").record(.presented(.make(), "ä 会 \(text)"))
        let path = "\(folder)/deep/c.jsonl"
        let file = try String(contentsOfFile: path, encoding: .utf8)
        #expect(file.contains("ä 会 "))
        for scalar in text.unicodeScalars where !scalar.isASCII || scalar.value == 0x7F {
            #expect(!file.unicodeScalars.contains(scalar))
        }
        #expect(try LoggedEvent.read(path).events.map { $0["description"] } == ["ä 会 \(text)"])
    }

    @Test("What may wait for a reader is refused: a pipe, and a terminal")
    func waiting() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try log("first.jsonl").record(.presented(.make(), "x"))
        let pipe = "\(folder)/deep/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let found = #expect(throws: Failure.self) { try self.log("pipe") }
        #expect(found?.status == .cannotCreate)
        #expect(found?.text.contains("found a pipe or socket, expected a file") == true)
        let refused = #expect(throws: Failure.self) {
            try EventLog("/dev/ptmx", node: "central", logger: logger)
        }
        #expect(refused?.text.contains("found a terminal") == true)
    }

    @Test(
        "A file or a link that another user has put in its place is refused, but for the folder's",
        .enabled(if: geteuid() == 0), arguments: [false, true])
    func planted(isLink: Bool) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, target) = ("\(folder)/deep/p.jsonl", "\(folder)/target")
        try FileManager.default.createDirectory(
            atPath: "\(folder)/deep", withIntermediateDirectories: true)
        if isLink {
            try #require(symlink(target, path) == 0)
        } else {
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
        }
        try #require(lchown(path, 65_534, 65_534) == 0)
        let refused = try #require(throws: Failure.self) { try self.log("p.jsonl") }
        #expect(refused.status == .notPermitted)
        let kind = isLink ? "a symbolic link" : "a file"
        #expect(refused.text.contains("found \(kind) of user 65534, expected one of this user"))
        // Nothing is made where a link leads.
        #expect(FileStatus(target) == nil)
        try #require(chown("\(folder)/deep", 65_534, 65_534) == 0)
        try log("p.jsonl").record(.presented(.make(), "x"))
        #expect(try LoggedEvent.read(path).events.count == 1)
    }

    @Test("A full disk loses lines, never the process")
    func full() throws {
        let log = try EventLog("/dev/full", node: "central", logger: logger)
        log.record(.presented(.make(), "x"))
        log.record(.settled(.make(), .failed, "retry", by: "me"))
    }
}
