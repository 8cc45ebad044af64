import ErrorBus
import ErrorBusTesting
import Logging
import Testing

@testable import BusNodeKit

/// The ends of requests on a connection, on which a proxy in front of a console has to agree with
/// it: otherwise one person's request could hold another one, which passes for the next person's.
struct ConsoleFramingTests {
    @Test(
        "A request whose end is ambiguous is refused, and nothing after it is a request",
        arguments: [
            "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
            "Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}",
            "Content-Length : 2\r\n\r\n{}", "Content-Length: +2\r\n\r\n{}",
            "Content-Length: 2, 2\r\n\r\n{}", "Content-Length: 2\n\r\n{}",
            "Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: x\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
        ])
    func ambiguous(rest: String) async throws {
        let text = try await reply(to: rest)
        #expect(!text.contains("HTTP/1.1 200 "), "\(text)")
        #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
    }

    @Test(
        "A request whose end is clear gets its response, and so does the next one",
        arguments: [
            "Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ])
    func clear(rest: String) async throws {
        let text = try await reply(to: rest)
        // The body lacks the condition of the silence.
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("match: found nothing"), "\(text)")
        #expect(text.contains("HTTP/1.1 200 "), "\(text)")
    }

    /// All that the console sends for a request that ends with `rest`, and another one after it.
    private func reply(to rest: String) async throws -> String {
        let said = Recorder<String>()
        try await ServedConsole.run({ _ in }, logger: .silent) { console in
            let endpoint = try Endpoint("tcp://127.0.0.1:\(console.address.port)")
            let head =
                "Host: 127.0.0.1:\(console.address.port)\r\n"
                + "Authorization: Bearer \(console.address.token ?? "")\r\n"
            let peer = try await SocketPeer.connect(to: endpoint)
            try await peer.send(
                Array(
                    ("POST /api/v1/silences HTTP/1.1\r\n\(head)Content-Type: application/json\r\n"
                        + rest + "GET /api/v1/me HTTP/1.1\r\n\(head)Connection: close\r\n\r\n")
                        .utf8))
            let received = try await peer.receiveToEnd().bytes
            said.record(String(decoding: received, as: UTF8.self))
        }
        return try await said.next()
    }
}
