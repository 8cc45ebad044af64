import ErrorBus
import ErrorBusTesting
import Foundation
import Glibc
import GRDB
import Testing

@testable import BusNodeKit

/// Whose a journal is: which user may read it, which process has it, which node's it is.
@Suite struct JournalFilesTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/var/central.sqlite" }
    private let asked = DecisionRecord.Asked(
        origin: "worker", digest: ReportDigest("0123456789abcdef"),
        report: ErrorReport(domain: "com.acme", code: 7, description: "It failed."))

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ suffix: String) throws -> String {
        let status = try #require(FileStatus(path + suffix), "\(suffix) is not there")
        return String(status.mode, radix: 8)
    }

    @Test("Only its owner can read a journal and the files beside it, whatever the umask")
    func modes() async throws {
        let journal = try SQLiteJournal(path, of: "central")
        try await journal.shown(.make(), asked)
        for suffix in ["", "-wal", "-shm", "-lock"] {
            #expect(try mode(suffix) == "600", "\(suffix)")
        }
        #expect(journal.tightened.isEmpty)
    }

    @Test(
        "A journal that other users can read gets mode 0600, with a log line, also by a link to it",
        arguments: [false, true])
    func tightened(isLinked: Bool) async throws {
        // As it was made before: another connection keeps the files beside it.
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/var", withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(chmod(path, 0o644) == 0)
        let former = try DatabaseQueue(path: path)
        try await former.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE t (x); DROP TABLE t")
        }
        #expect(try mode("-wal") == "644")
        let link = "\(folder.path)/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let journal = try SQLiteJournal(isLinked ? link : path, of: "central")
        // SQLite has the others beside the target.
        let real = isLinked ? JournalFiles.real(link) : path
        #expect(
            journal.tightened == [isLinked ? link : path] + ["-wal", "-shm"].map { real + $0 })
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(suffix) == "600", "\(suffix)") }
        withExtendedLifetime(former) {}
    }

    private func failure(_ node: NodeName, _ path: String, _ use: JournalLock.Use = .alone)
        -> Failure?
    {
        do throws(Failure) {
            _ = try SQLiteJournal(path, of: node, use: use)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A second process is refused with the id of the first, by any path to the journal",
        .timeLimit(.minutes(10)))
    func lock() async throws {
        let other = "\(folder.path)/other.sqlite"
        do {
            let journal = try SQLiteJournal(path, of: "central")
            try FileManager.default.createSymbolicLink(
                atPath: other, withDestinationPath: path)
            for path in [path, other] {
                let refused = try #require(failure("central", path))
                #expect(refused.status == .temporaryFailure)
                #expect(
                    refused.text.hasPrefix(
                        "journal \(path): in use by another process (pid \(getpid()), node central)"
                    ))
                #expect(failure("central", path, .amongClients)?.status == .temporaryFailure)
            }
            // A word beside it, as `log --reoffer` writes.
            try await SQLiteJournal(path).ended(.make(), .expired)
            try await journal.shown(.make(), asked)
        }
        // The last write may end a moment later than its caller goes on.
        while failure("central", other) != nil { await Task.yield() }
    }

    @Test("A file with a second name is refused: each name would get a log of its own")
    func hardLink() async throws {
        do { withExtendedLifetime(try SQLiteJournal(path, of: "central")) {} }
        let other = "\(folder.path)/other.sqlite"
        try FileManager.default.linkItem(atPath: path, toPath: other)
        for path in [path, other] {
            let refused = try #require(failure("central", path))
            #expect(refused.status == .cannotCreate)
            #expect(refused.text.contains("found a file with 2 names (hard links), expected one"))
        }
        try FileManager.default.removeItem(atPath: other)
        #expect(failure("central", path) == nil)
    }

    @Test(
        "Files are trusted of this user, of root and of the folder's owner",
        arguments: [
            (1_000, 1_000, 0, false), (0, 1_000, 0, false), (1_001, 1_000, 1_001, false),
            (1_001, 1_000, 0, true), (1_001, 0, 0, true), (1_001, 1_000, nil, true),
        ] as [(uid_t, uid_t, uid_t?, Bool)])
    func foreign(owner: uid_t, user: uid_t, folder: uid_t?, isForeign: Bool) {
        #expect(FileStatus.isForeign(owner: owner, in: folder, to: user) == isForeign)
    }

    @Test(
        "A file that another user has put in the place of one of a journal's is refused",
        .enabled(if: geteuid() == 0), arguments: ["", "-wal", "-shm", "-lock"])
    func planted(suffix: String) throws {
        // Its owner could read it, whatever its mode.
        try folder.write("", to: "var/central.sqlite\(suffix)")
        try #require(chown(path + suffix, 65_534, 65_534) == 0)
        let refused = try #require(failure("central", path))
        #expect(refused.status == .notPermitted)
        #expect(
            refused.text.hasPrefix(
                "journal \(path)\(suffix): found a file of user 65534, expected one of this user"))
        // Who owns the folder can replace every file in it.
        try #require(chown("\(folder.path)/var", 65_534, 65_534) == 0)
        #expect(failure("central", path) == nil)
    }

    @Test(
        "A link that another user has put in a journal's place is refused, and not followed",
        .enabled(if: geteuid() == 0))
    func plantedLink() throws {
        let target = try folder.write("kept", to: "target")
        try #require(chmod(target, 0o644) == 0)
        for target in [target, "\(folder.path)/missing"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/var", withIntermediateDirectories: true)
            try #require(symlink(target, path) == 0)
            try #require(lchown(path, 65_534, 65_534) == 0)
            let refused = try #require(failure("central", path))
            #expect(refused.text.contains("found a symbolic link of user 65534, expected one of"))
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(FileStatus(target)?.mode == 0o644)
        #expect(FileStatus("\(folder.path)/missing") == nil)
    }

    @Test("A link to a file that is missing is refused: SQLite would let other users read it")
    func linkToNothing() throws {
        let target = "\(folder.path)/disk/central.sqlite"
        for made in ["\(folder.path)/var", "\(folder.path)/disk"] {
            try FileManager.default.createDirectory(
                atPath: made, withIntermediateDirectories: true)
        }
        try #require(symlink(target, path) == 0)
        let refused = try #require(failure("central", path))
        #expect(refused.status == .cannotCreate)
        #expect(
            refused.text
                == "journal \(path): found a symbolic link to a missing file, expected a link to "
                + "the journal; mount its disk, remove the link, or put an empty file there for a "
                + "new journal")
        #expect(FileStatus(target) == nil)
        try folder.write("", to: "disk/central.sqlite")
        #expect(failure("central", path) == nil)
        #expect(FileStatus(target)?.mode == 0o600)
    }

    @Test("Clients in a node's place share its journal with each other, not with the node")
    func clients() throws {
        let first = try SQLiteJournal(path, of: "worker", use: .amongClients)
        #expect(failure("worker", path, .amongClients) == nil)
        #expect(failure("worker", path)?.status == .temporaryFailure)
        withExtendedLifetime(first) {}
    }

    @Test("The journal of a later version is refused with the remedy, and not changed")
    func laterVersion() throws {
        #expect(failure("central", path) == nil)
        var patient = Configuration()
        patient.busyMode = .timeout(60)
        let database = try DatabaseQueue(path: path, configuration: patient)
        try database.write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999 later')")
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '19 %'")
        }
        let refused = try #require(failure("central", path))
        #expect(refused.status == .badConfiguration)
        #expect(refused.text.contains("tables of a later version of bus-node, expected:"))
        let migrations = try database.read { database in
            try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations")
        }
        #expect(migrations.contains("9999 later") && !migrations.contains { $0.hasPrefix("19 ") })
    }

    @Test("The journal of another node is refused with both names and the remedy")
    func owner() throws {
        #expect(failure("central", path) == nil)
        #expect(failure("central", path) == nil)
        let refused = try #require(failure("other", path))
        #expect(refused.status == .badConfiguration)
        #expect(
            refused.text.hasPrefix(
                "journal \(path): belongs to node central, expected: other's own or a new one"))
        // What the message says for a node that was renamed.
        let statement = try #require(refused.text.split(separator: "\"").dropFirst().first)
        // The journals before may still be closing their files.
        var patient = Configuration()
        patient.busyMode = .timeout(60)
        try DatabaseQueue(path: path, configuration: patient).write {
            try $0.execute(sql: String(statement))
        }
        #expect(failure("other", path) == nil)
        #expect(failure("central", path)?.status == .badConfiguration)
    }

    @Test("A journal of a version without owners belongs to the first node that opens it")
    func withoutOwner() throws {
        _ = try SQLiteJournal(path)
        #expect(failure("other", path) == nil)
        #expect(failure("central", path)?.status == .badConfiguration)
    }

    /// The log of a start of the journal's node.
    private func logOfStart() throws -> [String] {
        let log = RecordedLog()
        withExtendedLifetime(try SQLiteJournal(path, of: "central", logger: log.logger)) {}
        return log.lines.elements
    }

    private func remove() {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    @Test("A new journal in the place of a former one is worth a warning, and the first is not")
    func goneJournal() throws {
        #expect(try logOfStart().isEmpty)
        #expect(try logOfStart().isEmpty)
        remove()
        let lines = try logOfStart()
        #expect(lines.count == 1)
        let beginning =
            "warning journal: new and empty, though there was one before file=\(path) try="
        #expect(lines.first?.hasPrefix(beginning) == true)
        #expect(try logOfStart().isEmpty)
    }

    @Test("A first start that failed leaves no journal to miss")
    func failedStart() throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/var", withIntermediateDirectories: true)
        try "this is no database, it is a letter".write(
            toFile: path, atomically: true, encoding: .utf8)
        #expect(failure("central", path)?.status == .badData)
        remove()
        #expect(try logOfStart().isEmpty)
    }
}
