import Foundation
import Glibc
import Logging
import Synchronization

/// The place of an open journal. SQLite goes on with a file that was moved, removed or replaced,
/// and the next life of the node, which opens the journal by its path, would lack what was written
/// meanwhile.
final class JournalPlace: Sendable {
    private struct State {
        /// The opened files, by their paths.
        var files: [(path: String, identity: FileStatus.Identity)] = []
        var isLost = false
    }

    private let path: String
    private let logger: Logger
    private let state = Mutex(State())

    init(_ path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// Notes the files, which stay the same ones as long as the journal is open.
    func opened() {
        let files = [path, JournalFiles.real(path) + "-wal"].compactMap { path in
            FileStatus(path).map { (path: path, identity: $0.identity) }
        }
        state.withLock { $0.files = files }
    }

    /// Compares the files at the paths with the opened ones. Logs the first difference, and the
    /// return of the files.
    ///
    /// - Throws: When an opened file is not at its path.
    func verify() throws(JournalLost) {
        let (loss, wasLost) = state.withLock { state in
            let loss = state.files.lazy.compactMap { self.loss(of: $0.path, $0.identity) }.first
            defer { state.isLost = loss != nil }
            return (loss, state.isLost)
        }
        if let loss {
            if !wasLost {
                logger.critical(
                    "journal: not written, and no answer is sent",
                    metadata: ["problem": "\(loss)"])
            }
            throw loss
        }
        if wasLost {
            logger.notice("journal: at its path again, and written", metadata: ["file": "\(path)"])
        }
    }

    private func loss(of file: String, _ identity: FileStatus.Identity) -> JournalLost? {
        guard let status = FileStatus(file) else {
            let problem = errno == ENOENT ? "no file" : String(cString: strerror(errno))
            return JournalLost(file: file, found: problem)
        }
        guard status.identity == identity else {
            return JournalLost(file: file, found: "another file")
        }
        // The database itself has a page from its opening on; its log may be empty.
        guard file != path || status.byteCount > 0 else {
            return JournalLost(file: file, found: "an empty file")
        }
        return nil
    }
}

/// A file of an open journal that is no longer at its path: a journal that cannot be written.
struct JournalLost: LocalizedError, CustomStringConvertible, Hashable {
    let file: String
    /// What is at the path.
    let found: String

    var description: String {
        "journal \(file): found \(found), expected: the file that this node has opened; what is "
            + "written would be lost at the next start: move the file back, or if it is gone, "
            + "restore a backup while the node is stopped"
    }

    var errorDescription: String? { description }
}
