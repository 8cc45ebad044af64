import ErrorBus
import Foundation
import Glibc

/// Keeps a journal for one process as long as it lives, by a file beside it that stays.
///
/// The database itself is not locked: closing any descriptor of it would end SQLite's own locks.
final class JournalLock: Sendable {
    enum Use {
        /// A node that runs.
        case alone
        /// A client in a node's place, beside others of its kind.
        case amongClients
    }

    private let descriptor: CInt

    /// - Throws: When another process has the journal, with that process's id and node.
    init(_ path: String, for node: NodeName, use: Use) throws(Failure) {
        // Two ways to one file are one journal.
        let real = realpath(path, nil)
        defer { free(real) }
        let file = (real.map { String(cString: $0) } ?? path) + "-lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.cannotCreate, "journal lock \(file): \(Self.problem)")
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
                "journal \(path): in use by another process (\(holder)), expected: one process "
                    + "for each journal; stop that one, or give \(node) a journal of its own")
        }
        let text = Array("pid \(getpid()), node \(node)".utf8)
        // For the message above only: the lock holds without it.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
        self.descriptor = descriptor
    }

    deinit {
        // Closing is not enough while a process that is just being started has a copy.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static var problem: String { String(cString: strerror(errno)) }

    private static func holder(_ descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : "unknown"
    }
}
