import Glibc

/// An address to listen on or connect to: `tcp://host:port` or `ipc://path`.
///
/// A host is an IPv4 address, a name, an IPv6 address in brackets, or `*` for every interface.
/// A port is 1 to 65535, or `*` to let the system choose; `*` of either kind is for listening
/// only (``isConnectable``). An ipc path is absolute or relative, at most
/// ``pathByteCountMax`` bytes (what `sockaddr_un` holds), and never abstract (`@`), because an
/// abstract socket has no file permissions.
public struct Endpoint: Hashable, Sendable {
    /// The longest ipc path, in bytes: `sun_path` less its terminating zero.
    public static let pathByteCountMax = 107
    /// The longest host name, in bytes (RFC 1035).
    public static let hostByteCountMax = 253
    /// The form of an endpoint, for messages.
    public static let allowed = "tcp://HOST:PORT or ipc://PATH"

    /// The parts of an endpoint.
    public enum Address: Hashable, Sendable {
        /// `port` 0 means `*`: the system chooses. IPv6 hosts have no brackets here.
        case tcp(host: String, port: UInt16)
        /// A path of at most ``pathByteCountMax`` bytes.
        case ipc(path: String)
    }

    /// The parts of the endpoint.
    public let address: Address

    /// Reads an endpoint.
    ///
    /// - Throws: ``EndpointError`` with the text found and the form allowed.
    public init(_ text: some StringProtocol) throws(EndpointError) {
        let text = String(text)
        if text.hasPrefix("tcp://") {
            address = try Self.readTCP(text.dropFirst(6), of: text)
        } else if text.hasPrefix("ipc://") {
            address = try Self.readIPC(text.dropFirst(6), of: text)
        } else {
            throw EndpointError(found: text, allowed: Self.allowed)
        }
    }

    private init(address: Address) { self.address = address }

    /// Whether only this machine can reach the endpoint: ipc, or a loopback host.
    public var isLocal: Bool {
        switch address {
        case .ipc: true
        case .tcp(let host, _): Self.isLoopback(host)
        }
    }

    /// Whether a host is this machine's own: a name such as `127.example.org` may be anywhere.
    ///
    /// - Parameter host: A name or an address, one of IPv6 without brackets.
    package static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy {
                $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8($0) != nil
            }
    }

    /// Whether the host is every interface: `*`, `0.0.0.0` or `::`.
    public var isWildcard: Bool {
        guard case .tcp(let host, _) = address else { return false }
        return ["*", "0.0.0.0", "::"].contains(host)
    }

    /// Whether a child can connect to the endpoint: its host and its port are concrete.
    public var isConnectable: Bool {
        guard case .tcp(_, let port) = address else { return true }
        return port != 0 && !isWildcard
    }

    /// The endpoint that a child on the same machine connects to: every interface includes
    /// loopback. Nil when the system chooses the port, which is not known beforehand.
    public var connectable: Endpoint? {
        guard case .tcp(let host, let port) = address, !isConnectable else { return self }
        guard port != 0 else { return nil }
        return Endpoint(address: .tcp(host: host == "::" ? "::1" : "127.0.0.1", port: port))
    }

    /// The endpoint with a relative ipc path resolved against `folder`; others unchanged.
    ///
    /// - Throws: ``EndpointError`` when the resolved path is not allowed, as one above
    ///   ``pathByteCountMax``.
    public func resolved(relativeTo folder: String) throws(EndpointError) -> Endpoint {
        guard case .ipc(let path) = address, !path.hasPrefix("/"), !folder.isEmpty, folder != "."
        else { return self }
        return try Endpoint("ipc://" + (folder.hasSuffix("/") ? folder : folder + "/") + path)
    }
}

extension Endpoint: CustomStringConvertible {
    public var description: String {
        switch address {
        case .ipc(let path): "ipc://\(path)"
        case .tcp(let host, let port):
            "tcp://\(host.contains(":") ? "[\(host)]" : host):\(port == 0 ? "*" : String(port))"
        }
    }
}

extension Endpoint {
    private static func readTCP(_ rest: Substring, of text: String) throws(EndpointError) -> Address
    {
        guard let colon = rest.lastIndex(of: ":") else {
            throw EndpointError(found: text, allowed: "tcp://HOST:PORT; the port is missing")
        }
        let host = try readHost(rest[..<colon], of: text)
        let digits = rest[rest.index(after: colon)...]
        if digits == "*" { return .tcp(host: host, port: 0) }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { throw EndpointError(found: text, allowed: "a port from 1 to 65535") }
        return .tcp(host: host, port: port)
    }

    private static func readHost(_ host: Substring, of text: String) throws(EndpointError) -> String
    {
        if host == "*" { return "*" }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            var bytes = in6_addr()
            guard !inner.utf8.contains(0), inet_pton(AF_INET6, inner, &bytes) == 1 else {
                throw EndpointError(found: text, allowed: "an IPv6 address in brackets")
            }
            return inner.lowercased()
        }
        if !host.isEmpty, host.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) {
            var bytes = in_addr()
            guard inet_pton(AF_INET, String(host), &bytes) == 1 else {
                throw EndpointError(found: text, allowed: "an IPv4 address such as 127.0.0.1")
            }
            return String(host)
        }
        guard !host.isEmpty, host.utf8.count <= hostByteCountMax,
            host.utf8.allSatisfy(isNameByte), !host.hasPrefix("."), !host.hasPrefix("-")
        else {
            throw EndpointError(
                found: text, allowed: "a host: IPv4, a name, IPv6 in brackets, or * for listening")
        }
        return host.lowercased()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private static func readIPC(_ path: Substring, of text: String) throws(EndpointError) -> Address
    {
        guard !path.isEmpty, path != "*", !path.hasPrefix("@"), !path.hasSuffix("/"),
            path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw EndpointError(
                found: text, allowed: "the path of a socket file, not abstract (@), not a folder")
        }
        guard path.utf8.count <= pathByteCountMax else {
            throw EndpointError(
                found: "\(text) (a path of \(path.utf8.count) bytes)",
                allowed: "an ipc path of at most \(pathByteCountMax) bytes")
        }
        return .ipc(path: String(path))
    }
}

/// A text that is not an ``Endpoint``.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let found: String
    /// The form allowed in its place.
    public let allowed: String

    public var description: String { "endpoint: found \"\(found)\", allowed: \(allowed)" }
}
