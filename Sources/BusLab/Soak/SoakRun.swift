import BusNodeKit
import ErrorBus
import Foundation
import Glibc

/// A bus of real processes under steady load, with links cut at intervals: measures the resources
/// of each process before, during and after.
package struct SoakRun: Sendable {
    private static let sampleInterval: Duration = .seconds(1)
    private static let noticeInterval: Duration = .seconds(10)

    let settings: SoakSettings
    let plan: ChaosPlan
    let folder: ChaosFolder
    let say: @Sendable (String) -> Void

    package init(
        settings: SoakSettings, plan: ChaosPlan, folder: ChaosFolder,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.plan = plan
        self.folder = folder
        self.say = say
    }

    package struct Result: Sendable {
        let uses: [SoakUse]
        let counts: LedgerCounts
        package let violations: [String]

        /// For people.
        package var lines: [String] {
            TextTable.lines(
                uses.map(\.cells), SoakUse.titles,
                widthMax: SoakUse.titles.map { _ in 64 })
                + [
                    "\(counts.presented) presented, \(counts.completed) completed, "
                        + "\(counts.lost) lost"
                ]
                + LedgerCounts.verdict(violations, "every resource was released")
        }
    }

    package func run() async throws -> Result {
        let links = try plan.links.enumerated().map { index, link in
            try ChaosLink(link, number: index, folder: folder.path, seed: settings.seed)
        }
        for link in links { try await link.proxy.setEnabled(true) }
        let start = ContinuousClock.now + SoakSettings.lead
        let processes = await self.processes(links, start: ChaosWorker.uptime + SoakSettings.lead)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for process in processes.values { group.addTask { await process.keep() } }
            defer {
                for process in processes.values { process.endNow() }
                group.cancelAll()
            }
            return try await measure(processes, links, from: start)
        }
    }

    private func measure(
        _ processes: [NodeName: ChaosProcess], _ links: [ChaosLink],
        from start: ContinuousClock.Instant
    ) async throws -> Result {
        let clock = ContinuousClock()
        var ledger = ChaosLedger(plan, folder: folder, keepsEvents: false)
        say("\(plan.processes.count) processes; warming up")
        try await clock.sleep(until: start)
        let missing = plan.processes.map(\.name).filter { !folder.isReady($0) }
        guard missing.isEmpty else {
            throw Failure(
                .cannotCreate, "not up: \(missing.map(\.description).joined(separator: ", "))")
        }
        // Cuts every link once, so that structures made on the first loss exist.
        for link in links { try await cut(link) }
        let loadStart = start + SoakSettings.warmUp + SoakSettings.pause
        try await clock.sleep(until: loadStart - .seconds(1))
        let before = sample(processes)
        say("\(settings.presentations(in: settings.load)) presentations in \(settings.minutes) min")
        var peak = before
        var random = SeededGenerator(seed: settings.seed, part: "soak")
        var nextCut = loadStart + SoakSettings.cutEvery
        var minute = 0
        while clock.now < loadStart + settings.load
            || ledger.presentedCount < settings.presentations
                && clock.now < loadStart + settings.loadLimit
        {
            try await clock.sleep(for: Self.sampleInterval)
            let samples = sample(processes)
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
        let late = clock.now - loadStart - settings.load
        if late > SoakSettings.noticeableDelay {
            let count =
                ledger.presentedCount - settings.presentations(in: SoakSettings.warmUp)
            let rate = Double(count) / (clock.now - loadStart).seconds
            say(
                "the load took \(Int(late.seconds)) s longer than asked for: these processes "
                    + "present \(Int(rate)) a second on this machine")
        }
        say("the load is over; waiting until the bus has settled and its tables are empty")
        let after = try await settle(processes, &ledger)
        let counts = ledger.counts(processes)
        return result(before, peak, after, counts, processes)
    }

    /// - Parameter start: When the first presentation is due, on the clock of
    ///   ``ChaosWorker/uptime``.
    private func processes(
        _ links: [ChaosLink], start: Duration
    ) async -> [NodeName: ChaosProcess] {
        let warmUpShares = plan.shares(of: settings.presentations(in: SoakSettings.warmUp))
        let shares = plan.shares(of: settings.presentations(in: settings.load))
        let loadStart = start + SoakSettings.warmUp + SoakSettings.pause
        return await plan.processes(
            of: settings.topology, in: folder, links: links, seed: settings.seed,
            logLevel: "critical"
        ) { process in
            let own = [
                "--tombstone", String(SoakSettings.tombstoneMilliseconds),
                "--gives-memory-back", "--status-file", folder.statusFile(of: process.name),
            ]
            guard let warmUpShare = warmUpShares[process.name], let share = shares[process.name]
            else { return own }
            return own + [
                "--warm-up-share", String(warmUpShare),
                "--warm-up-start", String(start.wholeMicroseconds),
                "--warm-up-window", String(SoakSettings.warmUp.wholeMicroseconds),
                "--share", String(share), "--start", String(loadStart.wholeMicroseconds),
                "--window", String(settings.load.wholeMicroseconds),
            ]
        }
    }

    /// The current resources of each process. A process that is gone is missing.
    private func sample(
        _ processes: [NodeName: ChaosProcess]
    ) -> [NodeName: ProcessSample] {
        var samples: [NodeName: ProcessSample] = [:]
        for (name, process) in processes {
            guard let pid = process.marks.last(where: { $0.kind == .started })?.pid else {
                continue
            }
            samples[name] = ProcessSample(pid: pid, statusFile: folder.statusFile(of: name))
        }
        return samples
    }

    private static func memory(_ samples: [NodeName: ProcessSample]) -> String {
        samples.sorted { $0.key < $1.key }.map { "\($0) \($1.mebibytes)" }.joined(separator: ", ")
    }

    private func cut(_ link: ChaosLink) async throws {
        try await link.proxy.setEnabled(false)
        try await ContinuousClock().sleep(for: SoakSettings.cutLength)
        try await link.proxy.setEnabled(true)
    }

    /// Waits until every error was presented, none is open and every table is empty, or for the
    /// limit.
    private func settle(
        _ processes: [NodeName: ChaosProcess], _ ledger: inout ChaosLedger
    ) async throws -> [NodeName: ProcessSample] {
        let clock = ContinuousClock()
        let limit = clock.now + SoakSettings.settleLimit
        let earliest = clock.now + SoakSettings.pause
        var nextNotice = earliest + Self.noticeInterval
        while true {
            try await clock.sleep(for: Self.sampleInterval)
            ledger.read()
            let samples = sample(processes)
            if clock.now > limit { return samples }
            // Not sooner than before the load: memory is returned with a delay.
            guard clock.now >= earliest else { continue }
            let isEmpty = samples.values.allSatisfy { $0.tableEntries == 0 }
            // Counts of a million presentations take seconds.
            if isEmpty, ledger.counts(processes).isSettled { return samples }
            if clock.now >= nextNotice {
                nextNotice = clock.now + Self.noticeInterval
                let counts = ledger.counts(processes)
                let left = samples.filter { $0.value.tableEntries != 0 }.keys.sorted().map {
                    "\($0) \(samples[$0]?.tableEntries.map(String.init) ?? "?")"
                }
                say("\(counts.openAtEnd) open; entries left: \(left.joined(separator: ", "))")
            }
        }
    }

    private func result(
        _ before: [NodeName: ProcessSample], _ peak: [NodeName: ProcessSample],
        _ after: [NodeName: ProcessSample], _ counts: LedgerCounts,
        _ processes: [NodeName: ChaosProcess]
    ) -> Result {
        let uses = plan.processes.map { process in
            SoakUse(
                name: process.name, before: before[process.name] ?? ProcessSample(),
                peak: peak[process.name] ?? ProcessSample(),
                after: after[process.name] ?? ProcessSample())
        }
        return Result(
            uses: uses, counts: counts,
            violations: uses.flatMap(\.violations)
                + counts.violations(
                    expected: settings.presentations, everyEndIsAnAnswer: plan.everyEndIsAnAnswer)
                + processes.crashes)
    }
}

