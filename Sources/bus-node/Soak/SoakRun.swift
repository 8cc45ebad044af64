import ErrorBus
import Glibc

/// A bus of real processes under steady load, with links cut now and then: what each process holds
/// before, during and after.
struct SoakRun: Sendable {
    private static let sampleInterval: Duration = .seconds(1)
    private static let noticeInterval: Duration = .seconds(10)

    let settings: SoakSettings
    let plan: ChaosPlan
    let folder: ChaosFolder
    let say: @Sendable (String) -> Void

    struct Result: Sendable {
        let uses: [SoakUse]
        let counts: LedgerCounts
        let violations: [String]
    }

    func run() async throws -> Result {
        let links = try plan.links.enumerated().map { index, link in
            try ChaosLink(link, number: index, folder: folder.path, seed: settings.seed)
        }
        for link in links { try await link.proxy.setEnabled(true) }
        let start = ContinuousClock.now + SoakSettings.lead
        let processes = await SoakProcesses(
            plan, settings, folder, links: links, start: ChaosWorker.uptime + SoakSettings.lead)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for process in processes.processes.values { group.addTask { await process.keep() } }
            defer {
                for process in processes.processes.values { process.endNow() }
                group.cancelAll()
            }
            return try await measure(processes, links, from: start)
        }
    }

    private func measure(
        _ processes: SoakProcesses, _ links: [ChaosLink], from start: ContinuousClock.Instant
    ) async throws -> Result {
        let clock = ContinuousClock()
        var ledger = ChaosLedger(plan, folder: folder)
        say("\(plan.processes.count) processes; warming up")
        try await clock.sleep(until: start)
        let missing = plan.processes.map(\.name).filter { !folder.isReady($0) }
        guard missing.isEmpty else {
            throw Failure(
                .cannotCreate, "not up: \(missing.map(\.description).joined(separator: ", "))")
        }
        // Every link once, so that what a loss makes for the first time is made.
        for link in links { try await cut(link) }
        let loadStart = start + SoakSettings.warmUp + SoakSettings.pause
        try await clock.sleep(until: loadStart - .seconds(1))
        let before = processes.sample()
        say("\(settings.presentations(in: settings.load)) presentations in \(settings.minutes) min")
        var peak = before
        var random = SeededGenerator(seed: settings.seed, part: "soak")
        var nextCut = loadStart + SoakSettings.cutEvery
        var minute = 0
        while clock.now < loadStart + settings.load {
            try await clock.sleep(for: Self.sampleInterval)
            let samples = processes.sample()
            peak = peak.merging(samples) { $0.maximum($1) }
            if clock.now >= loadStart + .seconds(60 * (minute + 1)) {
                minute += 1
                say("\(minute) min, MiB: \(Self.memory(samples))")
            }
            ledger.read()
            if clock.now >= nextCut, let link = links.randomElement(using: &random) {
                try await cut(link)
                nextCut += SoakSettings.cutEvery
            }
        }
        say("the load is over; waiting until the bus has settled and forgotten")
        let after = try await settle(processes, &ledger)
        let counts = ledger.counts(processes.processes)
        return result(before, peak, after, counts, processes)
    }

    private static func memory(_ samples: [NodeName: ProcessSample]) -> String {
        samples.sorted { $0.key < $1.key }.map { "\($0) \($1.mebibytes)" }.joined(separator: ", ")
    }

    private func cut(_ link: ChaosLink) async throws {
        try await link.proxy.setEnabled(false)
        try await ContinuousClock().sleep(for: SoakSettings.cutLength)
        try await link.proxy.setEnabled(true)
    }

    /// Until all is presented, nothing open and every table empty, or the limit is reached.
    private func settle(
        _ processes: SoakProcesses, _ ledger: inout ChaosLedger
    ) async throws -> [NodeName: ProcessSample] {
        let clock = ContinuousClock()
        let limit = clock.now + SoakSettings.settleLimit
        let earliest = clock.now + SoakSettings.pause
        var nextNotice = earliest + Self.noticeInterval
        while true {
            try await clock.sleep(for: Self.sampleInterval)
            ledger.read()
            let samples = processes.sample()
            let isEmpty = samples.values.allSatisfy { $0.tableEntries == 0 }
            let counts = ledger.counts(processes.processes)
            let isSettled = isEmpty && counts.isSettled
            // No sooner than before the load: memory takes its time to be given back.
            if (isSettled && clock.now >= earliest) || clock.now > limit { return samples }
            if clock.now >= nextNotice {
                nextNotice += Self.noticeInterval
                let left = samples.filter { $0.value.tableEntries != 0 }.keys.sorted().map {
                    "\($0) \(samples[$0]?.tableEntries.map(String.init) ?? "?")"
                }
                say("\(counts.openAtEnd) open; entries left: \(left.joined(separator: ", "))")
            }
        }
    }

    private func result(
        _ before: [NodeName: ProcessSample], _ peak: [NodeName: ProcessSample],
        _ after: [NodeName: ProcessSample], _ counts: LedgerCounts, _ processes: SoakProcesses
    ) -> Result {
        let uses = plan.processes.map { process in
            SoakUse(
                name: process.name, before: before[process.name] ?? ProcessSample(),
                peak: peak[process.name] ?? ProcessSample(),
                after: after[process.name] ?? ProcessSample())
        }
        let expected =
            settings.presentations(in: SoakSettings.warmUp)
            + settings.presentations(in: settings.load)
        return Result(
            uses: uses, counts: counts,
            violations: uses.flatMap(\.violations)
                + counts.violations(
                    expected: expected, everyEndIsAnAnswer: plan.everyEndIsAnAnswer)
                + processes.crashes)
    }
}
