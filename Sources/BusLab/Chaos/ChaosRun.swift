import BusNodeKit
package import ErrorBus
import Foundation
import Glibc

/// A chaos run: starts the topology's processes with a proxy on every link, causes the scheduled
/// faults, heals, waits until the bus has settled, and checks the logs.
package struct ChaosRun: Sendable {
    /// How long the processes may take to start.
    private static let startLimit: Duration = .seconds(30)
    private static let pollInterval: Duration = .milliseconds(200)
    /// The quiet time before the first fault and the first error.
    private static let lead: Duration = .milliseconds(500)

    let settings: ChaosSettings
    let plan: ChaosPlan
    let schedule: FaultSchedule
    let folder: ChaosFolder
    let say: @Sendable (String) -> Void

    package init(
        settings: ChaosSettings, plan: ChaosPlan, schedule: FaultSchedule, folder: ChaosFolder,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.plan = plan
        self.schedule = schedule
        self.folder = folder
        self.say = say
    }

    package func run() async throws -> (result: ChaosResult, timeline: ChaosTimeline) {
        let links = try plan.links.enumerated().map { index, link in
            try ChaosLink(link, number: index, folder: folder.path, seed: settings.seed)
        }
        do {
            for link in links { try await link.proxy.setEnabled(true) }
        } catch {
            throw Failure(.cannotCreate, "proxy: \(error)")
        }
        let shares = plan.shares(of: settings.presentations)
        let window = settings.duration * 9 / 10
        let processes = await plan.processes(
            of: settings.topology, in: folder, links: links, seed: settings.seed,
            logLevel: settings.logLevel
        ) { process in
            guard let share = shares[process.name] else { return [] }
            return ["--share", String(share), "--window", String(window.wholeMicroseconds)]
        }
        var ledger = ChaosLedger(plan, folder: folder, keepsEvents: true)
        // Decided once all processes are up: a fault before that means nothing.
        var start = ContinuousClock.now
        var wallStart = 0.0
        let settling = try await withThrowingTaskGroup(of: Void.self) { group in
            for process in processes.values { group.addTask { await process.keep() } }
            defer {
                for process in processes.values { process.endNow() }
                group.cancelAll()
            }
            try await waitUntilUp()
            start = ContinuousClock.now + Self.lead
            wallStart = Date.now.timeIntervalSince1970 + Self.lead.seconds
            try folder.begin(at: ChaosWorker.uptime + Self.lead)
            say("\(processes.count) processes are up; \(schedule.faultCount) scheduled")
            try await cause(links, processes, from: start)
            say("healed; waiting until the bus has settled")
            let settling = try await settle(&ledger, processes)
            try await end(processes)
            return settling
        }
        for link in links { try? await link.proxy.setEnabled(false) }
        // Read before the shutdown, so that the shutdown does not count as an open end.
        let before = ledger.counts(processes)
        ledger.read()
        var counts = ledger.counts(processes)
        counts.openAtEnd = before.openAtEnd
        counts.unsettled = before.unsettled
        let result = ChaosResult(
            settings: settings, schedule: schedule, counts: counts,
            everyEndIsAnAnswer: plan.everyEndIsAnAnswer, crashes: processes.crashes,
            settling: settling,
            killCount: processes.values.map { $0.marks.count { $0.kind == .killed } }.reduce(0, +))
        let timeline = ChaosTimeline(
            result: result, plan: plan, marks: processes.mapValues(\.marks), start: start,
            events: ledger.events, wallStart: wallStart)
        return (result, timeline)
    }

    private func waitUntilUp() async throws {
        let clock = ContinuousClock()
        let limit = clock.now + Self.startLimit
        while clock.now < limit {
            if plan.processes.allSatisfy({ folder.isReady($0.name) }) { return }
            try await clock.sleep(for: .milliseconds(50))
        }
        let missing = plan.processes.map(\.name).filter { !folder.isReady($0) }
        throw Failure(
            .cannotCreate,
            "not up within \(Self.startLimit): "
                + missing.map(\.description).joined(separator: ", ")
        )
    }

    /// Causes the faults of one target in sequence, of different targets in parallel.
    private func cause(
        _ links: [ChaosLink], _ processes: [NodeName: ChaosProcess],
        from start: ContinuousClock.Instant
    ) async throws {
        let clock = ContinuousClock()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (target, faults) in Dictionary(grouping: schedule.faults, by: \.target) {
                group.addTask {
                    for fault in faults.sorted(by: { $0.start < $1.start }) {
                        try await clock.sleep(until: start + fault.start)
                        try await begin(fault, on: target, links, processes)
                        try await clock.sleep(until: start + fault.end)
                        try await end(fault, on: target, links, processes)
                    }
                }
            }
            group.addTask { try await clock.sleep(until: start + settings.duration) }
            try await group.waitForAll()
        }
    }

    private func begin(
        _ fault: ScheduledFault, on target: String, _ links: [ChaosLink],
        _ processes: [NodeName: ChaosProcess]
    ) async throws {
        switch fault.action {
        case .kill: process(target, processes)?.kill()
        case .stop: process(target, processes)?.suspend()
        case .down, .toxics:
            for link in links where link.link.name == target { try await link.begin(fault) }
        }
    }

    private func end(
        _ fault: ScheduledFault, on target: String, _ links: [ChaosLink],
        _ processes: [NodeName: ChaosProcess]
    ) async throws {
        switch fault.action {
        case .kill: process(target, processes)?.revive()
        case .stop: process(target, processes)?.resume()
        case .down, .toxics:
            for link in links where link.link.name == target { try await link.end(fault) }
        }
    }

    private func process(
        _ name: String, _ processes: [NodeName: ChaosProcess]
    ) -> ChaosProcess? {
        NodeName(name).flatMap { processes[$0] }
    }

    /// Waits until every error was presented and none is open. Nil when the limit passes first.
    private func settle(
        _ ledger: inout ChaosLedger, _ processes: [NodeName: ChaosProcess]
    ) async throws -> Duration? {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            ledger.read()
            let counts = ledger.counts(processes)
            if counts.presented >= settings.presentations, counts.isSettled {
                return clock.now - start
            }
            if clock.now - start > settings.settleLimit { return nil }
            try await clock.sleep(for: Self.pollInterval)
        }
    }

    /// Workers first, so that messages on their way still have a receiver.
    private func end(_ processes: [NodeName: ChaosProcess]) async throws {
        let clock = ContinuousClock()
        for role in [ChaosPlan.Role.worker, .relay, .presenter] {
            let group = plan.processes.filter { $0.role == role }.compactMap { processes[$0.name] }
            for process in group { process.end() }
            let limit = clock.now + ChaosProcess.farewell
            while clock.now < limit, group.contains(where: \.isRunning) {
                try await clock.sleep(for: .milliseconds(20))
            }
            for process in group { process.endOverdue() }
        }
    }
}

