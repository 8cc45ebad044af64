import ErrorBus
import ErrorBusTesting
import Logging
import NIOHTTP1
import OrderedCollections

@testable import BusNodeKit

/// A console that serves while a test's body runs.
struct ServedConsole {
    let address: ConsoleAddress
    let console: Console

    static func run(
        _ change: (inout ConsoleSettings) -> Void, notify hooks: [HookSettings] = [],
        logger: Logger, clock: any Clock<Duration> = ContinuousClock(),
        _ body: (ServedConsole) async throws -> Void
    ) async throws {
        var settings = ConsoleSettings(listen: try Endpoint("tcp://127.0.0.1:*"))
        change(&settings)
        var node = TopologyNode(name: "central")
        node.notify = hooks
        let console = try Console(
            settings, of: "central", in: Topology(nodes: hooks.isEmpty ? [:] : ["central": node]),
            logger: logger)
        let said = Recorder<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await ConsoleServer(console, clock: clock, say: { said.record($0) }).run()
            }
            let words = try await said.next().split(separator: " ")
            let served = ServedConsole(
                address: try ConsoleAddress(String(words[1]), option: "said"), console: console)
            try await body(served)
            group.cancelAll()
        }
    }

    /// A request with the token, or without.
    func exchange(
        _ path: String, trusting authority: String? = nil, scheme: String? = nil,
        hasToken: Bool = true
    ) throws -> HTTPExchange {
        let scheme = scheme ?? (address.isSecure ? "https" : "http")
        var exchange = HTTPExchange(.GET, "\(scheme)://\(address.host):\(address.port)\(path)")
        if let authority { exchange.trust(try Authorities(reading: authority)) }
        if hasToken, let token = address.token { exchange.add("Authorization", "Bearer \(token)") }
        return exchange
    }
}
