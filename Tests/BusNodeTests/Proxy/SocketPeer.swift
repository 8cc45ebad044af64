import ErrorBus
import Foundation
import Glibc

/// One side of a stream socket, for tests: blocking calls on threads of their own, each with a
/// limit, so that a test fails instead of hanging.
final class SocketPeer: Sendable {
    enum Ending: Equatable, Sendable {
        case end, reset
        case failed(Int32)
    }

    struct Failed: Error {
        let call: String
        let code = errno
    }

    private static let queue = DispatchQueue(label: "SocketPeer", attributes: .concurrent)
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    deinit { close(descriptor) }

    static func connect(to endpoint: Endpoint) async throws -> SocketPeer {
        try await blocking {
            let (descriptor, address) = try StreamAddress(endpoint).socket()
            let status = address.withPointer { Glibc.connect(descriptor, $0, $1) }
            guard status == 0 else {
                let failed = Failed(call: "connect")
                close(descriptor)
                throw failed
            }
            return SocketPeer(descriptor: descriptor)
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await Self.blocking { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failed(call: "send") }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Exactly so many bytes.
    func receive(_ count: Int) async throws -> [UInt8] {
        try await Self.blocking { [descriptor] in
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let step = bytes.withUnsafeMutableBytes {
                    recv(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, 0)
                }
                guard step > 0 else { throw Failed(call: "recv after \(filled) bytes") }
                filled += step
            }
            return bytes
        }
    }

    /// All bytes until the peer ends, and how it ended.
    func receiveToEnd() async throws -> (bytes: [UInt8], ending: Ending) {
        try await Self.blocking { [descriptor] in
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 { return (all, .end) }
                if count < 0 { return (all, errno == ECONNRESET ? .reset : .failed(errno)) }
                all += buffer.prefix(count)
            }
        }
    }

    /// Nothing more comes from here.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    static func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}
