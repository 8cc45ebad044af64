import Foundation
import Glibc
import Testing

/// A `bus-node proxy` on the way to a node, steered over its HTTP interface.
final class ProxiedLink: Sendable {
    let endpoint: String
    private let api: String
    private let process: Launched

    convenience init(_ sandbox: Sandbox, to node: String, name: String = "link") async throws {
        try await self.init(
            sandbox, from: sandbox.endpoint(name), to: sandbox.endpoint(node), name: name)
    }

    init(
        _ sandbox: Sandbox, from endpoint: String, to other: String, name: String = "link"
    ) async throws {
        self.endpoint = endpoint
        api = sandbox.path("\(name)-api.sock")
        process = try Launched([
            "proxy", "--listen", endpoint, "--connect", other, "--api", "ipc://\(api)",
        ])
        let isUp = await process.prints("controlled at")
        try #require(isUp, "the proxy is not up; it said: \(process.errors.value)")
    }

    /// Down: connections are closed, new ones refused.
    func setUp(_ isUp: Bool) throws {
        try request("POST", "/proxies/proxy", "{\"enabled\":\(isUp)}")
    }

    /// - Parameter stream: `upstream` is towards the parent.
    func add(_ type: String, stream: String = "upstream", _ attributes: String = "{}") throws {
        try request(
            "POST", "/proxies/proxy/toxics",
            """
            {"type":"\(type)","name":"\(type)-\(stream)","stream":"\(stream)",\
            "attributes":\(attributes)}
            """)
    }

    /// Up, without toxics.
    func heal() throws { try request("POST", "/reset", "") }

    private func request(_ method: String, _ path: String, _ body: String) throws {
        let peer = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        try #require(peer >= 0)
        defer { close(peer) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: api.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(peer, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0, "no process listens at \(api)")
        let text =
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let bytes = Array(text.utf8)
        try #require(send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        var reply = [UInt8](repeating: 0, count: 64)
        let count = recv(peer, &reply, reply.count, 0)
        let line = String(decoding: reply.prefix(max(0, count)), as: UTF8.self)
        try #require(line.hasPrefix("HTTP/1.1 2"), "\(method) \(path): \(line)")
    }
}
