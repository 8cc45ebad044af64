import Foundation
import Testing

/// Seeds that once failed, kept in a file and replayed in every run.
@Suite("Found seeds")
struct FoundSeedTests {
    @Test("C1-C10 hold for seeds that failed once", arguments: try FoundSeeds.all())
    func holds(seed: UInt64) async {
        let report = await OwnThread.run {
            let simulation = Simulation(seed: seed)
            return simulation.violations.isEmpty ? nil : simulation.report()
        }
        if let report { Issue.record("\(report)") }
    }
}