/// The settings of a soak, and its fixed times.
package struct SoakSettings: Sendable {
    /// From the start of the processes to the first presentation.
    static let lead: Duration = .seconds(10)
    /// The same load as later, for long enough that bounded structures have reached their bounds.
    static let warmUp: Duration = .seconds(60)
    /// From the warm-up to the measurement that the end is compared with.
    static let pause: Duration = .seconds(35)
    /// From one cut of a link to the next.
    static let cutEvery: Duration = .seconds(15)
    static let cutLength: Duration = .seconds(2)
    /// How long the bus may take after the load to settle and to forget results.
    static let settleLimit: Duration = .seconds(120)
    /// How late a load may end without a word about it.
    static let noticeableDelay: Duration = .seconds(5)
    /// How long results are remembered: the usual ten minutes would outlast a short load. Much
    /// longer than a link is cut, as in production: a child that forgot its result while the link
    /// was cut would get its answer again for minutes.
    static let tombstoneMilliseconds = 20_000

    let topology: String
    let minutes: Int
    /// Presentations a second, of all workers together.
    let rate: Int
    let seed: UInt64

    package init(topology: String, minutes: Int, rate: Int, seed: UInt64) {
        self.topology = topology
        self.minutes = minutes
        self.rate = rate
        self.seed = seed
    }

    var load: Duration { .seconds(minutes * 60) }

    /// How long a load may take at a machine that is slower than ``rate``.
    var loadLimit: Duration { load * 2 }

    /// All presentations, those of the warm-up included.
    var presentations: Int { presentations(in: Self.warmUp) + presentations(in: load) }

    func presentations(in time: Duration) -> Int { Int(time.components.seconds) * rate }
}

