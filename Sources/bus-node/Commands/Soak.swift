import ArgumentParser
import BusLab
import BusNodeKit
import ErrorBus

/// `bus-node soak`: a long run that searches for leaks.
struct Soak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Run a topology under load and check that it releases every resource.",
        discussion: """
            Starts every node as a process of its own, with nodes that answer in place of people, \
            and measures their memory, descriptors and tables before and after the load. Exits 1 \
            when a presentation was lost or a resource not released.

            Example: bus-node soak --topology Examples/soak/topology.yaml --minutes 1
            """)

    @Option(help: "The topology file. Its nodes must not be running.")
    var topology: String

    @Option(help: "How long the load goes on, after a warm-up.")
    var minutes = 10

    @Option(help: "Presentations a second, of all workers together.")
    var rate = 40

    @Option(help: "Seed of the link cuts: the same seed repeats them.")
    var seed: UInt64 = 1

    func run() async throws {
        try await orFail {
            try CountOption.check(minutes, option: "--minutes", in: 1...10_080)
            try CountOption.check(rate, option: "--rate", in: 1...10_000)
            let plan = try ChaosPlan(TopologyLoader.load(topology).topology, path: topology)
            try Chaos.makeFolders(for: plan)
            let folder = try ChaosFolder.make()
            Terminal.say("bus-node soak: logs in \(folder.path)")
            let run = SoakRun(
                settings: SoakSettings(
                    topology: topology, minutes: minutes, rate: rate, seed: seed),
                plan: plan, folder: folder, say: { Terminal.say("bus-node soak: \($0)") })
            let result = try await Chaos.untilInterrupted { try await run.run() }
            for line in result.lines { print(line) }
            if result.violations.isEmpty { return folder.remove() }
            Terminal.say("bus-node soak: the logs are in \(folder.path)")
            throw ExitStatus.declined.exitCode
        }
    }
}
