import ErrorBus
import Foundation
import Glibc

/// Sends back what it gets, and ends when its client does.
final class EchoServer: Sendable {
    let endpoint: Endpoint
    private let descriptor: Int32

    /// - Parameter path: Of a unix socket; nil: a loopback port.
    init(path: String? = nil) throws {
        let wanted = try Endpoint(path.map { "ipc://\($0)" } ?? "tcp://127.0.0.1:*")
        let (descriptor, address) = try StreamAddress(wanted).socket()
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0
        else { throw SocketPeer.Failed(call: "bind") }
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        if path == nil {
            withUnsafeMutablePointer(to: &bound) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = getsockname(descriptor, $0, &length)
                }
            }
        }
        endpoint =
            path == nil
            ? try Endpoint("tcp://127.0.0.1:\(UInt16(bigEndian: bound.sin_port))") : wanted
        self.descriptor = descriptor
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { Self.echo(client) }
            }
        }
    }

    // Wakes the thread in accept, which then ends.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private static func echo(_ client: Int32) {
        defer { close(client) }
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }
}
