import Testing

@Suite("Determinism")
struct DeterminismTests {
    @Test("a seed gives the same run, line by line", arguments: [1, 7, 42, 217, 1071])
    func sameTrace(seed: UInt64) async {
        let traces = await OwnThread.run {
            [1, 2].map { _ in Simulation(seed: seed, isTracing: true).trace }
        }
        #expect(traces[0].count > 20)
        #expect(traces[0] == traces[1])
    }

    @Test("seeds present, fail and heal: the runs are not empty")
    func notEmpty() async {
        let runs = await OwnThread.run {
            (0..<20 as Range<UInt64>).map { seed in
                let run = Simulation(seed: seed)
                return (presented: run.presentedCount, isFaulty: !run.plan.faults.isEmpty)
            }
        }
        #expect(runs.reduce(0) { $0 + $1.presented } > 100)
        #expect(runs.filter(\.isFaulty).count > 10)
    }
}
