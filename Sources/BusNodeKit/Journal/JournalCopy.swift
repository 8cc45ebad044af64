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
        try removeWithParts(part)
        do throws(Failure) {
            try copy(path, to: part)
            // Not replaced even when it was created meanwhile.
            guard link(part, file) == 0 else { throw systemFailure(file) }
        } catch {
            try? removeWithParts(part)
            throw error
        }
        try removeWithParts(part)
        try syncFolder(of: file)
    }

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
        try? remove(part + "-lock")
        for suffix in ["-wal", "-shm"] { try remove(part + suffix) }
        let former = try moveAside(path, at: now)
        guard rename(part, path) == 0 else { throw systemFailure(path) }
        try syncFolder(of: path)
        return former
    }

    /// Opens the copy of a backup as the node will: checks it, brings its tables up to date,
    /// compares the owner.
    private static func check(
        _ copy: String, of file: String, for node: NodeName
    ) throws(Failure) {
        do throws(Failure) {
            let journal = try SQLiteJournal(copy, of: node)
            try journal.checkpointNow()
        } catch {
            guard [.badConfiguration, .badData].contains(error.status) else { throw error }
            // The backup has the same fault, and the copy is deleted.
            throw Failure(error.status, error.text.replacing(copy, with: file))
        }
    }

    /// Keeps the journal under another name. It also stays under its own name until it is replaced:
    /// a node that starts after a crash in between must not begin with an empty journal.
    private static func moveAside(_ path: String, at now: Date) throws(Failure) -> String? {
        guard FileStatus(path) != nil else { return nil }
        // Moves recent entries into the file, unless it is damaged.
        try? SQLiteJournal(path).checkpointNow()
        let time = TimeText.text(now).filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        let former = "\(path).\(time)"
        guard link(path, former) == 0 else { throw systemFailure(former) }
        for suffix in ["-wal", "-shm"] where FileStatus(path + suffix) != nil {
            guard rename(path + suffix, former + suffix) == 0 else {
                throw systemFailure(former + suffix)
            }
        }
        return former
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
            if let noJournal = JournalFiles.noJournal(path, error) { throw noJournal }
            let text = (error as? DatabaseError)?.message ?? "\(error)"
            throw Failure(.badData, "journal \(path): cannot be copied to \(file): \(text)")
        }
    }

    private static func removeWithParts(_ path: String) throws(Failure) {
        for ending in [""] + TopologyNode.journalEndings { try remove(path + ending) }
    }

    private static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw systemFailure(path) }
    }

    /// Syncs the folder: the names are on disk when this returns.
    private static func syncFolder(of path: String) throws(Failure) {
        let folder = (path as NSString).deletingLastPathComponent
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemFailure(folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemFailure(folder) }
    }

    private static func systemFailure(_ path: String) -> Failure {
        Failure(.cannotCreate, "\(path): \(String(cString: strerror(errno)))")
    }
}
