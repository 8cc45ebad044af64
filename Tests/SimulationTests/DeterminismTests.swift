import Testing

@Suite("Determinism")
struct DeterminismTests {
    @Test("a seed gives the same run, line by line", arguments: [1, 7, 42, 217, 1071])
    func sameTrace(seed: UInt64) {
        let first = Simulation(seed: seed, isTracing: true)
        let second = Simulation(seed: seed, isTracing: true)
        #expect(first.trace.count > 20)
        #expect(first.trace == second.trace)
    }

    @Test("seeds present, fail and heal: the runs are not empty")
    func notEmpty() {
        let runs = (0..<20 as Range<UInt64>).map { Simulation(seed: $0) }
        #expect(runs.reduce(0) { $0 + $1.presentedCount } > 100)
        #expect(runs.filter { !$0.plan.faults.isEmpty }.count > 10)
    }
}
