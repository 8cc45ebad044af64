import ErrorBus
import ErrorBusTesting
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import BusNodeKit

struct TargetHostTests {
    @Test(
        "A whole address in the request line sets the Host",
        arguments: [
            ("/a", "own"), ("/?u=http://evil/", "own"), ("*", "own"), ("evil:443", "own"),
            ("http://evil/a", "evil"), ("HTTP://evil:80?x", "evil:80"), ("http://own", "own"),
            ("http:///a", ""), ("x://u@evil#f", "u@evil"),
        ])
    func host(target: String, expected: String) throws {
        let channel = EmbeddedChannel(handler: TargetHost())
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: target, headers: ["host": "own"])
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        let part = try #require(try channel.readInbound(as: HTTPServerRequestPart.self))
        guard case .head(let seen) = part else { return #expect(Bool(false), "\(part)") }
        #expect(seen.headers["Host"] == [expected])
        #expect(seen.uri == target)
        #expect(!seen.headers.contains(name: "Connection"))
    }

    @Test("A request to upgrade the connection gets its response, and the connection ends")
    func upgrade() async throws {
        let said = Recorder<String>()
        try await ServedConsole.run({ _ in }, logger: .silent) { console in
            let peer = try await SocketPeer.connect(
                to: Endpoint("tcp://127.0.0.1:\(console.address.port)"))
            try await peer.send(
                Array(
                    """
                    GET /api/v1/me HTTP/1.1\r
                    Host: 127.0.0.1:\(console.address.port)\r
                    Authorization: Bearer \(console.address.token ?? "")\r
                    Connection: Upgrade, HTTP2-Settings\r
                    Upgrade: h2c\r
                    HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r
                    \r

                    """.utf8))
            said.record(String(decoding: try await peer.receiveToEnd().bytes, as: UTF8.self))
        }
        let text = try await said.next()
        #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text)")
    }
}
