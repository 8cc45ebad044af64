import ErrorBus
import Foundation
import GRDB
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

    @Test(
        "What is left beside a journal that is gone does not get into the backup",
        arguments: TopologyNode.logEndings)
    func leftBeside(_ ending: String) async throws {
        let (kept, later) = (PresentationID.make(), PresentationID.make())
        let journal = try SQLiteJournal(path, of: "central")
        try await journal.shown(kept, asked)
        try JournalCopy.backUp(path, to: backup)
        try await journal.shown(later, asked)
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: "\(folder)/left")
        try await journal.checkpoint()
        for ending in [""] + TopologyNode.journalEndings {
            try? FileManager.default.removeItem(atPath: path + ending)
        }
        try FileManager.default.moveItem(atPath: "\(folder)/left", toPath: path + ending)
        #expect(try JournalCopy.restore(backup, to: path, of: "central", at: now) == nil)
        #expect(FileStatus("\(path).20260921T141320000Z\(ending)") != nil)
        let restored = try SQLiteJournal(path, of: "central")
        #expect(try await restored.record(of: kept)?.state == .shown)
        #expect(try await restored.record(of: later) == nil)
    }

    @Test("A journal behind a symbolic link is replaced on its own disk")
    func linked() async throws {
        let (disk, id) = ("\(folder)/disk", PresentationID.make())
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let real = "\(disk)/central.sqlite"
        try await SQLiteJournal(real, of: "central").shown(id, asked)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
        try JournalCopy.backUp(path, to: backup)
        let former = try JournalCopy.restore(backup, to: path, of: "central", at: now)
        #expect(FileStatus(link: path)?.isLink == true)
        #expect(former?.hasPrefix(resolved(disk)) == true)
        #expect(try await SQLiteJournal(path, of: "central").record(of: id) != nil)
        try FileManager.default.removeItem(atPath: real)
        let unmounted = #expect(throws: Failure.self) {
            try JournalCopy.restore(backup, to: path, of: "central", at: now)
        }
        #expect(unmounted?.status == .cannotCreate)
        #expect(unmounted?.text.contains("found a symbolic link to a missing file") == true)
    }

    private func resolved(_ path: String) -> String {
        let real = Glibc.realpath(path, nil)
        defer { free(real) }
        return real.map { String(cString: $0) } ?? path
    }

    @Test(
        "What root restores belongs to the owner of the journal, or of its folder",
        .enabled(if: geteuid() == 0))
    func owner() async throws {
        try await SQLiteJournal(path, of: "central").shown(.make(), asked)
        try JournalCopy.backUp(path, to: backup)
        for file in [folder, path] { #expect(chown(file, 65_534, 65_533) == 0) }
        func owners() -> [[UInt32]?] {
            [path, path + "-lock"].map { FileStatus($0).map { [$0.owner, $0.group] } }
        }
        _ = try JournalCopy.restore(backup, to: path, of: "central", at: now)
        #expect(owners() == [[65_534, 65_533], [65_534, 65_533]])
        for ending in [""] + TopologyNode.journalEndings {
            try? FileManager.default.removeItem(atPath: path + ending)
        }
        _ = try JournalCopy.restore(backup, to: path, of: "central", at: now)
        #expect(owners() == [[65_534, 65_533], [65_534, 65_533]])
    }

    @Test("A backup leaves all other files as they are")
    func others() async throws {
        try await SQLiteJournal(path, of: "central").shown(.make(), asked)
        for ending in [""] + TopologyNode.journalEndings {
            let other = "\(backup).part\(ending)"
            try Data("precious".utf8).write(to: URL(fileURLWithPath: other))
            let refused = #expect(throws: Failure.self) {
                try JournalCopy.backUp(path, to: backup)
            }
            #expect(refused?.status == .cannotCreate)
            #expect(refused?.text.contains("\(other): exists;") == true)
            #expect(FileManager.default.contents(atPath: other) == Data("precious".utf8))
            try FileManager.default.removeItem(atPath: other)
        }
        try JournalCopy.backUp(path, to: backup)
    }

    @Test(
        "What no backup is in is not restored: an empty file, another database, a changed one",
        arguments: [
            ("", "found a database that is no journal"),
            ("CREATE TABLE t(x)", "found a database that is no journal"),
            (
                "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END",
                "found the trigger t, expected: tables and indices alone"
            ),
            ("CREATE VIEW v AS SELECT 1", "found the view v, expected: tables and indices alone"),
        ])
    func otherDatabases(statement: String, expected: String) async throws {
        let id = PresentationID.make()
        try await SQLiteJournal(path, of: "central").shown(id, asked)
        if statement.hasPrefix("CREATE TABLE") || statement.isEmpty {
            try Data().write(to: URL(fileURLWithPath: backup))
        } else {
            try JournalCopy.backUp(path, to: backup)
        }
        if !statement.isEmpty {
            try await DatabaseQueue(path: backup).write { try $0.execute(sql: statement) }
        }
        let refused = #expect(throws: Failure.self) {
            try JournalCopy.restore(backup, to: path, of: "central", at: now)
        }
        #expect(refused?.status == .badData)
        #expect(refused?.text.hasPrefix("\(backup): \(expected)") == true, "\(refused?.text ?? "")")
        #expect(try await SQLiteJournal(path, of: "central").record(of: id) != nil)
    }

    @Test("A file system without hard links has backups as well", arguments: [EPERM, ENOTSUP])
    func withoutLinks(problem: CInt) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let part = "\(folder)/part"
        func name(_ file: String) throws -> String? {
            try Data("content".utf8).write(to: URL(fileURLWithPath: part))
            try JournalCopy.name(part, file) { _, _ in
                errno = problem
                return -1
            }
            #expect(FileStatus(part) == nil)
            return try String(contentsOfFile: file, encoding: .utf8)
        }
        #expect(try name(backup) == "content")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: backup))
        #expect(throws: Failure.self) { _ = try name(backup) }
        #expect(try String(contentsOfFile: backup, encoding: .utf8) == "precious")
    }

    @Test(
        "A file system without hard links keeps the former journal as well",
        arguments: [EPERM, ENOTSUP])
    func movedWithoutLinks(problem: CInt) async throws {
        let id = PresentationID.make()
        try await SQLiteJournal(path, of: "central").shown(id, asked)
        let moved = try JournalCopy.moveAside(path, at: now) { _, _ in
            errno = problem
            return -1
        }
        let former = try #require(moved)
        #expect(FileStatus(path) == nil)
        #expect(try await SQLiteJournal(former).record(of: id)?.state == .shown)
    }

    @Test("When the former journal cannot be moved, it stays, and no copy is left beside it")
    func notMoved() async throws {
        let id = PresentationID.make()
        try await SQLiteJournal(path, of: "central").shown(id, asked)
        try JournalCopy.backUp(path, to: backup)
        try Data().write(to: URL(fileURLWithPath: "\(path).20260921T141320000Z"))
        #expect(
            status { _ = try JournalCopy.restore(backup, to: path, of: "central", at: now) }
                == .cannotCreate)
        #expect(FileStatus("\(path)-restored") == nil)
        #expect(try await SQLiteJournal(path, of: "central").record(of: id) != nil)
    }

    @Test("A full disk is no damaged journal")
    func full() {
        let error = DatabaseError(resultCode: .SQLITE_FULL, message: "not an error")
        let failure = JournalCopy.failure(of: "j", copiedTo: "b", error)
        #expect(failure.status == .cannotCreate)
        #expect(
            failure.text
                == "journal j: cannot be copied to b: found a full disk; make room there, or take "
                + "another disk. The journal is unchanged")
        let damaged = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "malformed")
        #expect(JournalCopy.failure(of: "j", copiedTo: "b", damaged).status == .badData)
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
