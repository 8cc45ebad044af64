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
    }
}
