import Glibc

/// The socket file of an ipc endpoint that this process listens on.
///
/// The library makes the file itself, since libzmq gives it the mode that the umask of the process
/// leaves: every user who may write the file may connect, and ipc has no keys. This file has mode
/// 0600 from its first moment: the kernel takes the mode over from the descriptor.
struct ListeningFile {
    static let mode: mode_t = 0o600

    /// The descriptor, which belongs to libzmq from the moment it gets it: libzmq closes it, and
    /// leaves the file.
    let descriptor: Int32
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Listens at a path, in place of a socket that no process listens on, if there is one. On
    /// failure `errno` has the reason: EADDRINUSE if a process may listen there, EEXIST if the file
    /// is not a socket.
    static func taking(_ path: String, backlog: Int32) -> ListeningFile? {
        // Until it is listened on, the socket of a process that starts at the same time looks like
        // one that was left.
        SocketFile.lockingFolder(of: path) { () -> ListeningFile? in
            switch SocketFile(path) {
            case .live:
                errno = EADDRINUSE
                return nil
            case .other:
                errno = EEXIST
                return nil
            case .stale: unlink(path)
            case .none: break
            }
            return ListeningFile(at: path, backlog: backlog)
        }
    }

    /// Listens at a path without a file. On failure `errno` has the reason, and no file is left.
    init?(at path: String, backlog: Int32) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        guard fchmod(descriptor, Self.mode) == 0, Self.bind(descriptor, to: path) else {
            Self.keepingError { close(descriptor) }
            return nil
        }
        var status = stat()
        // Before it is listened on every connection is refused.
        guard lstat(path, &status) == 0, Self.isPrivate(status), listen(descriptor, backlog) == 0
        else {
            Self.keepingError {
                unlink(path)
                close(descriptor)
            }
            return nil
        }
        self.descriptor = descriptor
        self.path = path
        device = status.st_dev
        number = status.st_ino
    }

    /// Deletes the file, unless another one is in its place.
    func delete() {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == number else {
            return
        }
        unlink(path)
    }

    /// Whether the file system kept the mode.
    private static func isPrivate(_ status: stat) -> Bool {
        guard status.st_mode & 0o077 == 0 else {
            errno = EACCES
            return false
        }
        return true
    }

    private static func bind(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un(path)
        return withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                Glibc.bind(
                    descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        } == 0
    }

    private static func keepingError(_ body: () -> Void) {
        let number = errno
        body()
        errno = number
    }
}
