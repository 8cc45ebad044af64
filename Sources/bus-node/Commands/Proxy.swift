import ArgumentParser
import BusLab
import BusNodeKit
import ErrorBus
import Foundation
import UnixSignals

/// `bus-node proxy`: a fault proxy controlled over HTTP.
struct Proxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Pass connections on, with faults that are turned on and off over HTTP.",
        discussion: """
            The interface is Toxiproxy's: GET and POST /proxies, GET, POST and DELETE \
            /proxies/NAME, POST /proxies/NAME/toxics, POST and DELETE \
            /proxies/NAME/toxics/TOXIC, POST /reset. A toxic is {"type", "stream", "toxicity", \
            "attributes"}; the types are \(ToxicType.allowed). {"enabled": false} takes a \
            proxy down. Prints where it listens, then runs until SIGTERM or SIGINT.

            Example: bus-node proxy --listen tcp://127.0.0.1:7801 --connect tcp://127.0.0.1:7701 \
            --api tcp://127.0.0.1:8474
            """)

    @Option(help: "Where to listen, as tcp://HOST:PORT or ipc://PATH.")
    var listen: String

    @Option(help: "Where to pass connections on to.")
    var connect: String

    @Option(help: "Where to serve the HTTP interface: ipc or a loopback address.")
    var api: String?

    @Option(help: "The proxy's name in the interface.")
    var name = "proxy"

    @Option(help: "Seed of the random faults: the same seed repeats them.")
    var seed: UInt64 = 1

    @Flag(help: "Print where it listens as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            do throws(ProxyProblem) {
                try ProxyRegistry.checkName(name, "--name")
            } catch {
                throw Failure(.usage, "\(error)")
            }
            let registry = ProxyRegistry(seed: seed)
            let proxy: FaultProxy
            do throws(ProxyProblem) {
                proxy = try await registry.create(
                    name, listen: try Self.endpoint(listen, "--listen"),
                    connect: try Self.endpoint(connect, "--connect"))
            } catch {
                throw Failure(error.status == 500 ? .cannotCreate : .usage, "\(error)")
            }
            try await serve(registry, proxy)
            await registry.closeAll()
        }
    }

    private func serve(_ registry: ProxyRegistry, _ proxy: FaultProxy) async throws {
        let listening = await proxy.status.listen
        guard let api else {
            say(listening, api: nil)
            return await Self.untilStopped()
        }
        let server: APIServer
        do throws(ProxyProblem) {
            server = try APIServer(
                ProxyAPI(registry: registry), at: try Self.endpoint(api, "--api"))
        } catch {
            throw Failure(.usage, "--api: \(error)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await server.run { say(listening, api: $0) }
                } catch  where !Task.isCancelled {
                    throw Failure(.cannotCreate, "--api \(server.endpoint): \(error)")
                }
            }
            group.addTask { await Self.untilStopped() }
            try await group.next()
            group.cancelAll()
        }
    }

    private func say(_ listening: Endpoint, api: Endpoint?) {
        var object: [String: JSONValue] = [
            "listen": .string(listening.description), "connect": .string(connect),
        ]
        if let api { object["api"] = .string(api.description) }
        let line =
            json
            ? String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
            : "\(listening) -> \(connect)" + (api.map { ", controlled at \($0)" } ?? "")
        print(line)
        // A reader at a pipe waits for the line.
        fflush(nil)
    }

    private static func untilStopped() async {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { return }
    }

    private static func endpoint(_ text: String, _ option: String) throws(ProxyProblem) -> Endpoint
    {
        do throws(EndpointError) {
            return try Endpoint(text)
        } catch {
            throw .badRequest("\(option): \(error)")
        }
    }
}
