import Testing

/// Rules broken on purpose: a simulator that does not notice would prove nothing. Each names the
/// checker that must notice; others may do so earlier.
@Suite("Mutations")
struct MutationTests {
    private static let seedMax: UInt64 = 2_000

    @Test("a broken rule is noticed within 2,000 seeds", arguments: Mutation.allCases)
    func noticed(mutation: Mutation) async {
        let problem = await OwnThread.run { Self.problem(mutation) }
        if let problem { Issue.record("\(problem)") }
    }

    private static func problem(_ mutation: Mutation) -> String? {
        for seed in 0..<Self.seedMax {
            let checkers = Simulation(seed: seed, mutation: mutation).checkers
            guard checkers.contains(mutation.breaks) else { continue }
            guard Simulation(seed: seed).violations.isEmpty else {
                return "seed \(seed) breaks without \(mutation) as well"
            }
            print("\(mutation): caught by \(mutation.breaks.rawValue), seed \(seed)")
            return nil
        }
        return "\(mutation.breaks) did not notice \(mutation) in \(Self.seedMax) seeds"
    }
}
