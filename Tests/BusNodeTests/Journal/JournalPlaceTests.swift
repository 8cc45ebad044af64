import ErrorBus
import ErrorBusTesting
import Foundation
import Glibc
import Testing

@testable import BusNodeKit

/// A journal whose files are moved, removed or replaced while its node runs.
@Suite struct JournalPlaceTests {
    enum Loss: CaseIterable {
        case removed, replaced, emptied, logRemoved

        var suffix: String { self == .logRemoved ? "-wal" : "" }

        var found: String {
            switch self {
            case .removed, .logRemoved: "no file"
            case .replaced: "another file"
            case .emptied: "an empty file"
            }
        }

        func happen(to path: String) throws {
            let files = FileManager.default
            switch self {
            case .removed, .logRemoved: try files.removeItem(atPath: path + suffix)
            case .replaced:
                try files.copyItem(atPath: path, toPath: path + ".copy")
                try #require(rename(path + ".copy", path) == 0)
            case .emptied: try #require(truncate(path, 0) == 0)
            }
        }
    }

    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/central.sqlite" }
    private let id = PresentationID.make()
    private let answer = Answer(option: "retry", by: "ann", via: .person)
    private let asked = DecisionRecord.Asked(
        origin: "worker", digest: ReportDigest("0123456789abcdef"),
        report: ErrorReport(domain: "com.acme", code: 7, description: "It failed."))

    init() throws { folder = try TemporaryFolder() }

    @Test("A journal that was moved takes no answer until it is back, and the log has a line each")
    func moved() async throws {
        let log = RecordedLog()
        do {
            let journal = try SQLiteJournal(path, of: "central", logger: log.logger)
            try await journal.shown(id, asked)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            let lost = JournalLost(file: path, found: "no file")
            for _ in 0..<2 {
                await #expect(throws: lost) { try await journal.decided(id, answer) }
            }
            #expect(try await journal.record(of: id)?.state == .shown)
            let line = "critical journal: not written, and no answer is sent problem=\(lost)"
            #expect(log.lines.elements == [line])
            try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
            try await journal.decided(id, answer)
            try await journal.ended(.make(), .expired)
            let back = "notice journal: at its path again, and written file=\(path)"
            #expect(log.lines.elements == [line, back])
        }
        let journal = try SQLiteJournal(path)
        #expect(try await journal.record(of: id)?.state == .decided(answer, nil))
    }

    @Test(
        "A journal that was removed, replaced or emptied takes no answer, and can be read",
        arguments: Loss.allCases)
    func lost(_ loss: Loss) async throws {
        let journal = try SQLiteJournal(path, of: "central")
        try await journal.shown(id, asked)
        try loss.happen(to: path)
        await #expect(throws: JournalLost(file: path + loss.suffix, found: loss.found)) {
            try await journal.decided(id, answer)
        }
        #expect(try await journal.record(of: id)?.state == .shown)
    }

    @Test("The log of a journal that is opened by a symbolic link is missed as well")
    func linked() async throws {
        let link = "\(folder.path)/link.sqlite"
        _ = try SQLiteJournal(path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let journal = try SQLiteJournal(link)
        try await journal.shown(id, asked)
        let log = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "-wal"
        try FileManager.default.removeItem(atPath: log)
        await #expect(throws: JournalLost(file: log, found: "no file")) {
            try await journal.decided(id, answer)
        }
    }

    @Test("Of accesses in one commit those that only read succeed while the journal is moved")
    func together() async throws {
        let journal = try SQLiteJournal(path, of: "central")
        try await journal.shown(id, asked)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        let (id, asked) = (id, asked)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    if number.isMultiple(of: 2) {
                        return try await journal.record(of: id)?.state == .shown
                    }
                    do {
                        try await journal.shown(.make(), asked)
                        return false
                    } catch is JournalLost {
                        return true
                    }
                }
            }
            for try await isAsExpected in group { #expect(isAsExpected) }
        }
    }
}
