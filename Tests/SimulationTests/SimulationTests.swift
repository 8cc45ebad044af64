import Testing

/// The whole bus under faults: every chunk is a run of seeds, each a world of its own.
@Suite("Simulation")
struct SimulationTests {
    @Test("F8 F9 F12 F13 F15 F16 F17 F20 C1-C10 hold for every seed", arguments: Seeds.chunks)
    func promises(seeds: Range<UInt64>) async {
        let report = await OwnThread.run { Self.firstReport(seeds) }
        if let report { Issue.record("\(report)") }
    }

    private static func firstReport(_ seeds: Range<UInt64>) -> String? {
        for seed in seeds {
            let simulation = Simulation(seed: seed)
            if Seeds.isVerbose {
                print("seed \(seed): \(simulation.eventCount) events", simulation.violations)
            }
            if !simulation.violations.isEmpty { return simulation.report() }
        }
        return nil
    }
}
