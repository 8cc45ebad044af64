import ErrorBus
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BusLab

/// The API on a real socket, spoken to in plain HTTP.
@Suite(.timeLimit(.minutes(10)))
struct APIServerTests {
    /// Serves while `body` runs.
    private func serving(_ body: @escaping @Sendable (Endpoint) async throws -> Void) async throws {
        let server = try APIServer(
            ProxyAPI(registry: ProxyRegistry(seed: 1)), at: Endpoint("tcp://127.0.0.1:*"))
        let (endpoints, ready) = AsyncStream.makeStream(of: Endpoint.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await server.run { ready.yield($0) } }
            group.addTask {
                for await endpoint in endpoints { return try await body(endpoint) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func send(_ request: String, to endpoint: Endpoint) async throws -> String {
        let peer = try await SocketPeer.connect(to: endpoint)
        try await peer.send(Array(request.utf8))
        return String(decoding: try await peer.receiveToEnd().bytes, as: UTF8.self)
    }

    @Test("A request gets its answer as JSON")
    func answers() async throws {
        try await serving { endpoint in
            let text = try await send(
                "GET /proxies HTTP/1.1\r\nHost: localhost\r\n\r\n", to: endpoint)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.hasSuffix("\r\n\r\n{}\n"))
        }
    }

    @Test("A body above the limit is refused")
    func bodyLimit() async throws {
        try await serving { endpoint in
            let body = String(repeating: "x", count: APIRequest.bodyByteMax + 1)
            let text = try await send(
                "POST /proxies HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)"
                    + "\r\n\r\n\(body)", to: endpoint)
            #expect(text.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test("Input that is not HTTP is answered or closed, and other clients are served")
    func garbage() async throws {
        try await serving { endpoint in
            let text = try await send("\u{1}\u{2}\u{3}\r\n\r\n", to: endpoint)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400"))
            let good = try await send(
                "GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", to: endpoint)
            #expect(good.contains("bus-node"))
        }
    }

    @Test(
        "Browsers and other hosts are refused",
        arguments: [
            ([("Host", "localhost:8474")], nil), ([("Host", "[::1]")], nil),
            ([("Host", "[::1]:80")], nil), ([("Host", "127.0.0.1")], nil),
            ([("Host", "localhost"), ("Origin", "http://evil.example")], 403),
            ([("Host", "evil.example")], 403), ([("Host", "")], 403), ([], 400),
            ([("Host", "localhost"), ("Host", "localhost")], 400),
        ] as [([(String, String)], Int?)])
    func hosts(headers: [(String, String)], status: Int?) {
        // As a request arrives: its first Host is its authority.
        var rest = headers
        let first = rest.firstIndex { $0.0 == "Host" }.map { rest.remove(at: $0).1 }
        var head = HTTPRequest(method: .get, scheme: "http", authority: first, path: "/")
        for (name, value) in rest {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        #expect(APIServer.problem(with: head)?.status == status)
    }

    @Test("A unix socket that a process listens on is not taken away")
    func pathInUse() async throws {
        let folder = try TemporaryFolder()
        let echo = try EchoServer(path: folder.path + "/echo")
        let server = try APIServer(ProxyAPI(registry: ProxyRegistry(seed: 1)), at: echo.endpoint)
        await #expect(throws: ProxyProblem.self) { try await server.run { _ in } }
        let peer = try await SocketPeer.connect(to: echo.endpoint)
        try await peer.send([1])
        #expect(try await peer.receive(1) == [1])
    }

    @Test("It listens only on this machine", arguments: ["tcp://*:1", "tcp://10.0.0.1:1"])
    func local(endpoint: String) {
        #expect(throws: ProxyProblem.self) {
            try APIServer(ProxyAPI(registry: ProxyRegistry(seed: 1)), at: Endpoint(endpoint))
        }
    }
}
