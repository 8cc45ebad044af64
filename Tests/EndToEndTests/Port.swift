import Foundation
import Glibc

/// A tcp port of this machine that is taken as long as this lives.
final class Port: Sendable {
    let number: UInt16
    private let descriptor: CInt

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + listen(descriptor, 1)
                    + getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { throw POSIXError(.EADDRINUSE) }
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
