import ErrorBus
import Foundation
import Glibc
import Testing

@testable import BusNodeKit

/// Backups of a journal.
@Suite struct JournalCopyTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("copy-\(UUID().uuidString)").path
    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let asked = DecisionRecord.Asked(
        origin: "worker", digest: nil,
        report: ErrorReport(domain: "com.acme", description: "It failed."))

    private var path: String { "\(folder)/central.sqlite" }
    private var backup: String { "\(folder)/backup" }

    private func mode(_ path: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func status(_ work: () throws -> Void) -> BusNodeKit.ExitStatus? {
        do {
            try work()
            return nil
        } catch {
            return (error as? Failure)?.status
        }
    }

    @Test("What is missing is refused in the words of the system, and a folder by its kind")
    func missing() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let missing = #expect(throws: Failure.self) { try JournalCopy.backUp(path, to: backup) }
        #expect(missing?.status == .noInput)
        #expect(missing?.text == "journal \(path): No such file or directory")
        let kind = #expect(throws: Failure.self) {
            try JournalCopy.restore(folder, to: path, of: "central", at: now)
        }
        #expect(kind?.status == .noInput)
        #expect(kind?.text == "\(folder): found a folder, expected a file")
    }

    @Test("A backup taken while the node runs brings back what was there, and no more")
    func roundTrip() async throws {
        let (first, second) = (PresentationID.make(), PresentationID.make())
        do {
            let journal = try SQLiteJournal(path, of: "central")
            try await journal.shown(first, asked)
            try JournalCopy.backUp(path, to: backup)
            try await journal.shown(second, asked)
            #expect(
                status { _ = try JournalCopy.restore(backup, to: path, of: "central", at: now) }
                    == .temporaryFailure)
            let running = #expect(throws: Failure.self) {
                try JournalCopy.restore(backup, to: path, of: "central", at: now)
            }
            #expect(
                running?.text
                    == "journal \(path): in use by another process (pid \(getpid()), node "
                    + "central), expected: none while it is replaced; stop that one, then restore")
            #expect(try await journal.record(of: second) != nil)
        }
        #expect(try mode(backup) == 0o600)
        // A file with the mark of a write-ahead log cannot be read in a folder of another user.
        let bytes = try #require(FileManager.default.contents(atPath: backup))
        #expect(Array(bytes[18...19]) == [1, 1])
        let former = try #require(
            try JournalCopy.restore(backup, to: path, of: "central", at: now))
        #expect(try mode(path) == 0o600)
        let journal = try SQLiteJournal(path, of: "central")
        #expect(try await journal.record(of: first)?.state == .shown)
        #expect(try await journal.record(of: second) == nil)
        #expect(try await SQLiteJournal(former).record(of: second)?.state == .shown)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!left.contains { $0.contains("part") || $0.contains("restored") }, "\(left)")
    }

    @Test("A journal that is missing or damaged is replaced as well")
    func damaged() async throws {
        let id = PresentationID.make()
        try await SQLiteJournal(path, of: "central").shown(id, asked)
        try JournalCopy.backUp(path, to: backup)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        #expect(try JournalCopy.restore(backup, to: path, of: "central", at: now) == nil)
        try Data("this is no database".utf8).write(to: URL(fileURLWithPath: path))
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let former = try JournalCopy.restore(backup, to: path, of: "central", at: now)
        #expect(former != nil)
        #expect(try await SQLiteJournal(path, of: "central").record(of: id) != nil)
    }

    @Test("What cannot be backed up or restored is refused, and nothing is changed")
    func refused() async throws {
        let id = PresentationID.make()
        #expect(status { try JournalCopy.backUp(path, to: backup) } == .noInput)
        try await SQLiteJournal(path, of: "central").shown(id, asked)
        try JournalCopy.backUp(path, to: backup)
        #expect(status { try JournalCopy.backUp(path, to: backup) } == .cannotCreate)
        let missing = #expect(throws: Failure.self) {
            try JournalCopy.backUp(path, to: "\(folder)/mistyped/daily/copy")
        }
        #expect(missing?.status == .cannotCreate)
        #expect(missing?.text.contains("found no folder \(folder)/mistyped/daily,") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/mistyped"))
        func restore(_ file: String, of node: NodeName = "central") -> BusNodeKit.ExitStatus? {
            status { _ = try JournalCopy.restore(file, to: path, of: node, at: now) }
        }
        #expect(restore("\(folder)/none") == .noInput)
        #expect(restore(backup, of: "other") == .badConfiguration)
        // What is to be done with another node's is said of the file that stays.
        let refusal = #expect(throws: Failure.self) {
            try JournalCopy.restore(backup, to: path, of: "other", at: now)
        }
        #expect(refusal?.text.contains("sqlite3 \(backup) \"UPDATE owner") == true)
        #expect(refusal?.text.contains("-restored") == false)
        let letter = "\(folder)/letter"
        try Data("this is no database, it is a letter".utf8)
            .write(to: URL(fileURLWithPath: letter))
        #expect(restore(letter) == .badData)
        let noJournal =
            "journal \(letter): found a file that is no journal, expected: the file of journal: in "
            + "the topology, or a backup of it"
        let restored = #expect(throws: Failure.self) {
            try JournalCopy.restore(letter, to: path, of: "central", at: now)
        }
        #expect(restored?.text == noJournal)
        let made = await #expect(throws: Failure.self) {
            try await HistoryArchive(letter)?.rule(from: "0192")
        }
        #expect(made?.text == noJournal)
        #expect(made?.status == .badData)
        #expect(try await SQLiteJournal(path, of: "central").record(of: id) != nil)
    }
}
