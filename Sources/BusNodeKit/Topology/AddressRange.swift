import Glibc

/// A network address or a range of them, as in `10.0.0.5`, `10.0.0.0/8` or `fd00::/8`.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    package static let allowed = "an address or a range, as in 10.0.0.5, 10.0.0.0/8 or fd00::/8"

    /// The bytes of the address: 4 for IPv4, 16 for IPv6.
    private let bytes: [UInt8]
    private let bitCount: Int
    package let description: String

    /// The range in a text; nil for anything else, also for a range with bits behind its length,
    /// which probably means an address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Self.bytes(of: String(parts[0])) else { return nil }
        var bitCount = bytes.count * 8
        if parts.count == 2 {
            guard let count = Int(parts[1]), (0...bitCount).contains(count),
                "\(count)" == parts[1]
            else { return nil }
            bitCount = count
        }
        (self.bytes, self.bitCount, description) = (bytes, bitCount, text)
        guard (bitCount..<bytes.count * 8).allSatisfy({ !Self.bit($0, of: bytes) }) else {
            return nil
        }
    }

    /// Whether an address is in the range. An IPv4 address may be written as an IPv6 one.
    package func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
        return (0..<bitCount).allSatisfy { Self.bit($0, of: bytes) == Self.bit($0, of: other) }
    }

    /// The part of an address by which hosts differ: all of IPv4, and of IPv6 the network's 64
    /// bits, within which a host chooses its addresses itself. Nil for any other text.
    package static func network(of address: String) -> [UInt8]? {
        bytes(of: address).map { Array($0.prefix(8)) }
    }

    private static func bit(_ index: Int, of bytes: [UInt8]) -> Bool {
        bytes[index / 8] & (0x80 >> UInt8(index % 8)) != 0
    }

    private static func bytes(of text: String) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        var old = in_addr()
        if inet_pton(AF_INET, text, &old) == 1 {
            return withUnsafeBytes(of: &old) { Array($0) }
        }
        var new = in6_addr()
        guard inet_pton(AF_INET6, text, &new) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &new) { Array($0) }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }
}