/// A link of the topology with the proxy in it.
struct ChaosLink: Sendable {
    let link: ChaosPlan.Link
    let proxy: FaultProxy

    /// - Parameter folder: The folder of unix sockets.
    init(_ link: ChaosPlan.Link, number: Int, folder: String, seed: UInt64) throws {
        self.link = link
        let text =
            switch link.target.address {
            case .tcp: "tcp://127.0.0.1:*"
            case .ipc: "ipc://\(folder)/link-\(number)"
            }
        proxy = try FaultProxy(
            link.name, listen: Endpoint(text), connect: link.target,
            seed: SeededGenerator.seed(seed, part: link.name))
    }

    func begin(_ fault: ScheduledFault) async throws {
        switch fault.action {
        case .down: try await proxy.setEnabled(false)
        case .toxics(let toxics):
            for toxic in toxics { try await proxy.add(toxic) }
            if toxics.contains(where: \.effect.needsNewConnection) {
                try await proxy.setEnabled(false)
                try await proxy.setEnabled(true)
            }
        case .kill, .stop: break
        }
    }

    func end(_ fault: ScheduledFault) async throws {
        switch fault.action {
        case .down: try await proxy.setEnabled(true)
        case .toxics(let toxics):
            for toxic in toxics { try await proxy.removeToxic(toxic.name) }
        case .kill, .stop: break
        }
    }
}

/// The result of a chaos run.
package struct ChaosResult: Sendable {
    let settings: ChaosSettings
    let schedule: FaultSchedule
    let counts: LedgerCounts
    let everyEndIsAnAnswer: Bool
    /// Processes that ended by themselves, or not in order, a sentence each.
    let crashes: [String]
    /// The time from the last fault until the bus had settled; nil: it did not within the limit.
    let settling: Duration?
    let killCount: Int

    /// The violated invariants, a sentence each; empty when all hold.
    package var violations: [String] {
        var found = counts.violations(
            expected: settings.presentations, everyEndIsAnAnswer: everyEndIsAnAnswer)
        if settling == nil { found.append("not settled within \(settings.settleLimit)") }
        return found + crashes
    }

    package var json: JSONValue {
        var object: [String: JSONValue] = ["seed": .integer(Int64(bitPattern: settings.seed))]
        for row in counts.rows { object[row.name] = .integer(Int64(row.count)) }
        object["schedule"] = .object(
            Dictionary(
                uniqueKeysWithValues: schedule.counts.map {
                    ($0.fault.rawValue, .integer(Int64($0.count)))
                }))
        object["faults"] = .integer(Int64(schedule.faults.count))
        object["kills"] = .integer(Int64(killCount))
        object["crashes"] = .integer(Int64(crashes.count))
        object["durationSeconds"] = .number(settings.duration.seconds)
        object["settleSeconds"] = settling.map { .number($0.seconds) } ?? .null
        object["holds"] = .bool(violations.isEmpty)
        object["violations"] = .array(violations.map { .string($0) })
        return .object(object)
    }

    /// For people, a line each.
    package var table: [String] {
        let faults = schedule.counts.map { "\($0.fault.rawValue) \($0.count)" }
            .joined(separator: ", ")
        var lines = [
            "seed \(settings.seed), \(settings.duration), "
                + "\(schedule.faultCount): \(faults)"
        ]
        lines += counts.lines
        if let settling {
            lines.append("settled \(settling.formatted()) after the last fault")
        }
        return lines + LedgerCounts.verdict(violations, "all invariants hold")
    }
}

extension Duration {
    /// Seconds with one digit.
    fileprivate func formatted() -> String {
        "\((seconds * 10).rounded() / 10) s"
    }
}
