import Dispatch
import Glibc

@testable import ErrorBus
@testable import ErrorBusCore

/// A connection without libzmq.
enum PlainConnection {
    struct Failed: Error {
        let number: Int32
    }

    /// Connects, asks for a web page, and goes.
    static func get(_ endpoint: Endpoint) throws {
        let descriptor = try open(endpoint)
        defer { close(descriptor) }
        let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        guard write(descriptor, request, request.count) == request.count else {
            throw Failed(number: errno)
        }
    }

    /// Connects, sends a greeting of ZMTP 3 with this mechanism, and goes once the other side has
    /// ended the connection.
    static func greet(_ endpoint: Endpoint, mechanism: String) throws {
        let descriptor = try open(endpoint)
        defer { close(descriptor) }
        try greet(descriptor, mechanism)
        var buffer = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }

    /// Sends a greeting, and what follows it.
    private static func greet(
        _ descriptor: Int32, _ mechanism: String, then more: [UInt8] = []
    ) throws {
        let name = Array(mechanism.utf8)
        let greeting =
            [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 1] + name
            + [UInt8](repeating: 0, count: 52 - name.count) + more
        let count = send(descriptor, greeting, greeting.count, Int32(MSG_NOSIGNAL))
        guard count == greeting.count else {
            throw Failed(number: errno)
        }
    }

    /// Connects as a DEALER and sends parts of one message without an end, until the other side
    /// ends the connection.
    ///
    /// - Returns: The bytes sent; `byteCountMax` if the other side did not end it before.
    static func endless(_ endpoint: Endpoint, byteCountMax: Int) async throws -> Int {
        // Each frame of 200 bytes says that more follow.
        let part = [1, 200] + [UInt8](repeating: 0x78, count: 200)
        return try await pour(
            endpoint, Array(repeatElement(part, count: 256).joined()), byteCountMax)
    }

    /// Connects as a DEALER and sends a frame of so many zeros, then empty messages, which are two
    /// zeros each, until the other side ends the connection.
    ///
    /// - Returns: The bytes sent; `byteCountMax` if the other side did not end it before.
    static func oversize(
        _ endpoint: Endpoint, frameByteCount: Int, byteCountMax: Int
    ) async throws -> Int {
        let size = (0..<8).map { UInt8(truncatingIfNeeded: frameByteCount >> (56 - 8 * $0)) }
        let zeros = [UInt8](repeating: 0, count: 64 << 10)
        return try await pour(endpoint, first: [2] + size, zeros, byteCountMax)
    }

    private static func pour(
        _ endpoint: Endpoint, first: [UInt8] = [], _ parts: [UInt8], _ byteCountMax: Int
    ) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "pour").async {
                continuation.resume(
                    with: Result { try pourNow(endpoint, first, parts, byteCountMax) })
            }
        }
    }

    private static func pourNow(
        _ endpoint: Endpoint, _ first: [UInt8], _ parts: [UInt8], _ byteCountMax: Int
    ) throws -> Int {
        let descriptor = try open(endpoint)
        defer { close(descriptor) }
        let ready = Array("\u{5}READY\u{b}Socket-Type\0\0\0\u{6}DEALER".utf8)
        try greet(descriptor, "NULL", then: [4, UInt8(ready.count)] + ready)
        // A message before the other side's READY would be a fault of the handshake.
        var heard: [UInt8] = []
        while !heard.contains(Array("READY".utf8)) {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw Failed(number: errno) }
            heard += buffer.prefix(count)
        }
        var (content, sent) = (first + parts, 0)
        while sent < byteCountMax {
            let count = send(descriptor, content, content.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return sent }
            sent += count
            content = count == content.count ? parts : [UInt8](content.dropFirst(count))
        }
        return sent
    }

    /// Both ends of a connection, the one that was made first.
    static func pair() throws -> (made: Int32, accepted: Int32) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw Failed(number: errno) }
        defer { close(listener) }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                listen(listener, 1) == 0 ? getsockname(listener, $0, &size) : -1
            }
        }
        guard status == 0 else { throw Failed(number: errno) }
        let made = try open(Endpoint("tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"))
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else {
            defer { close(made) }
            throw Failed(number: errno)
        }
        return (made, accepted)
    }

    static func open(_ endpoint: Endpoint) throws -> Int32 {
        switch endpoint.address {
        case .tcp(_, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try withUnsafeBytes(of: &address) { try open(AF_INET, $0) }
        case .ipc(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return try withUnsafeBytes(of: &address) { try open(AF_UNIX, $0) }
        }
    }

    private static func open(_ family: Int32, _ address: UnsafeRawBufferPointer) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(number: errno) }
        let status = address.withMemoryRebound(to: sockaddr.self) {
            connect(descriptor, $0.baseAddress, socklen_t(address.count))
        }
        guard status == 0 else {
            defer { close(descriptor) }
            throw Failed(number: errno)
        }
        return descriptor
    }
}
