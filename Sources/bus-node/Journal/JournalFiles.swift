import ErrorBus
import Foundation
import Glibc

/// The files of a journal on disk: only their owner reads them, since they hold whole reports.
enum JournalFiles {
    /// The database, its write-ahead log and that log's index, which SQLite makes as it likes.
    private static let suffixes = ["", "-wal", "-shm"]

    /// Makes the file if it is missing, and takes other users' rights to it away.
    ///
    /// - Returns: The files that others could read or write until now.
    /// - Throws: When there cannot be a journal, or it stays open to others.
    static func prepare(_ path: String) throws(Failure) -> [String] {
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.isEmpty {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        // SQLite says of all of these that it cannot open the file.
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw Failure(.cannotCreate, "journal \(path): is there, and not a file")
            }
        } else {
            // Made here, and not by SQLite, which would let others read it; its other files get
            // the same mode as this one.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure(path) }
            close(descriptor)
        }
        var tightened: [String] = []
        for file in suffixes.map({ path + $0 }) {
            if try tighten(file) { tightened.append(file) }
        }
        return tightened
    }

    private static func tighten(_ file: String) throws(Failure) -> Bool {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { return false }
        guard chmod(file, 0o600) == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw Failure(
                .notPermitted,
                "journal \(file): mode 0\(mode), expected 0600: it holds whole reports, and others "
                    + "may use it; \(String(cString: strerror(errno))): chmod 0600 it as its owner")
        }
        return true
    }

    private static func failure(_ path: String) -> Failure {
        Failure(.cannotCreate, "journal \(path): \(String(cString: strerror(errno)))")
    }
}
