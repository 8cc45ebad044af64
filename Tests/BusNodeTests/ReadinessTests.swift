import AsyncHTTPClient
import ErrorBus
import ErrorBusTesting
import Logging
import NIOHTTP1
import OrderedCollections
import Testing

@testable import BusNodeKit

struct ReadinessTests {
    @Test("A node is ready once the last of its parts listens")
    func last() {
        let ready = Recorder<Bool>()
        let readiness = Readiness(of: 3) { ready.record(true) }
        for count in [0, 0, 1] {
            readiness.listens()
            #expect(ready.elements.count == count)
        }
    }

    @Test("A console reports that it listens once it serves requests", .timeLimit(.minutes(10)))
    func console() async throws {
        let console = try Console(
            ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:*")), of: "central",
            in: Topology(nodes: [:]), logger: Logger(label: "test"))
        let (said, listening) = (Recorder<String>(), Recorder<Bool>())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await ConsoleServer(
                    console, say: { said.record($0) }, listens: { listening.record(true) }
                ).run()
            }
            _ = try await listening.next()
            let words = try #require(said.elements.first).split(separator: " ")
            let address = try ConsoleAddress(String(words[1]), option: "said")
            let exchange = HTTPExchange(
                .GET, "http://\(address.host):\(address.port)/api/v1/inbox")
            // The gate refuses it, since it has no token: before the console serves there is none.
            #expect(try await exchange.response().status.code == 401)
            group.cancelAll()
        }
    }
}
