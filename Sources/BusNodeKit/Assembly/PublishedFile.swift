import Foundation
import Glibc
import Synchronization

/// A file that a process writes while it runs, for others to read, and removes at its end. The
/// process replaces the file as a whole: a reader never gets half of it.
struct PublishedFile: Sendable {
    let path: String
    /// The option that names the file, for messages.
    private let option: String
    /// A closure that reads from the content which process wrote it.
    private let writer: @Sendable (Data) -> pid_t?

    init(_ path: String, option: String, writer: @escaping @Sendable (Data) -> pid_t?) {
        self.path = path
        self.option = option
        self.writer = writer
    }

    /// The files that this process has published, by path: open, and locked until the process ends
    /// in any way.
    private static let locked = Mutex<[String: CInt]>([:])

    private var temporary: String { path + ".\(getpid())" }

    /// The process that wrote the file at the path; nil if there is no such file.
    private var writerNow: pid_t? {
        FileManager.default.contents(atPath: path).flatMap(writer)
    }

    /// Another process of this program that runs and has published the file. Without the lock the
    /// number belongs to a later process.
    private var otherWriter: pid_t? {
        guard let writer = writerNow, Self.isOfThisProgram(writer) else { return nil }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK ? writer : nil
    }

    /// Verifies that the file can be created, and removes the file of an earlier process.
    ///
    /// - Throws: When something other than a file is at the path, or a file of another user; when
    ///   no file can be created there; when another process that runs has published this one.
    func prepare() throws(Failure) {
        guard !path.isEmpty else {
            throw Failure(.usage, "\(option): found an empty path, expected that of a file")
        }
        try FileStatus.requireFileOrNothing(at: path, of: option)
        // In a folder with the sticky bit it could not be replaced, and readers would believe it.
        if let found = FileStatus.foreign(at: path) {
            throw Failure(.notPermitted, "\(option) \(path.shown()): found \(found)")
        }
        let descriptor = create()
        guard descriptor >= 0 else {
            throw Failure(
                .cannotCreate, "\(option) \(path.shown()): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        unlink(temporary)
        if let writer = otherWriter {
            throw Failure(
                .cannotCreate,
                "\(option) \(path.shown()): found the file of process \(writer), which runs; give "
                    + "each process a file of its own, or end that one first")
        }
        unlink(path)
    }

    /// Opens an empty file for new content. Removes anything in its place, which may be a link that
    /// another user has put there.
    private func create() -> CInt {
        unlink(temporary)
        return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    }

    /// Whether another process with this number runs this program.
    private static func isOfThisProgram(_ pid: pid_t) -> Bool {
        guard pid != getpid() else { return false }
        func program(_ process: String) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        }
        guard let other = program("\(pid)") else { return false }
        return other == program("self")
    }

    /// Writes the content; returns whether it is in place: not if another process has published the
    /// file meanwhile.
    @discardableResult
    func write(_ content: Data) -> Bool {
        guard otherWriter == nil else { return false }
        let descriptor = create()
        guard descriptor >= 0 else { return false }
        // Where the file system has no locks, others do not see that it is in use.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard (try? file.write(contentsOf: content)) != nil, rename(temporary, path) == 0 else {
            close(descriptor)
            unlink(temporary)
            return false
        }
        Self.locked.withLock { $0.updateValue(descriptor, forKey: path) }.map { _ = close($0) }
        return true
    }

    /// Removes the file, unless another process has written it since.
    func remove() {
        if writerNow == getpid() { unlink(path) }
        Self.locked.withLock { $0.removeValue(forKey: path) }.map { _ = close($0) }
    }
}
