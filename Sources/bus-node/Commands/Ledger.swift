import ArgumentParser
import BusLab
import BusNodeKit
import ErrorBus

/// Checks the logs of `chaos-node` processes started elsewhere; for `make compose-test`.
struct Ledger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos-ledger", abstract: "Check the logs of chaos nodes.",
        shouldDisplay: false)

    @Option var topology: String
    /// The log folder of the nodes.
    @Option var folder: String
    /// The expected number of presentations.
    @Option var presentations: Int
    /// How long to wait until all are logged and none is open.
    @Option var settle = "120s"

    func run() async throws {
        try await orFail {
            let nodes = try TopologyLoader.load(topology).topology
            let limit = try Target.duration(settle, option: "--settle")
            var ledger = SharedLedger(nodes, folder: ChaosFolder(path: folder))
            let clock = ContinuousClock()
            let start = clock.now
            var counts = LedgerCounts()
            var isSettled = false
            while !isSettled, clock.now - start <= limit {
                ledger.read()
                counts = ledger.counts
                isSettled = counts.presented >= presentations && counts.isSettled
                if !isSettled { try await clock.sleep(for: .milliseconds(200)) }
            }
            let everyEndIsAnAnswer = nodes.settings.allSatisfy {
                $0.whenUnreachable == .hold && $0.deadline == nil
            }
            var violations = counts.violations(
                expected: presentations, everyEndIsAnAnswer: everyEndIsAnAnswer)
            if !isSettled { violations.append("not settled within \(settle)") }
            let lives = ledger.lifeCounts.map { "\($0.node) \($0.count)" }.joined(separator: ", ")
            let verdict = LedgerCounts.verdict(violations, "all invariants hold")
            for line in ["lives: \(lives)"] + counts.lines + verdict { print(line) }
            if !violations.isEmpty { throw ExitStatus.declined.exitCode }
        }
    }
}
