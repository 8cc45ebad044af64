import ErrorBus
import Foundation
import Testing

extension EndToEnd.Console {
    @Test("A client without the token keeps no other out: refused, silent, or without HTTP")
    func strangers() async throws {
        let (nodes, client) = try await bus()
        let parts = client.address.split(separator: ":")
        let crowd = try Launched(
            [
                "python3", "-c", Self.crowd, String(parts[0]), String(parts[1]), "300",
            ], program: "/usr/bin/env")
        #expect(await crowd.prints("all there"))
        let clock = ContinuousClock()
        let begin = clock.now
        let reply = try await client.send("GET", "/api/v1/inbox")
        #expect(reply.status == 200)
        // The limits for the strangers are 10 s and more: none of them was waited for.
        #expect(clock.now - begin < .seconds(8))
        // What was refused is logged once, and its connection was closed.
        #expect(await crowd.prints("100 closed after 401"))
        #expect(await nodes[0].says("reason=unauthorized"))
        let lines = nodes[0].errors.value.components(separatedBy: "reason=unauthorized").count
        #expect(lines <= 4)
        crowd.send(SIGTERM)
        withExtendedLifetime(nodes) {}
    }

    /// A third each is refused, says nothing, and says what is no HTTP. All stay.
    private static let crowd = """
        import signal, socket, sys
        host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        request = f"GET /api/v1/inbox HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n"
        sockets, closed = [], 0
        for number in range(count):
            each = socket.create_connection((host, port), timeout=30)
            sockets.append(each)
            if number % 3 == 0:
                each.sendall(request.encode())
                text = b""
                while chunk := each.recv(65536):
                    text += chunk
                closed += text.startswith(b"HTTP/1.1 401 ")
            if number % 3 == 1:
                each.sendall(b"what is this\\r\\n\\r\\n")
        print("all there", flush=True)
        print(f"{closed} closed after 401", flush=True)
        signal.pause()
        """

    @Test("A method that a path does not have is refused with the allowed ones")
    func allow() async throws {
        let (nodes, client) = try await bus()
        let reply = try await client.send("DELETE", "/api/v1/silences")
        #expect(reply.status == 405)
        #expect(reply.headers["allow"] == "GET, POST")
        withExtendedLifetime(nodes) {}
    }
}
