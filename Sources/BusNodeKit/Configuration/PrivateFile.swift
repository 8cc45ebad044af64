import Foundation
import Glibc

/// A trusted file: only its owner may write it, and read it if it holds a secret.
enum PrivateFile {
    /// The text of the file; a file with more bytes is refused.
    ///
    /// - Parameter isSecret: Whether only its owner may read it.
    static func text(
        of file: String, byteCountMax: Int, isSecret: Bool = true
    ) throws(FileRefusal) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FileRefusal(status: .noInput, number: errno)
        }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.isFile else {
            throw FileRefusal(status: .noInput, found: "not a regular file")
        }
        try check(status, isSecret ? 0o600 : 0o644)
        var bytes = [UInt8](repeating: 0, count: byteCountMax + 1)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else {
            throw FileRefusal(status: .noInput, number: errno)
        }
        guard count <= byteCountMax else {
            throw FileRefusal(
                status: .badConfiguration, found: "more than \(byteCountMax) bytes",
                allowed: "at most \(byteCountMax)")
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Refuses a folder that others may write.
    static func checkFolder(_ path: String) throws(FileRefusal) {
        guard let status = FileStatus(path) else {
            throw FileRefusal(status: .noInput, number: errno)
        }
        guard status.isFolder else {
            throw FileRefusal(status: .noInput, found: "not a folder")
        }
        try check(status, 0o755)
    }

    /// - Parameter mode: The most rights that the file may have.
    private static func check(_ status: FileStatus, _ mode: mode_t) throws(FileRefusal) {
        let isOwn = status.owner == getuid() || status.owner == 0
        guard !isOwn || status.mode & 0o077 & ~mode != 0 else { return }
        throw FileRefusal(
            status: .badConfiguration,
            found: "mode 0\(String(status.mode, radix: 8))"
                + (isOwn ? "" : ", owned by user \(status.owner)"),
            allowed: "0\(String(mode, radix: 8)), and this user or root as its owner"
                + (isOwn ? "; chmod \(String(mode, radix: 8)) sets the mode" : ""))
    }

    /// Writes a new file, never over an existing one, and with the rights of `mode` from its first
    /// moment.
    static func create(_ file: String, _ text: String, mode: mode_t) throws(FileRefusal) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        let isWritten =
            descriptor >= 0 && write(descriptor, text, text.utf8.count) == text.utf8.count
            && fsync(descriptor) == 0
        let number = errno
        if descriptor >= 0 {
            close(descriptor)
            // Half of it would be taken for the file.
            if !isWritten { unlink(file) }
        }
        if !isWritten { throw FileRefusal(status: .cannotCreate, number: number) }
    }

    /// Replaces a file as a whole: a reader finds the old text or the new one.
    static func replace(_ file: String, _ text: String, mode: mode_t) throws(FileRefusal) {
        let fresh = "\(file).new"
        unlink(fresh)
        do throws(FileRefusal) {
            try create(fresh, text, mode: mode)
            guard rename(fresh, file) == 0 else {
                throw FileRefusal(status: .cannotCreate, number: errno)
            }
        } catch {
            unlink(fresh)
            throw error
        }
        syncFolder(of: file)
    }

    /// Syncs the folder: after a power cut the name leads to the new text, and a removal is not
    /// undone.
    private static func syncFolder(of file: String) {
        let path = (file as NSString).deletingLastPathComponent
        let folder = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Some file systems have no such call, and keep the order by themselves.
        fsync(folder)
        close(folder)
    }
}

/// The refusal of a file with a token, a secret or authorities.
struct FileRefusal: Error {
    let status: ExitStatus
    let found: String
    /// The allowed form; nil if the system refused the file.
    var allowed: String?
    /// The system's error number; nil if the system did not refuse the file.
    private(set) var number: CInt?

    var isMissing: Bool { number == ENOENT }

    init(status: ExitStatus, found: String, allowed: String? = nil) {
        self.status = status
        self.found = found
        self.allowed = allowed
    }

    init(status: ExitStatus, number: CInt) {
        self.init(status: status, found: String(cString: strerror(number)))
        self.number = number
    }

    var text: String {
        guard let allowed else { return found }
        return "\(status == .noInput ? "cannot be read:" : "found") \(found), allowed: \(allowed)"
    }
}