/// The resources of one process of a soak: before the load, at most, and afterwards.
struct SoakUse: Hashable, Sendable {
    /// The share by which memory may have grown.
    static let growthMax = 0.1

    let name: NodeName
    let before: ProcessSample
    let peak: ProcessSample
    let after: ProcessSample

    /// The exceeded limits, a sentence each.
    var violations: [String] {
        var found: [String] = []
        let limit = Double(before.residentBytes) * (1 + Self.growthMax)
        if Double(after.residentBytes) > limit {
            found.append("\(name): memory grew by \(growth), allowed: 10 %")
        }
        if after.descriptors > before.descriptors {
            found.append(
                "\(name): \(after.descriptors) descriptors, \(before.descriptors) before")
        }
        if after.tableEntries != 0 {
            let left = after.tableEntries.map(String.init) ?? "unknown"
            found.append("\(name): entries left in its tables: \(left)")
        }
        return found
    }

    private var growth: String {
        let part = Double(after.residentBytes) / Double(max(1, before.residentBytes)) - 1
        return "\((part * 1_000).rounded() / 10) %"
    }

    static let titles = [
        "NODE", "MIB BEFORE", "PEAK", "AFTER", "CHANGE", "FDS BEFORE", "PEAK", "AFTER",
        "ENTRIES PEAK", "AFTER",
    ]

    var cells: [String] {
        [
            name.description, before.mebibytes, peak.mebibytes, after.mebibytes,
            growth, String(before.descriptors), String(peak.descriptors),
            String(after.descriptors), peak.tableEntries.map(String.init) ?? "-",
            after.tableEntries.map(String.init) ?? "-",
        ]
    }
}

/// The resources of one process at one moment, from the kernel and from its status file.
struct ProcessSample: Hashable, Sendable {
    /// Resident memory, in bytes.
    var residentBytes = 0
    var descriptors = 0
    /// Entries of its tables; nil before its first status file.
    var tableEntries: Int?

    /// Nil when there is no such process.
    init?(pid: pid_t, statusFile: String) {
        let folder = "/proc/\(pid)"
        guard let text = try? String(contentsOfFile: "\(folder)/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
        else { return nil }
        residentBytes = pages * sysconf(Int32(_SC_PAGESIZE))
        descriptors = names.count
        tableEntries = StatusFile.entryCount(in: statusFile)
    }

    init() {}

    /// Resident memory in MiB with one digit.
    var mebibytes: String { "\((Double(residentBytes) / 1_048_576 * 10).rounded() / 10)" }

    /// The larger of each value.
    func maximum(_ other: ProcessSample) -> ProcessSample {
        var both = self
        both.residentBytes = max(residentBytes, other.residentBytes)
        both.descriptors = max(descriptors, other.descriptors)
        both.tableEntries = [tableEntries, other.tableEntries].compactMap(\.self).max()
        return both
    }
}
