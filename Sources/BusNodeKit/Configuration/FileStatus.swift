// The C module that was loaded first owns <sys/stat.h>: either of these.
import CDispatch
import Glibc

/// The result of stat(2). On failure `errno` has the reason.
struct FileStatus {
    private let status: stat

    init?(_ path: String) { self.init(Array(path.utf8CString)) }

    /// - Parameter path: The path, which ends in a 0.
    init?(_ path: [CChar]) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// The status of a symbolic link itself.
    init?(link path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.status = status
    }

    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isLink: Bool { status.st_mode & S_IFMT == S_IFLNK }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    /// Whether the file is a pipe or a socket, with possibly another program at its other end.
    var isPipeOrSocket: Bool { [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) }

    /// The kind of the file, in a word.
    var kind: String {
        switch status.st_mode & S_IFMT {
        case S_IFREG: "a file"
        case S_IFDIR: "a folder"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    /// Refuses a path at which a new file would take the place of a link, a device, a pipe or a
    /// folder.
    static func requireFileOrNothing(at path: String, of option: String) throws(Failure) {
        guard let status = FileStatus(link: path), !status.isFile else { return }
        throw Failure(
            .cannotCreate,
            "\(option) \(path.shown()): found \(status.kind), allowed: no file yet, or a file that "
                + "may be replaced")
    }

    var byteCount: Int64 { Int64(status.st_size) }

    /// The number of names that the file has in its file system.
    var nameCount: Int { Int(status.st_nlink) }

    /// The permission bits.
    var mode: mode_t { status.st_mode & 0o777 }
    /// Whether only the owner may use the file.
    var isPrivate: Bool { mode & 0o077 == 0 }
    var owner: uid_t { status.st_uid }
    var group: gid_t { status.st_gid }

    /// The file itself, by whatever name: another one after a replacement.
    struct Identity: Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    var identity: Identity {
        Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// The version of the file: another one after a write, a replacement, or a change of mode or
    /// owner, as far as the file system's clock shows it.
    struct Version: Hashable {
        fileprivate let inode: UInt64
        fileprivate let size: Int64
        /// The seconds and nanoseconds of the last write and of the last change of the inode.
        fileprivate let times: [Int]
    }

    var version: Version {
        Version(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            times: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                status.st_ctim.tv_nsec,
            ])
    }
}

// Files that another user has put at a path, so that this process writes where that user can read.
extension FileStatus {
    /// The file or link at a path that another user has put there, in words; nil if there is none.
    /// Of a symbolic link its target counts as well.
    static func foreign(at path: String) -> String? {
        let target = realpath(path, nil)
        defer { free(target) }
        for path in [path] + (target.map { [String(cString: $0)] } ?? []) {
            guard let status = FileStatus(link: path),
                status.isForeign(in: FilePath.folder(of: path))
            else { continue }
            return "\(status.kind) of user \(status.owner), expected one of this user, of root or "
                + "of its folder's owner; remove it, or name a folder that others may not write"
        }
        return nil
    }

    /// Whether another user owns the file: not this one, nor root, nor the owner of the folder, who
    /// can replace every file there.
    func isForeign(in folder: String) -> Bool {
        let folder = FileStatus(folder.isEmpty ? "." : folder)
        return Self.isForeign(owner: owner, in: folder?.owner)
    }

    static func isForeign(owner: uid_t, in folder: uid_t?, to user: uid_t = geteuid()) -> Bool {
        let trusted: [uid_t?] = [user, 0, folder]
        return !trusted.contains(owner)
    }
}
