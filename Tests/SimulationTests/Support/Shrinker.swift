/// Makes a failing plan smaller: drops faults and presentations and calms the network for as long
/// as the same checker still fails.
struct Shrinker {
    private let checker: Violation.Checker
    private let runMax: Int
    private(set) var plan: Plan
    private(set) var runCount = 0

    init(_ simulation: Simulation, _ checker: Violation.Checker, runMax: Int = 100) {
        self.checker = checker
        self.runMax = runMax
        plan = simulation.plan
    }

    func shrunk() -> Shrinker {
        var copy = self
        copy.shrink()
        return copy
    }

    private mutating func shrink() {
        _ = tryWith { $0.profile.replay = 0 }
        _ = tryWith { $0.profile.duplication = 0 }
        _ = tryWith { $0.profile.loss = 0 }
        dropAll(\.faults)
        dropAll(\.presentations)
        dropAll(\.faults)
        _ = tryWith { $0.profile.delayMean = 1 }
        _ = tryWith { $0.profile.ownOption = 0 }
        _ = tryWith { $0.profile.withheld = 0 }
    }

    /// Large parts first, then one by one.
    private mutating func dropAll<T>(_ path: WritableKeyPath<Plan, [T]>) {
        var size = max(1, plan[keyPath: path].count / 2)
        while runCount < runMax {
            var start = 0
            while start < plan[keyPath: path].count, runCount < runMax {
                let end = min(start + size, plan[keyPath: path].count)
                let isDropped = tryWith { $0[keyPath: path].removeSubrange(start..<end) }
                if !isDropped { start = end }
            }
            if size == 1 { return }
            size /= 2
        }
    }

    private mutating func tryWith(_ change: (inout Plan) -> Void) -> Bool {
        guard runCount < runMax else { return false }
        var smaller = plan
        change(&smaller)
        runCount += 1
        guard Simulation(smaller).checkers.contains(checker) else { return false }
        plan = smaller
        return true
    }
}
