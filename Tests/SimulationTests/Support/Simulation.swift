@testable import ErrorBus

/// One run of one plan, checked.
struct Simulation: Sendable {
    let plan: Plan
    let violations: [Violation]
    let trace: [String]
    let presentedCount: Int
    let eventCount: Int

    var checkers: [Violation.Checker] {
        Violation.Checker.allCases.filter { checker in
            violations.contains { $0.checker == checker }
        }
    }

    init(seed: UInt64, mutation: Mutation? = nil, isTracing: Bool = false) {
        self.init(Plan(seed: seed), mutation: mutation, isTracing: isTracing)
    }

    init(_ plan: Plan, mutation: Mutation? = nil, isTracing: Bool = false) {
        self.plan = plan
        let world = World(plan, mutation: mutation, isTracing: isTracing)
        let isQuiet = world.run()
        var checker = Checker(plan)
        checker.read(world.ledger.lines)
        if world.scheduler.isRunaway {
            checker.fail(.c8Bounds, "\(world.scheduler.doneCount) events, and no end")
        }
        if !isQuiet {
            for node in world.nodes where !node.isQuiet {
                checker.fail(.c7Liveness, "\(node.name) is not done: \(node.openText)")
            }
        }
        for node in world.nodes where isQuiet && node.uplink?.isWithFirstParent == false {
            checker.fail(.c7Liveness, "\(node.name) is not back at its first parent")
        }
        for node in world.nodes {
            let remains = [
                node.downlink?.miscount(), node.uplink?.remainsAfterDraining(),
                node.downlink?.remainsAfterDraining(),
            ]
            for remains in remains.compactMap({ $0 }) {
                checker.fail(.c8Bounds, "\(node.name): \(remains)")
            }
        }
        var wayChecker = WayChecker(plan)
        wayChecker.read(world.ledger.lines)
        violations = checker.violations + wayChecker.violations
        trace = world.traceLines
        eventCount = world.scheduler.doneCount
        presentedCount = world.ledger.lines.count { line in
            if case .presented = line.fact { true } else { false }
        }
    }

    /// What to read when it failed, and how to see it again.
    func report(traceLineMax: Int = 120) -> String {
        guard let first = violations.first else { return "seed \(plan.seed): nothing broken" }
        let small = Shrinker(self, first.checker).shrunk()
        let traced = Simulation(small.plan, isTracing: true)
        let nodes = small.plan.nodes.map { node in
            "\(node.name)" + (node.parents.isEmpty ? "" : " -> \(node.parents.asHeaderField)")
        }
        var lines = ["seed \(plan.seed) broke \(first)"]
        lines += violations.dropFirst().prefix(5).map { "  also: \($0)" }
        lines.append("again: make simulate-links SEED=\(plan.seed)")
        lines.append("smaller (\(small.runCount) runs): \(nodes.joined(separator: ", "))")
        lines += small.plan.faults.map { "  fault at \($0.time): \($0.kind)" }
        lines += small.plan.presentations.map { "  presentation \($0)" }
        lines += traced.violations.prefix(3).map { "  then: \($0)" }
        let quietVerbs = ["PING", "PONG"]
        let trace = traced.trace.filter { line in !quietVerbs.contains { line.hasSuffix($0) } }
        if trace.count > traceLineMax { lines.append("trace, the last \(traceLineMax) lines:") }
        return (lines + trace.suffix(traceLineMax)).joined(separator: "\n")
    }
}
