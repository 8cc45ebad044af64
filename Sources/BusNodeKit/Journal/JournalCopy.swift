package import ErrorBus
package import Foundation
import GRDB
import Glibc

/// Backups of journals.
package enum JournalCopy {
    /// Copies a journal, also while its node runs, by SQLite's online backup.
    ///
    /// - Throws: When there is no journal, the file exists or has no folder, or cannot be written
    ///   whole.
    package static func backUp(_ path: String, to file: String) throws(Failure) {
        try expectFile(path, "journal \(path.shown())")
        guard FileStatus(file) == nil else {
            throw Failure(.cannotCreate, "\(file): exists; expected: the name of a new file")
        }
        let folder = FilePath.folder(of: file)
        // Made here, a mistyped mount point would take the backup to another disk.
        guard folder.isEmpty || FileStatus(folder)?.isFolder == true else {
            throw Failure(
                .cannotCreate,
                "\(file.shown()): found no folder \(folder.shown()), expected: a folder that is "
                    + "there; mount it or make it first")
        }
        let part = file + ".part"
        for name in names(of: part) where FileStatus(link: name) != nil {
            throw Failure(
                .cannotCreate,
                "\(name.shown()): exists; expected: no file of this name, since the copy is "
                    + "written there first. Remove it if an earlier backup was cut off")
        }
        do throws(Failure) {
            try copy(path, to: part)
            try name(part, file)
        } catch {
            try? removeWithParts(part)
            throw error
        }
        try removeWithParts(part)
        try syncFolder(of: file)
    }

    /// Gives a file another name, which no file has yet, even one created meanwhile.
    static func name(
        _ file: String, _ name: String, link: (String, String) -> CInt = { Glibc.link($0, $1) }
    ) throws(Failure) {
        if link(file, name) == 0 { return try remove(file) }
        guard lacksLinks else { throw systemFailure(name) }
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw systemFailure(name) }
        close(descriptor)
        guard Glibc.rename(file, name) == 0 else {
            let failure = systemFailure(name)
            unlink(name)
            throw failure
        }
    }

    /// Whether a link failed because its file system has no hard links.
    private static var lacksLinks: Bool { [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno) }

    private static func expectFile(_ path: String, _ name: String) throws(Failure) {
        guard let status = FileStatus(path) else {
            guard errno == ENOENT else {
                throw Failure(.noInput, "\(name): \(String(cString: strerror(errno)))")
            }
            throw .noFile(name)
        }
        guard status.isFile else {
            throw Failure(.noInput, "\(name): found \(status.kind), expected a file")
        }
    }

    /// A file that was written, with its size, for people.
    package static func shown(_ file: String) -> String {
        file.shown() + (FileStatus(file).map { " (\($0.byteCount) bytes)" } ?? "")
    }

    /// Replaces the journal of a stopped node by a backup.
    ///
    /// - Returns: The new name of the former journal; nil when there was none.
    /// - Throws: When the node runs, or the backup is damaged or another node's. The journal is
    ///   unchanged then.
    package static func restore(
        _ file: String, to path: String, of node: NodeName, at now: Date
    ) throws(Failure) -> String? {
        try expectFile(file, file.shown())
        // The file that a symbolic link names is replaced, on its own disk.
        let path = JournalFiles.real(path)
        try JournalFiles.refuseLinkToNothing(path)
        let lock = try JournalLock(
            path, for: node, use: .alone,
            expected: "none while it is replaced; stop that one, then restore")
        defer { withExtendedLifetime(lock) {} }
        let part = path + "-restored"
        try removeWithParts(part)
        do throws(Failure) {
            try copy(file, to: part)
            try check(part, of: file, for: node)
        } catch {
            try? removeWithParts(part)
            throw error
        }
        for ending in TopologyNode.journalEndings { try remove(part + ending) }
        do throws(Failure) {
            for file in [part, path + "-lock"] { try leave(file, toOwnerOf: path) }
            let former = try moveAside(path, at: now)
            guard rename(part, path) == 0 else { throw systemFailure(path) }
            try syncFolder(of: path)
            return former
        } catch {
            try? remove(part)
            throw error
        }
    }

    /// Gives a file that root has written to the owner of the journal, or of its folder where there
    /// is no journal: the user of the node. That user may have put a link there meanwhile, which
    /// root does not follow.
    private static func leave(_ file: String, toOwnerOf path: String) throws(Failure) {
        guard geteuid() == 0 else { return }
        let folder = FilePath.folder(of: path)
        guard let owned = FileStatus(path) ?? FileStatus(folder.isEmpty ? "." : folder) else {
            return
        }
        let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemFailure(file) }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.isFile, status.nameCount == 1
        else {
            throw Failure(.notPermitted, "journal \(file.shown()): found another file in its place")
        }
        guard status.owner != owned.owner || status.group != owned.group else { return }
        guard fchown(descriptor, owned.owner, owned.group) == 0 else { throw systemFailure(file) }
    }

    /// Checks the copy of a backup as its node will, and compares the owner. The tables stay those
    /// of the version that wrote them: a backup is also the way back to that version.
    private static func check(
        _ copy: String, of file: String, for node: NodeName
    ) throws(Failure) {
        try expectJournal(copy, of: file)
        do {
            let database = try DatabaseQueue(path: copy)
            // The names of the backup, which has the same fault: the copy is deleted.
            try JournalSchema.expectNoLater(database, file)
            try SQLiteJournal.expectOwner(node, of: database, file)
            try database.close()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw failure(of: file, copiedTo: copy, error)
        }
    }

    /// Refuses a database that no node has written, or that would change what nodes write.
    private static func expectJournal(_ copy: String, of file: String) throws(Failure) {
        let (tables, others): (Int, String?)
        do {
            (tables, others) = try DatabaseQueue(path: copy).read { database in
                let tables = "type = 'table' AND name IN ('presentation', 'grdb_migrations')"
                return (
                    try Int.fetchOne(
                        database, sql: "SELECT COUNT(*) FROM sqlite_master WHERE \(tables)") ?? 0,
                    try String.fetchOne(
                        database,
                        sql: """
                            SELECT type || ' ' || name FROM sqlite_master
                            WHERE type NOT IN ('table', 'index') LIMIT 1
                            """)
                )
            }
        } catch {
            throw failure(of: file, copiedTo: copy, error)
        }
        guard tables == 2 else {
            throw Failure(
                .badData,
                "\(file.shown()): found a database that is no journal, expected: a file of "
                    + "journal backup; in a plain copy the entries may be missing")
        }
        if let others {
            throw Failure(
                .badData,
                "\(file.shown()): found the \(others.shown()), expected: tables and indices alone; "
                    + "it may have been changed by another program")
        }
    }

    /// Keeps the journal under another name. It also stays under its own name until it is replaced:
    /// a node that starts after a crash in between must not begin with an empty journal. A file
    /// system without hard links has it under the new name alone for that moment.
    static func moveAside(
        _ path: String, at now: Date,
        link: (String, String) -> CInt = { Glibc.link($0, $1) }
    ) throws(Failure) -> String? {
        let time = TimeText.text(now).filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        let former = "\(path).\(time)"
        let isThere = FileStatus(path) != nil
        if isThere {
            // Moves recent entries into the file, unless it is damaged.
            try? checkpoint(path)
            guard link(path, former) == 0 || (lacksLinks && rename(path, former) == 0) else {
                throw systemFailure(former)
            }
        }
        // Also where the journal is gone: SQLite would write what is left of its log into the
        // backup.
        for ending in TopologyNode.logEndings where FileStatus(path + ending) != nil {
            guard rename(path + ending, former + ending) == 0 else {
                throw systemFailure(former + ending)
            }
        }
        return isThere ? former : nil
    }

    private static func checkpoint(_ path: String) throws {
        let database = try DatabaseQueue(path: path)
        _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try database.close()
    }

    private static func copy(_ path: String, to file: String) throws(Failure) {
        _ = try JournalFiles.prepare(file)
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let source = try DatabaseQueue(path: path, configuration: configuration)
            let copy = try DatabaseQueue(path: file)
            try source.backup(to: copy)
            let verdict = try copy.write { database in
                // One file, without a write-ahead log beside it.
                try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
            }
            // The mark of a write-ahead log came with the copy: with it, the file cannot be read
            // in a folder that is not writable. A node that opens it sets it again.
            try copy.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            guard verdict == "ok" else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict)
            }
            try copy.close()
        } catch {
            throw failure(of: path, copiedTo: file, error)
        }
    }

    static func failure(of path: String, copiedTo file: String, _ error: any Error) -> Failure {
        if let noJournal = JournalFiles.noJournal(path, error) { return noJournal }
        let attempt = "journal \(path.shown()): cannot be copied to \(file.shown())"
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_FULL:
            return Failure(
                .cannotCreate,
                "\(attempt): found a full disk; make room there, or take another disk. The journal "
                    + "is unchanged")
        case .SQLITE_IOERR:
            return Failure(
                .cannotCreate, "\(attempt): \(error). The journal is unchanged; check the disks")
        default:
            let text = (error as? DatabaseError)?.message ?? "\(error)"
            return Failure(.badData, "\(attempt): \(text)")
        }
    }

    private static func removeWithParts(_ path: String) throws(Failure) {
        for name in names(of: path) { try remove(name) }
    }

    /// The names of a journal's files.
    private static func names(of path: String) -> [String] {
        ([""] + TopologyNode.journalEndings).map { path + $0 }
    }

    private static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw systemFailure(path) }
    }

    /// Syncs the folder: the names are on disk when this returns.
    private static func syncFolder(of path: String) throws(Failure) {
        let folder = FilePath.folder(of: path)
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemFailure(folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemFailure(folder) }
    }

    private static func systemFailure(_ path: String) -> Failure {
        Failure(.cannotCreate, "\(path): \(String(cString: strerror(errno)))")
    }
}
