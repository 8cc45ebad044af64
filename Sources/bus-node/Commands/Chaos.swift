import ArgumentParser
import BusLab
import BusNodeKit
import ErrorBus
import Foundation
import OrderedCollections
import UnixSignals

/// `bus-node chaos`: runs a topology under faults and checks its ledger.
struct Chaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Run a topology under faults and check that nothing was lost or doubled.",
        discussion: """
            Starts every node of the topology as a process of its own, with a fault proxy on \
            every link and an automatic presenter in place of those configured. The leaves \
            present N errors while links fail and processes die by a schedule made from the seed. \
            Then all faults end, the bus settles, and the logs of all processes are checked. \
            Rules apply, but their commands are not run, and a topology whose rules route errors \
            is refused. Exits 0 only when all invariants hold, else 1; 78 when the topology is not \
            usable for a chaos run.

            Example: bus-node chaos --topology Examples/chaos/topology.yaml --seed 7 \
            --duration 30s --presentations 1000 --svg chaos.svg
            """)

    @Option(help: "The topology file. Its nodes must not be running.")
    var topology: String

    @Option(
        help: "The same seed repeats the same schedule; when not given, one is chosen and printed.")
    var seed: UInt64?

    @Option(help: "How long faults and presentations go on, as in 30s.")
    var duration = "30s"

    @Option(help: "How many errors the leaves present together.")
    var presentations = 300

    @Option(
        help: """
            Only these faults, as a list: \(ChaosFault.allowed). By default, and for all: all \
            but corrupt and kill-presenter, which have to be named.
            """)
    var faults: String?

    @Option(help: "How long the bus may take to settle after the last fault.")
    var settle = "90s"

    @Flag(help: "Print the counts as JSON.")
    var json = false

    @Option(help: "Draw the run into this file, as SVG.")
    var svg: String?

    @Flag(help: "Keep the processes' logs, as after a failure, and print their folder.")
    var keep = false

    @Option(help: "What the processes log: trace, debug, info, notice, warning, error, critical.")
    var logLevel = "critical"

    func run() async throws {
        try await orFail {
            let settings = try settings()
            let loaded = try TopologyLoader.load(topology)
            let plan = try ChaosPlan(loaded.topology, path: topology)
            let schedule = FaultSchedule(
                seed: settings.seed, duration: settings.duration, plan: plan,
                faults: settings.faults)
            for name in plan.killable(settings.faults).spared {
                say(
                    "\(name) presents and has no journal: killed, it would lose its decisions, "
                        + "so it is spared; --faults kill-presenter,... includes it")
            }
            try Self.makeFolders(for: plan)
            let folder = try ChaosFolder.make()
            say("seed \(settings.seed), logs in \(folder.path)")
            let run = ChaosRun(
                settings: settings, plan: plan, schedule: schedule, folder: folder,
                say: { Terminal.say("bus-node chaos: \($0)") })
            let (result, timeline) = try await Self.untilInterrupted { try await run.run() }
            try conclude(result, timeline, folder)
        }
    }

    private func settings() throws -> ChaosSettings {
        try CountOption.check(presentations, option: "--presentations", in: 1...1_000_000)
        let duration = try Target.duration(duration, option: "--duration")
        guard duration >= .seconds(1), duration <= .seconds(86_400) else {
            throw Failure(.usage, "--duration: found \"\(self.duration)\", allowed: 1s to 1d")
        }
        return ChaosSettings(
            topology: topology, seed: seed ?? .random(in: 1...9_999_999), duration: duration,
            presentations: presentations,
            faults: try faults.map { text throws(Failure) in try ChaosFault.read(text) }
                ?? ChaosFault.standard,
            settleLimit: try Target.duration(settle, option: "--settle"), logLevel: logLevel)
    }

    /// Creates the folders of the sockets.
    static func makeFolders(for plan: ChaosPlan) throws {
        for endpoint in plan.processes.flatMap(\.settings.listen) {
            guard case .ipc(let path) = endpoint.address else { continue }
            let folder = (path as NSString).deletingLastPathComponent
            if folder.isEmpty { continue }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
    }

    private func conclude(
        _ result: ChaosResult, _ timeline: ChaosTimeline, _ folder: ChaosFolder
    ) throws {
        if json {
            try StandardOutput.print(result.json)
        } else {
            try StandardOutput.print(result.table)
        }
        let holds = result.violations.isEmpty
        if holds, !keep { folder.remove() } else { say("the logs are in \(folder.path)") }
        if !holds, json { for violation in result.violations { say(violation) } }
        // Last, so that a picture that cannot be written hides nothing of the result.
        try draw(timeline, holds: holds)
        if !holds { throw ExitStatus.declined.exitCode }
    }

    private func draw(_ timeline: ChaosTimeline, holds: Bool) throws(Failure) {
        guard let svg else { return }
        do {
            try timeline.svg.write(toFile: svg, atomically: true, encoding: .utf8)
        } catch {
            let text = "--svg \(svg): cannot be written"
            guard !holds else { throw Failure(.cannotCreate, text) }
            say(text)
        }
    }

    private func say(_ text: String) { Terminal.say("bus-node chaos: \(text)") }

    /// SIGINT and SIGTERM cancel the work, which ends its processes on the way out.
    static func untilInterrupted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { break }
                return nil
            }
            guard let value = try await group.next() else { throw CancellationError() }
            group.cancelAll()
            while (try? await group.next()) != nil {}
            guard let value else { throw Failure(.temporaryFailure, "interrupted") }
            return value
        }
    }
}
