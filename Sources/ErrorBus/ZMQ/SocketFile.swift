import Glibc

/// The file found at the path of an ipc endpoint, before a ``ListeningFile`` is made there.
package enum SocketFile: Hashable {
    case none
    /// A socket that no process listens on.
    case stale
    /// A socket that a process listens on, as far as this process can find out.
    case live
    /// A file that is not a socket.
    case other

    /// The reason why no socket may be made at a path: every user of the machine could put another
    /// socket in its place, and with it answer the node's children. Nil if only the owner of the
    /// folder and its group could do so, or if there is no such folder.
    package static func danger(at path: String) -> String? {
        let folder = folder(of: path)
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        let mode = UInt32(status.st_mode)
        // In one with the sticky bit, as /tmp, users delete and rename only what is their own.
        guard mode & 0o002 != 0, mode & 0o1000 == 0 else { return nil }
        let digits = String(mode & 0o7777, radix: 8)
        return "every user of this machine may replace files of its folder \(folder) (mode "
            + "\(digits)), and ipc has no keys; take the right to write from others (chmod o-w), "
            + "or name a folder inside it that is this user's alone"
    }

    /// The reason why a socket of another user at a path stays in place: this process may neither
    /// ask whether a process listens on it, nor delete it everywhere. Nil for a socket of its own
    /// user, and for root.
    static func stranger(at path: String, to own: uid_t = geteuid()) -> String? {
        var status = stat()
        guard own != 0, lstat(path, &status) == 0, status.st_uid != own else { return nil }
        return "a socket of another user (\(status.st_uid)) is there; delete it if no process "
            + "listens on it, or change listen"
    }

    /// The reason why this process may not connect to a socket; nil if the permissions allow it, or
    /// if there is no socket.
    static func refusal(at path: String) -> String? {
        guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 else { return nil }
        return refusal(errno)
    }

    /// - Parameter problem: An error number of the system.
    static func refusal(_ problem: Int32) -> String? {
        guard problem == EACCES else { return nil }
        return "permission denied: only the user of the node that listens there, and root, can "
            + "connect over ipc; run both as one user, or link them over tcp"
    }

    private static func folder(of path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// The number of tries to lock a folder, and the pauses between them: a node holds the lock for
    /// less than a millisecond, but any user who may read the folder could hold it for ever.
    private static let attemptCount = 100
    private static let pauseMilliseconds: Int32 = 10

    /// Runs `body` while no other node does so in the folder of a path. If the folder cannot be
    /// locked, or another process keeps the lock, `body` runs without the lock. Leaves `errno` as
    /// `body` does.
    static func lockingFolder<Value>(
        of path: String, attempts: Int = SocketFile.attemptCount, _ body: () -> Value
    ) -> Value {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return body() }
        for _ in 0..<attempts {
            guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { break }
            poll(nil, 0, pauseMilliseconds)
        }
        let result = body()
        let number = errno
        // Closing is not enough while a process that is being started has a copy.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        errno = number
        return result
    }

    package init(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            self = .none
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            self = .other
            return
        }
        self = Self.isListenedOn(path) ? .live : .stale
    }

    /// Whether a process may listen on the socket: a socket that cannot be asked counts as live.
    private static func isListenedOn(_ path: String) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var address = sockaddr_un(path)
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 || errno != ECONNREFUSED && errno != ENOENT
    }
}

extension sockaddr_un {
    init(_ path: String) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { buffer in
            // One byte stays 0: an endpoint's path is always shorter.
            buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
        }
    }
}
