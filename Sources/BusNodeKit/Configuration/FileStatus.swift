// The C module that was loaded first owns <sys/stat.h>: either of these.
import CDispatch
import Glibc

/// What stat(2) says of a file. Where it says nothing, `errno` tells why.
struct FileStatus {
    private let status: stat

    init?(_ path: String) { self.init(Array(path.utf8CString)) }

    /// - Parameter path: Ends in a 0.
    init?(_ path: [CChar]) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    /// Another program can be at its other end.
    var isPipeOrSocket: Bool { [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) }

    /// Who may use it how.
    var mode: mode_t { status.st_mode & 0o777 }
    /// Whether its owner alone may use it.
    var isPrivate: Bool { mode & 0o077 == 0 }
    var owner: uid_t { status.st_uid }
}
