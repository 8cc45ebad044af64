import Glibc

@testable import ErrorBus

/// A TCP connection that speaks no ZeroMQ.
enum PlainConnection {
    struct Failed: Error {
        let number: Int32
    }

    /// Connects, asks for a web page, and goes.
    static func get(_ endpoint: Endpoint) throws {
        guard case .tcp(_, let port) = endpoint.address else { throw Failed(number: EINVAL) }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(number: errno) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failed(number: errno) }
        let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        guard write(descriptor, request, request.count) == request.count else {
            throw Failed(number: errno)
        }
    }
}
