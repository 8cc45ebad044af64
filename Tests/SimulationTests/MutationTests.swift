import Testing

/// Rules broken on purpose: a simulator that does not notice would prove nothing.
@Suite("Mutations")
struct MutationTests {
    private static let seedMax: UInt64 = 2_000

    @Test("a broken rule is noticed within 2,000 seeds", arguments: Mutation.allCases)
    func noticed(mutation: Mutation) {
        for seed in 0..<Self.seedMax {
            let checkers = Simulation(seed: seed, mutation: mutation).checkers
            guard let first = checkers.first else { continue }
            #expect(Simulation(seed: seed).violations.isEmpty, "not the mutation's doing")
            if Seeds.isVerbose { print("\(mutation): seed \(seed), \(first.rawValue)") }
            return
        }
        Issue.record("\(mutation) was not noticed in \(Self.seedMax) seeds")
    }
}
