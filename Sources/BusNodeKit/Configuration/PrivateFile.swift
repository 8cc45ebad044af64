import Foundation
import Glibc

/// A file with a secret, which only its owner may read or write.
enum PrivateFile {
    /// Its text, cut to so many bytes.
    static func text(of file: String, byteCountMax: Int) throws(FileRefusal) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FileRefusal(status: .noInput, found: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.isFile else {
            throw FileRefusal(status: .noInput, found: "not a regular file")
        }
        guard status.isPrivate, status.owner == getuid() || status.owner == 0 else {
            throw FileRefusal(
                status: .badConfiguration, found: "mode 0\(String(status.mode, radix: 8))",
                allowed: "0600, and this user as its owner")
        }
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Writes a new file, never over one that is there, and never readable by others than `mode`
    /// says, not for a moment.
    static func create(_ file: String, _ text: String, mode: mode_t) throws(FileRefusal) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        let isWritten =
            descriptor >= 0 && write(descriptor, text, text.utf8.count) == text.utf8.count
            && fsync(descriptor) == 0
        let reason = String(cString: strerror(errno))
        if descriptor >= 0 { close(descriptor) }
        if !isWritten { throw FileRefusal(status: .cannotCreate, found: reason) }
    }

    /// Replaces a file as a whole: a reader finds the old text or the new one.
    static func replace(_ file: String, _ text: String, mode: mode_t) throws(FileRefusal) {
        let fresh = "\(file).new"
        unlink(fresh)
        do throws(FileRefusal) {
            try create(fresh, text, mode: mode)
            guard rename(fresh, file) == 0 else {
                throw FileRefusal(
                    status: .cannotCreate, found: String(cString: strerror(errno)))
            }
        } catch {
            unlink(fresh)
            throw error
        }
    }
}

/// Why a file is refused as that of a token, a secret or authorities.
struct FileRefusal: Error {
    let status: ExitStatus
    let found: String
    /// Nil when the system refused it.
    var allowed: String?

    var text: String { allowed.map { "found \(found), allowed: \($0)" } ?? found }
}
