import Glibc

/// A socket file whose process is gone.
enum StaleSocket {
    struct Failed: Error {}

    static func leave(at path: String) throws { close(try bound(to: path, SOCK_STREAM)) }

    /// The descriptor of a socket that is not listened on, which the caller closes.
    static func bound(to path: String, _ type: __socket_type) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
        guard descriptor >= 0 else { throw Failed() }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
        }
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Failed()
        }
        return descriptor
    }
}
