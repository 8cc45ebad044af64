import ArgumentParser
import ErrorBus
import Foundation
import Synchronization

/// Many presentations that are open at once, in front of a presenter behind relays: how long until
/// all are there, what each keeps in memory, how long until all have ended, and what is left then.
struct Storm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open many presentations at once, and print what they take.")

    @Option(help: "Presentations in all.")
    var count = 10_000
    @Option(help: "Worker nodes that present them.")
    var workers = 10
    @Option(help: "Relays between the workers and the presenter.")
    var relays = 1
    @Option(help: "Seconds after which it gives up.")
    var seconds = 60
    @Option(help: "Where the row goes as JSON.")
    var json: String?

    func validate() throws {
        for (name, value, allowed) in [
            ("count", count, 1...1_000_000), ("workers", workers, 1...1_000),
            ("relays", relays, 1...16), ("seconds", seconds, 1...3_600),
        ] where !allowed.contains(value) {
            throw ValidationError(
                "--\(name) is \(value), allowed: \(allowed.lowerBound) to \(allowed.upperBound)")
        }
    }

    func run() async throws {
        let presenter = try ServerProcess.start("central", holds: true)
        var chain = [presenter]
        for number in 1...relays {
            let next = chain[number - 1].endpoint
            chain.append(try ServerProcess.start("relay\(number)", next: next))
        }
        let servers = chain
        let row = try await limited(to: .seconds(seconds)) { try await measure(servers) }
        for server in servers.reversed() { server.stop() }
        report(row)
        if let json { try JSONEncoder().encode(row).write(to: URL(filePath: json)) }
    }

    /// - Parameter servers: The presenter first, the workers' parent last.
    private func measure(_ servers: [ServerProcess]) async throws -> StormRow {
        let (presenter, relay) = (servers[0], servers[servers.count - 1])
        let nodes = (1...workers).compactMap { NodeName("worker\($0)") }
            .map { Worker(name: $0, parent: relay.endpoint) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes { group.addTask { try await node.run() } }
            let atRest = try [presenter, relay].map { try $0.resources().bytes }
            let clock = ContinuousClock()
            let arrivals = Arrivals(awaited: count)
            let start = clock.now
            let presenting = Task { try await present(by: nodes, arrivals) }
            await arrivals.all()
            let presented = clock.now
            let open = try [presenter, relay].map { try $0.resources().bytes }
            try presenter.answerAll()
            try await presenting.value
            let ended = clock.now
            let after = try await settled([presenter, relay])
            group.cancelAll()
            return StormRow(
                count: count, relays: relays, presentedSeconds: (presented - start).inSeconds,
                endedSeconds: (ended - presented).inSeconds,
                presenterBytes: (open[0] - atRest[0]) / Double(count),
                relayBytes: (open[1] - atRest[1]) / Double(count),
                presenterLeft: after[0] / atRest[0], relayLeft: after[1] / atRest[1])
        }
    }

    private func present(by nodes: [Worker], _ arrivals: Arrivals) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let node = nodes[number % nodes.count]
                group.addTask {
                    try await node.present { state in
                        if state.station == .presented { arrivals.arrived(number) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The resident bytes some seconds later: a node gives memory back once a burst is over.
    private func settled(_ servers: [ServerProcess]) async throws -> [Double] {
        try await Task.sleep(for: .seconds(15))
        return try servers.map { try $0.resources().bytes }
    }

    private func report(_ row: StormRow) {
        let text = """
            \(row.count) open at once through \(row.relays) relays
              \(row.presentedSeconds) s until all are presented, \(row.endedSeconds) s from the \
            answer to the last end
              for each open one \(Int(row.presenterBytes)) bytes at the presenter, \
            \(Int(row.relayBytes)) at the relay
              memory afterwards \(row.presenterLeft) and \(row.relayLeft) times that before

            """
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// What ``Storm`` found.
private struct StormRow: Encodable, Sendable {
    let count: Int
    let relays: Int
    /// From the first presentation to the last one that is in front of the presenter.
    let presentedSeconds: Double
    /// From the answer to the last completion.
    let endedSeconds: Double
    /// Resident memory for each open presentation.
    let presenterBytes: Double
    let relayBytes: Double
    /// Resident memory afterwards, as a multiple of that before.
    let presenterLeft: Double
    let relayLeft: Double
}

/// The presentations that are in front of the presenter.
private final class Arrivals: Sendable {
    private let missing: Mutex<Set<Int>>
    private let gate = Gate()

    init(awaited count: Int) { missing = Mutex(Set(0..<count)) }

    func arrived(_ number: Int) {
        let isLast = missing.withLock { $0.remove(number) != nil && $0.isEmpty }
        if isLast { gate.open() }
    }

    func all() async { await gate.opened() }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
