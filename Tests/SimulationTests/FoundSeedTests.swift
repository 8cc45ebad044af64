import Foundation
import Testing

/// Seeds that once failed, kept in a file and replayed in every run.
@Suite("Found seeds")
struct FoundSeedTests {
    @Test("C1-C8 hold for seeds that failed once", arguments: try FoundSeeds.all())
    func holds(seed: UInt64) {
        let simulation = Simulation(seed: seed)
        if !simulation.violations.isEmpty { Issue.record("\(simulation.report())") }
    }
}
