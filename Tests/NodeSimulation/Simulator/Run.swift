import CSimulation

/// One seed, from its first event to what the checkers say.
struct Run {
    let plan: Plan
    let ledger: Ledger
    let trace: Trace
    let jobCount: Int
    let messageCount: Int
    let virtualMilliseconds: UInt64

    init(seed: UInt64, isVerbose: Bool) throws {
        plan = Plan(seed: seed).withAccounts(of: seed)
        let scheduler = Scheduler(seed: seed, isVerbose: isVerbose)
        let start = scheduler.now
        let world = try World(plan, scheduler)
        world.prepare()
        scheduler.run(until: world.end) { world.isOver }
        // What has just ended is said by all to all.
        scheduler.run(until: scheduler.now + 5_000)
        world.count()
        world.ledger.threadCount = Int(simulation_thread_count())
        world.ledger.stuckAt = scheduler.stuckAt
        world.ledger.busiest = world.network.busiest
        world.ledger.clung = world.network.clung
        world.ledger.unacknowledged = world.network.acknowledgements.missing
        world.ledger.saidLate = world.network.acknowledgements.late
        world.ledger.unparted = world.network.partings.missing
        ledger = world.ledger
        trace = scheduler.trace
        jobCount = scheduler.jobCount
        messageCount = world.network.deliveredCount
        virtualMilliseconds = scheduler.now - start
    }

    /// The result, a line for each fact, for ``Report``.
    var lines: [String] {
        var lines = [
            "trace \(String(trace.hash, radix: 16)) of \(trace.lineCount) lines, "
                + (plan.scene.map { "scene \($0), " } ?? "")
                + "\(jobCount) jobs, \(virtualMilliseconds) ms",
            "counts \(ledger.asks.count) \(messageCount) \(virtualMilliseconds)",
        ]
        var found: [String: [String]] = [:]
        for checker in Checker.all {
            let violations = checker.violations(ledger, plan)
            found[checker.name] = violations
            lines += violations.map { "violation \(checker.name): \($0)" }
        }
        let forgeries = Forgery.tried(on: ledger, plan, besides: found)
        lines += forgeries.caught.map { "caught \($0)" } + forgeries.missed.map { "missed \($0)" }
        return lines + ["end"]
    }
}
