import Foundation
import Glibc

/// A file that a process writes while it runs, for others to read, and removes at its end. It is
/// replaced as a whole: a reader never gets half of it.
struct PublishedFile: Sendable {
    let path: String
    /// The option that names it, for messages.
    private let option: String
    /// Reads from the content which process wrote it.
    private let writer: @Sendable (Data) -> pid_t?

    init(_ path: String, option: String, writer: @escaping @Sendable (Data) -> pid_t?) {
        self.path = path
        self.option = option
        self.writer = writer
    }

    private var temporary: String { path + ".\(getpid())" }

    /// The process that wrote what is at the path; nil where there is no such file.
    private var writerNow: pid_t? {
        FileManager.default.contents(atPath: path).flatMap(writer)
    }

    /// Verifies that the file can be created, and removes one that an earlier process left. That of
    /// another process of this program stays: that one runs, and this one may not come to run.
    ///
    /// - Throws: When something other than a file is at the path, or no file can be created there.
    func prepare() throws(Failure) {
        guard !path.isEmpty else {
            throw Failure(.usage, "\(option): found an empty path, expected that of a file")
        }
        try FileStatus.requireFileOrNothing(at: path, of: option)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw Failure(
                .cannotCreate, "\(option) \(path.shown()): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        unlink(temporary)
        if writerNow.map(Self.isOfThisProgram) != true { unlink(path) }
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

    /// Returns whether the content is in place.
    @discardableResult
    func write(_ content: Data) -> Bool {
        guard FileManager.default.createFile(atPath: temporary, contents: content) else {
            return false
        }
        guard rename(temporary, path) == 0 else {
            unlink(temporary)
            return false
        }
        return true
    }

    /// Removes the file, unless another process has written it since.
    func remove() {
        if writerNow == getpid() { unlink(path) }
    }
}
