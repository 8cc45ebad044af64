import ArgumentParser
import ErrorBus
import Foundation

/// Many presentations that are open at once, in front of a presenter behind relays: how long until
/// all are there, what each keeps in memory, how long until all have ended, and what is left then.
struct Storm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open many presentations at once, and print what they take.")

    /// How long the nodes may take to give memory back, and how near they come to what they had.
    private static let patience = Duration.seconds(15)
    private static let nearRest = 1.2
    /// A burst is over after a second, which a node notices with its next ping at the latest.
    private static let longestPause = Duration.seconds(6)

    @Option(help: "Presentations in all.")
    var count = 10_000
    @Option(help: "Worker nodes for each 10000 of them.")
    var workers = 10
    @Option(help: "Relays between the workers and the presenter.")
    var relays = 1
    @Option(help: "Seconds after which it gives up.")
    var seconds = 60
    @Option(help: "The name of the row.")
    var name = "storm"
    @Option(help: "Where the row goes as JSON.")
    var json: String?

    func validate() throws {
        try checkRanges(
            ("count", count, 1...1_000_000), ("workers", workers, 1...1_000),
            ("relays", relays, 1...16), ("seconds", seconds, 1...3_600))
    }

    func run() async throws {
        // The last eighth of its room a node keeps for children that have few.
        let room = count + count / 5
        let presenter = try ServerProcess.start("central", holds: true, maxOpen: room)
        var chain = [presenter]
        for number in 1...relays {
            let next = chain[number - 1].endpoint
            chain.append(try ServerProcess.start("relay\(number)", next: next, maxOpen: room))
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
        let loads = try Loads(count, workers: workers, parent: relay.endpoint)
        defer { loads.stop() }
        let atRest = try [presenter, relay].map { try $0.resources().bytes }
        let clock = ContinuousClock()
        let start = clock.now
        try loads.begin()
        try loads.expect("presented")
        let presented = clock.now
        let open = try [presenter, relay].map { try $0.resources().bytes }
        try presenter.answerAll()
        try loads.expect("ended")
        let ended = clock.now
        let after = try await settled([presenter, relay], atRest: atRest)
        return StormRow(
            name: name, count: count, relays: relays,
            presentedSeconds: (presented - start).inSeconds,
            endedSeconds: (ended - presented).inSeconds,
            presenterBytes: (open[0] - atRest[0]) / Double(count),
            relayBytes: (open[1] - atRest[1]) / Double(count),
            presenterLeft: after[0] / atRest[0], relayLeft: after[1] / atRest[1])
    }

    /// The resident bytes once the nodes have given the memory of the burst back: near those at
    /// rest and not falling for a second, or not falling for longer than a node waits before it
    /// gives any back.
    private func settled(_ servers: [ServerProcess], atRest: [Double]) async throws -> [Double] {
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        var least = try servers.map { try $0.resources().bytes }
        var steadySince = clock.now
        while clock.now < end {
            try await Task.sleep(for: .milliseconds(50))
            let bytes = try servers.map { try $0.resources().bytes }
            if zip(bytes, least).contains(where: { $0 < $1 }) { steadySince = clock.now }
            least = zip(bytes, least).map { min($0, $1) }
            let isNear = zip(bytes, atRest).allSatisfy { $0 <= $1 * Self.nearRest }
            if clock.now - steadySince >= (isNear ? .seconds(1) : Self.longestPause) { break }
        }
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
    let name: String
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

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
