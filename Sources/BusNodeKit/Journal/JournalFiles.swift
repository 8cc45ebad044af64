import ErrorBus
import Foundation
import GRDB
import Glibc

/// The files of a journal, readable only by their owner, since they hold whole reports.
enum JournalFiles {
    /// The database, its write-ahead log and that log's index, which SQLite creates as needed.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Creates the file if it is missing, and removes other users' rights to it.
    ///
    /// - Returns: The files that other users could read or write until now.
    /// - Throws: When the journal cannot be created, or other users still have rights to it, as the
    ///   owner of a file has.
    static func prepare(_ path: String) throws(Failure) -> [String] {
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.isEmpty {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        // Before a link is followed.
        try refuseForeign(path)
        try refuseLinkToNothing(path)
        // SQLite would only report that it cannot open the file.
        if let status = FileStatus(path) {
            guard status.isFile else {
                throw Failure(
                    .cannotCreate, "journal \(path): found \(status.kind), expected a file")
            }
            // SQLite keeps a write-ahead log for each name, so two of them damage the file.
            guard status.nameCount == 1 else {
                throw Failure(
                    .cannotCreate,
                    "journal \(path): found a file with \(status.nameCount) names (hard links), "
                        + "expected one; remove the others")
            }
        } else {
            // Created here, since SQLite would let other users read it; its other files get the
            // mode of this one.
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            // Another process of the node may have made it meanwhile; whose it is, is seen below.
            guard descriptor >= 0 || errno == EEXIST else { throw failure(path) }
            if descriptor >= 0 { close(descriptor) }
        }
        var tightened: [String] = []
        let real = real(path)
        for file in suffixes.map({ $0.isEmpty ? path : real + $0 }) {
            try refuseForeign(file)
            if try tighten(file) { tightened.append(file) }
        }
        return tightened
    }

    /// Refuses files that another user has put there while SQLite opened the journal.
    static func refuseForeignFiles(of path: String) throws(Failure) {
        let real = real(path)
        for suffix in suffixes { try refuseForeign(suffix.isEmpty ? path : real + suffix) }
    }

    /// Refuses a file that another user has put in the place of one of a journal's files.
    fileprivate static func refuseForeign(_ file: String) throws(Failure) {
        guard let found = FileStatus.foreign(at: file) else { return }
        throw Failure(.notPermitted, "journal \(file): found \(found)")
    }

    /// Refuses a symbolic link to a missing file: SQLite would create that file, readable by other
    /// users, and on a disk that is not mounted it is missing as well.
    static func refuseLinkToNothing(_ path: String) throws(Failure) {
        guard FileStatus(path) == nil, FileStatus(link: path)?.isLink == true else { return }
        throw Failure(
            .cannotCreate,
            "journal \(path.shown()): found a symbolic link to a missing file, expected a link to "
                + "the journal; mount its disk, remove the link, or put an empty file there for a "
                + "new journal")
    }

    /// The path that SQLite makes the paths of a journal's other files from: of a symbolic link
    /// that of its target.
    static func real(_ path: String) -> String {
        guard FileStatus(link: path)?.isFile == false, let real = realpath(path, nil) else {
            return path
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// The failure of a read.
    static func unread(_ path: String, _ error: any Error) -> Failure {
        if let noJournal = noJournal(path, error) { return noJournal }
        return Failure(.noInput, "journal \(path.shown()): \(error)")
    }

    /// The failure for a file that is no database; nil for another error.
    static func noJournal(_ path: String, _ error: any Error) -> Failure? {
        guard let error = error as? DatabaseError, error.resultCode == .SQLITE_NOTADB else {
            return nil
        }
        return Failure(
            .badData,
            "journal \(path.shown()): found a file that is no journal, expected: the file of "
                + "journal: in the topology, or a backup of it")
    }

    /// Whether a file is a database or empty, as far as its beginning shows.
    static func mayBeJournal(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return true }
        defer { try? file.close() }
        let start = (try? file.read(upToCount: 16)) ?? nil
        return start?.isEmpty ?? true || start == Data("SQLite format 3\0".utf8)
    }

    private static func tighten(_ file: String) throws(Failure) -> Bool {
        guard let status = FileStatus(file), !status.isPrivate else { return false }
        guard chmod(file, 0o600) == 0 else {
            let mode = String(status.mode, radix: 8)
            throw Failure(
                .notPermitted,
                "journal \(file): mode 0\(mode), expected 0600: it holds whole reports, and other "
                    + "users have rights to it; \(String(cString: strerror(errno))): "
                    + "chmod 0600 it as its owner")
        }
        return true
    }

    private static func failure(_ path: String) -> Failure {
        let reason = String(cString: strerror(errno))
        return Failure(.cannotCreate, "journal \(path): \(FilePath.hindrance(to: path) ?? reason)")
    }
}

/// Reserves a journal for one process as long as it lives, by a permanent file beside it.
///
/// The database itself is not locked: closing any descriptor of it would release SQLite's own
/// locks.
package final class JournalLock: Sendable {
    package enum Use {
        /// Use by a running node.
        case alone
        /// Use by a client in place of a node, beside other clients.
        case amongClients
    }

    /// The second line of the file, once a journal was opened: the journal may be gone later.
    private static let mark = "\nopened"

    private let descriptor: CInt
    private let text: String
    /// Whether an earlier process opened a journal beside this file.
    let followsJournal: Bool

    /// - Parameter expected: What is expected instead of another process that has the journal; nil:
    ///   what a node that starts expects.
    /// - Throws: When another process has the journal, with its id and node.
    init(
        _ path: String, for node: NodeName, use: Use, expected: String? = nil
    ) throws(Failure) {
        // Two paths to one file are one journal.
        let real = realpath(path, nil)
        defer { free(real) }
        let file = (real.map { String(cString: $0) } ?? path) + "-lock"
        // Another user could hold it for ever.
        try JournalFiles.refuseForeign(file)
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.cannotCreate, "journal lock \(file): \(Self.problem)")
        }
        do {
            // One that was put there meanwhile.
            try JournalFiles.refuseForeign(file)
        } catch {
            close(descriptor)
            throw error
        }
        guard flock(descriptor, (use == .alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let (problem, holder) = (Self.problem, Self.holder(descriptor))
            close(descriptor)
            guard isHeld else {
                throw Failure(.cannotCreate, "journal lock \(file): \(problem)")
            }
            throw Failure(
                .temporaryFailure,
                "journal \(path): in use by another process (\(holder)), expected: "
                    + (expected ?? "one process for each journal; stop that one, or give \(node) "
                        + "a journal of its own"))
        }
        self.descriptor = descriptor
        text = "pid \(getpid()), node \(node)"
        followsJournal = Self.content(descriptor).hasSuffix(Self.mark)
        write(text + (followsJournal ? Self.mark : ""))
    }

    /// The journal was opened.
    func opened() { write(text + Self.mark) }

    /// Only for the message of a second process, and for the warning of a later one: the lock holds
    /// without it.
    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes, bytes.count, 0) }
    }

    deinit {
        // Closing is not enough while a process that is being started has a copy.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static var problem: String { String(cString: strerror(errno)) }

    private static func holder(_ descriptor: CInt) -> String {
        content(descriptor).split(separator: "\n").first.map(String.init) ?? "unknown"
    }

    private static func content(_ descriptor: CInt) -> String {
        // More than the longest name of a node.
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
