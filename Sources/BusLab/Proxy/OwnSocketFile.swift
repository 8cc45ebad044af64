// The C module that was loaded first owns <sys/stat.h>: either of these.
import CDispatch
import ErrorBus
import Glibc

/// The socket file of a listener of this process. Another process may have put its own in that
/// place since, which is not this one's to delete.
struct OwnSocketFile: Hashable, Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t
    /// When it was made: a number is used again once its file is gone.
    private let seconds: Int
    private let nanoseconds: Int

    /// The file that a listener has just made; nil for an endpoint without one.
    init?(of endpoint: Endpoint) {
        guard case .ipc(let path) = endpoint.address else { return nil }
        self.init(at: path)
    }

    private init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// Deletes it, unless another file is there now.
    func remove() {
        if OwnSocketFile(at: path) == self { unlink(path) }
    }

    /// Why the endpoint cannot be listened on; nil when it can, as far as its file goes. NIO
    /// deletes any socket file before it binds, even that of a running process.
    static func obstacle(at endpoint: Endpoint) -> String? {
        guard case .ipc(let path) = endpoint.address else { return nil }
        return switch SocketFile(path) {
        case .live: "a process listens there"
        case .other: "the path is a file, not a socket"
        case .none, .stale: nil
        }
    }
}
