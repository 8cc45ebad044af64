import ArgumentParser
import ErrorBus
import Foundation
import Histogram

/// Starts the presenter's process, and a relay's for the second row, and measures from this one.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure, and print each row.")

    @Option(help: "Presentations one at a time.")
    var count = 20_000
    @Option(help: "Presentations before them that are not counted.")
    var warmup = 2_000
    @Option(help: "Presentations under way at once.")
    var inFlight = 1_000
    @Option(help: "Presentations in all with that many under way.")
    var pipelined = 10_000
    @Option(help: "Seconds after which a measurement ends, however many it has counted.")
    var seconds = 5
    @Option(help: "Where the rows go as JSON.")
    var json: String?

    /// How many are under way at once in the rows of the chart, each for this long at most.
    private static let windows = [1, 4, 16, 64, 256, 1_000]
    private static let windowTime = Duration.milliseconds(500)
    private static let percents: [Double] = [50, 75, 90, 95, 99, 99.9]

    /// docs/operations.md: presentations of one child.
    private static let inFlightMax = 1_024

    func validate() throws {
        for (name, value) in [
            ("count", count), ("in-flight", inFlight), ("pipelined", pipelined),
            ("seconds", seconds),
        ] where value < 1 {
            throw ValidationError("--\(name) is \(value), allowed: 1 and above")
        }
        guard warmup >= 0 else {
            throw ValidationError("--warmup is \(warmup), allowed: 0 and above")
        }
        guard inFlight <= Self.inFlightMax else {
            throw ValidationError(
                "--in-flight is \(inFlight), allowed: up to \(Self.inFlightMax), "
                    + "which is what a node takes from one child")
        }
    }

    func run() async throws {
        let central = try ServerProcess.start("central")
        let relay = try ServerProcess.start("relay", next: central.endpoint)
        var rows: [Row] = []
        for (name, servers) in [
            ("ErrorBus", [central]), ("ErrorBus with relay", [relay, central]),
        ] {
            rows.append(try await measure(name, servers))
        }
        relay.stop()
        central.stop()
        rows.append(try await measureWithKeys())
        if let json { try JSONEncoder().encode(rows).write(to: URL(filePath: json)) }
    }

    /// The first row again, over an encrypted and authenticated link.
    private func measureWithKeys() async throws -> Row {
        guard let pair = KeyPair.make() else {
            throw BenchFailure("this libzmq was built without CURVE")
        }
        let central = try ServerProcess.start("central", worker: pair.publicKey)
        defer { central.stop() }
        guard let key = central.key else { throw BenchFailure("central has no key") }
        let keys = LinkKeys(
            own: pair, known: ["central": key], parents: [central.endpoint: "central"])
        return try await measure("ErrorBus with keys", [central], keys)
    }

    /// - Parameter servers: The processes that a presentation passes, the worker's parent first.
    private func measure(
        _ name: String, _ servers: [ServerProcess], _ keys: LinkKeys? = nil
    ) async throws -> Row {
        let limit = Duration.seconds(seconds)
        let worker = Worker(parent: servers[0].endpoint, keys: keys)
        return try await worker.whileRunning {
            let warm = try await worker.oneAtATime(count: warmup + 1, limit: limit)
            let times = try await worker.oneAtATime(count: count, limit: limit)
            let before = try cpuMicroseconds(servers)
            let (ended, rate) = try await worker.manyAtATime(
                inFlight: inFlight, count: pipelined, limit: limit)
            let spent = try cpuMicroseconds(servers) - before
            var windows: [Window] = []
            for window in Self.windows {
                let (_, rate) = try await worker.manyAtATime(
                    inFlight: window, count: count, limit: Self.windowTime)
                windows.append(Window(inFlight: window, roundTripsPerSecond: rate))
            }
            let percentiles = Self.percents.map { percent in
                Percentile(
                    percent: percent,
                    microseconds: Double(times.valueAtPercentile(percent)) / 1_000)
            }
            let row = Row(
                name: name, count: Int(times.totalCount), inFlight: inFlight,
                p50Microseconds: Double(times.valueAtPercentile(50)) / 1_000,
                p99Microseconds: Double(times.valueAtPercentile(99)) / 1_000,
                roundTripsPerSecond: rate, cpuMicroseconds: spent / Double(max(ended, 1)),
                percentiles: percentiles, windows: windows)
            report(row, warm: Int(warm.totalCount))
            return row
        }
    }

    /// Of this process and the others.
    private func cpuMicroseconds(_ servers: [ServerProcess]) throws -> Double {
        try servers.reduce(try Resources().cpuMicroseconds) {
            try $0 + $1.resources().cpuMicroseconds
        }
    }

    private func report(_ row: Row, warm: Int) {
        let text = """
            \(row.name), present to completion over tcp loopback, \(row.count) presentations \
            after \(warm)
              one at a time   p50 \(row.p50Microseconds) us   p99 \(row.p99Microseconds) us
              \(row.inFlight) in flight  \(Int(row.roundTripsPerSecond)) presentations/s, \
            \(Int(row.cpuMicroseconds)) us of CPU for one in all processes

            """
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// One line of the table, with the keys that the peers write too.
struct Row: Encodable, Sendable {
    let name: String
    let count: Int
    let inFlight: Int
    let p50Microseconds: Double
    let p99Microseconds: Double
    let roundTripsPerSecond: Double
    /// For one presentation with many under way, of all processes.
    let cpuMicroseconds: Double
    let percentiles: [Percentile]
    let windows: [Window]
}

/// The time that so many of a hundred round trips do not exceed.
struct Percentile: Encodable, Sendable {
    let percent: Double
    let microseconds: Double
}

/// The rate with so many under way at once.
struct Window: Encodable, Sendable {
    let inFlight: Int
    let roundTripsPerSecond: Double
}
