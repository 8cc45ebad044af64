import Foundation
import Glibc
import Subprocess

/// The report of readiness to the parent process: by a file, and by systemd's socket.
package enum ServiceNotification {
    static let socketVariable: Environment.Key = "NOTIFY_SOCKET"

    private static func published(_ path: String) -> PublishedFile {
        PublishedFile(path, option: "--ready-file") { content in
            pid_t(String(decoding: content, as: UTF8.self).trimmingCharacters(in: .newlines))
        }
    }

    /// Removes a file left by an earlier life, and verifies that a new one can be created.
    package static func prepare(file: String?) throws(Failure) {
        if let file { try published(file).prepare() }
    }

    package static func ready(file: String?) {
        if let file, !published(file).write(Data("\(getpid())\n".utf8)) {
            Terminal.say("bus-node: cannot write the ready file \(file.shown())")
        }
        notify("READY=1")
    }

    /// Removes the file at the end of this process.
    package static func ended(file: String?) {
        if let file { published(file).remove() }
    }

    /// Sends a datagram to the socket named in the environment, as sd_notify(3) does.
    private static func notify(_ state: String) {
        guard let path = ProcessInfo.processInfo.environment[socketVariable.rawValue],
            path.hasPrefix("/") || path.hasPrefix("@")
        else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let message = Array(state.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, 0, $0, length)
            }
        }
    }
}

/// A watch that ends this process when the reader of its output is gone: the process that started
/// it has ended, even if it was killed.
package enum OutputWatch {
    package static func start() {
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

/// The number of files, sockets and pipes that this process may have open.
package enum DescriptorLimit {
    /// Raises the limit to the system's maximum: each child of a node takes one descriptor, and a
    /// shell's usual 1024 is meant for programs that use `select`.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        // On failure the limit stays as it was.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
