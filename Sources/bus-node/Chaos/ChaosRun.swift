import ErrorBus
import Foundation
import Glibc

/// A chaos run: starts the topology's processes with a proxy on every link, causes the scheduled
/// faults, heals, waits until the bus has settled, and checks what was written down.
struct ChaosRun: Sendable {
    /// How long the processes may take to come up.
    private static let startLimit: Duration = .seconds(30)
    private static let pollInterval: Duration = .milliseconds(200)
    /// Quiet time before the first fault and the first error are due.
    private static let lead: Duration = .milliseconds(500)

    let settings: ChaosSettings
    let plan: ChaosPlan
    let schedule: FaultSchedule
    let folder: ChaosFolder
    let say: @Sendable (String) -> Void

    func run() async throws -> (result: ChaosResult, timeline: ChaosTimeline) {
        let links = try plan.links.enumerated().map { index, link in
            try ChaosLink(link, number: index, folder: folder.path, seed: settings.seed)
        }
        do {
            for link in links { try await link.proxy.setEnabled(true) }
        } catch {
            throw Failure(.cannotCreate, "proxy: \(error)")
        }
        let start = ContinuousClock.now + Self.lead
        let wallStart = Date.now.timeIntervalSince1970 + Self.lead.seconds
        let processes = await makeProcesses(links, at: ChaosWorker.uptime + Self.lead)
        var ledger = ChaosLedger(plan, folder: folder)
        let settling = try await withThrowingTaskGroup(of: Void.self) { group in
            for process in processes.values { group.addTask { await process.keep() } }
            defer {
                for process in processes.values { process.endNow() }
                group.cancelAll()
            }
            try await waitUntilUp()
            say("\(processes.count) processes are up; \(schedule.faults.count) faults to come")
            try await cause(links, processes, from: start)
            say("healed; waiting until the bus has settled")
            let settling = try await settle(&ledger, processes)
            try await end(processes)
            return settling
        }
        for link in links { try? await link.proxy.setEnabled(false) }
        // What the last moments brought, without taking going down for an open end.
        let before = ledger.counts(processes)
        ledger.read()
        var counts = ledger.counts(processes)
        counts.openAtEnd = before.openAtEnd
        counts.unsettled = before.unsettled
        let result = ChaosResult(
            settings: settings, schedule: schedule, counts: counts,
            everyEndIsAnAnswer: plan.everyEndIsAnAnswer, crashes: crashes(processes),
            settling: settling,
            killCount: processes.values.map { $0.marks.count { $0.kind == .killed } }.reduce(0, +))
        let timeline = ChaosTimeline(
            result: result, plan: plan, marks: processes.mapValues(\.marks), start: start,
            events: ledger.events, wallStart: wallStart)
        return (result, timeline)
    }

    private func makeProcesses(
        _ links: [ChaosLink], at uptime: Duration
    ) async -> [NodeName: ChaosProcess] {
        let shares = plan.shares(of: settings.presentations)
        let names = plan.processes.map(\.name)
        var processes: [NodeName: ChaosProcess] = [:]
        for (index, process) in plan.processes.enumerated() {
            var arguments = [
                "chaos-node", "--topology", settings.topology, "--node", process.name.description,
                "--folder", folder.path, "--seed", String(settings.seed), "--log-level",
                settings.logLevel, "--role", process.role.rawValue,
            ]
            for link in links where link.link.child == process.name {
                arguments += ["--parent", await link.proxy.listen.description]
            }
            if let share = shares[process.name] {
                let window = settings.duration * 9 / 10
                arguments += [
                    "--share", String(share), "--start", String(uptime.wholeMicroseconds),
                    "--window", String(window.wholeMicroseconds),
                ]
            }
            processes[process.name] = ChaosProcess(
                process.name,
                ChildProcess(
                    program: ChaosFolder.ownProgram, arguments: arguments,
                    prefix: OutputPrefix(process.name, names: names, color: index),
                    inheritsInput: false))
        }
        return processes
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

    /// Faults of one target one after the other, of all targets at once.
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

    /// Waits until everything was presented and nothing is open. Nil: not within the limit.
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

    /// Workers first, so that what is still on its way has somewhere to go.
    private func end(_ processes: [NodeName: ChaosProcess]) async throws {
        let clock = ContinuousClock()
        let limit = clock.now + ChaosProcess.farewell
        for role in [ChaosPlan.Role.worker, .relay, .presenter] {
            let group = plan.processes.filter { $0.role == role }.compactMap { processes[$0.name] }
            for process in group { process.end() }
            while clock.now < limit, group.contains(where: \.isRunning) {
                try await clock.sleep(for: .milliseconds(20))
            }
        }
    }

    private func crashes(_ processes: [NodeName: ChaosProcess]) -> [String] {
        processes.sorted { $0.key < $1.key }.flatMap { name, process in
            process.marks.filter { $0.kind == .crashed }.map {
                "\(name) went by itself: \($0.detail)"
            }
        }
    }
}
