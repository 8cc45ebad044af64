import Foundation
import Glibc

/// A peer at the byte level: takes one connection at a unix socket, shakes hands as a ZMTP 3
/// DEALER, writes everything at once, and is gone.
final class CutPeer: Sendable {
    struct Failed: Error {
        let call: String
        let number = errno
    }

    private static let greeting: [UInt8] =
        [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)
    private static let ready: [UInt8] = {
        let body =
            [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6]
            + Array("DEALER".utf8)
        return [0x04, UInt8(body.count)] + body
    }()

    private let listener: Int32
    let path: String

    init(path: String) throws {
        self.path = path
        unlink(path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard listener >= 0 else { throw Failed(call: "socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(listener, 8) == 0 else { throw Failed(call: "bind") }
    }

    deinit {
        close(listener)
        unlink(path)
    }

    /// Serves one connection on a thread of its own.
    func send(messages count: Int, frames: Int, of bytes: [UInt8]) {
        let message = (1...frames).flatMap { number -> [UInt8] in
            [number == frames ? 0 : 1, UInt8(bytes.count)] + bytes
        }
        let all = (0..<count).flatMap { _ in message }
        Thread.detachNewThread { [self] in
            serve { _ = Self.write(all, to: $0) }
        }
    }

    /// Serves two connections on a thread of its own: ends the first one after so many short
    /// messages, and sends on the second one for as long as that lasts.
    func flood(messages count: Int) {
        let some = (0..<10_000).flatMap { _ in [0, 1, 7] as [UInt8] }
        Thread.detachNewThread { [self] in
            serve { peer in
                for _ in 0..<count / 10_000 where !Self.write(some, to: peer) { return }
            }
            serve { peer in while Self.write(some, to: peer) {} }
        }
    }

    private func serve(_ body: (Int32) -> Void) {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { return }
        defer { close(peer) }
        // The child's greeting, then its READY, both read, else the end would be a reset that
        // takes what was written with it.
        guard Self.write(Self.greeting + Self.ready, to: peer),
            let start = Self.read(66, from: peer), Self.read(Int(start[65]), from: peer) != nil
        else { return }
        body(peer)
    }

    private static func write(_ bytes: [UInt8], to peer: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func read(_ count: Int, from peer: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(peer, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }
}
