import CZMQ
import Glibc

/// libzmq's context: its I/O thread and limits. One for each reactor, which closes it.
///
/// libzmq documents contexts as thread-safe; its other objects belong to one thread.
final class ZMQContext: @unchecked Sendable {
    /// The most descriptors of a context: with its two threads and a first socket it takes about
    /// ten.
    private static let descriptorCount = 16

    let raw: UnsafeMutableRawPointer

    /// - Parameter endpoint: The endpoint of the first socket, for messages.
    init(for endpoint: Endpoint, socketsMax: Int32 = 1_024) throws(TransportError) {
        // libzmq reports most missing resources, but ends the process when its threads get no
        // descriptor (epoll_create1).
        guard Self.hasDescriptors(), let context = zmq_ctx_new() else {
            throw TransportError(
                endpoint: endpoint, operation: "make a context of libzmq for",
                reason: String(cString: strerror(errno)), isInUse: false)
        }
        raw = context
        zmq_ctx_set(raw, ZMQ_MAX_SOCKETS, socketsMax)
        zmq_ctx_set(raw, ZMQ_BLOCKY, 0)
    }

    /// Whether enough descriptors are free for a context. Leaves the reason in `errno`.
    private static func hasDescriptors() -> Bool {
        var taken: [CInt] = []
        while taken.count < descriptorCount {
            let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
            guard descriptor >= 0 else { break }
            taken.append(descriptor)
        }
        let problem = errno
        for descriptor in taken { close(descriptor) }
        errno = problem
        return taken.count == descriptorCount
    }

    /// Returns once every socket is closed.
    func terminate() {
        while zmq_ctx_term(raw) != 0, zmq_errno() == EINTR {}
    }
}
