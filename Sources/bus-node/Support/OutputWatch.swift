import Foundation
import Glibc

/// Ends this process when its output has no reader any more: its starter is gone, even if
/// it was killed outright.
enum OutputWatch {
    static func start() {
        Thread.detachNewThread {
            var item = pollfd(fd: STDERR_FILENO, events: 0, revents: 0)
            while true {
                let count = poll(&item, 1, -1)
                if count < 0, errno == EINTR { continue }
                guard count > 0, item.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
                kill(getpid(), SIGTERM)
                return
            }
        }
    }
}
