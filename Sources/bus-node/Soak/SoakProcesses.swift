import ErrorBus
import Glibc

/// The processes of a soak, started and watched.
struct SoakProcesses: Sendable {
    let plan: ChaosPlan
    let settings: SoakSettings
    let folder: ChaosFolder
    let processes: [NodeName: ChaosProcess]

    /// - Parameter start: When the first presentation is due, on the clock of
    ///   ``ChaosWorker/uptime``.
    init(
        _ plan: ChaosPlan, _ settings: SoakSettings, _ folder: ChaosFolder, links: [ChaosLink],
        start: Duration
    ) async {
        self.plan = plan
        self.settings = settings
        self.folder = folder
        let warmUpShares = plan.shares(of: settings.presentations(in: SoakSettings.warmUp))
        let shares = plan.shares(of: settings.presentations(in: settings.load))
        let loadStart = start + SoakSettings.warmUp + SoakSettings.pause
        var processes: [NodeName: ChaosProcess] = [:]
        for (index, process) in plan.processes.enumerated() {
            var arguments = [
                "chaos-node", "--topology", settings.topology, "--node", process.name.description,
                "--folder", folder.path, "--seed", String(settings.seed), "--role",
                process.role.rawValue, "--log-level", "critical",
                "--tombstone", String(SoakSettings.tombstoneMilliseconds),
                "--gives-memory-back", "--status-file", folder.statusFile(of: process.name),
            ]
            for link in links where link.link.child == process.name {
                arguments += ["--parent", await link.proxy.listen.description]
            }
            if let warmUpShare = warmUpShares[process.name], let share = shares[process.name] {
                arguments += [
                    "--warm-up-share", String(warmUpShare),
                    "--warm-up-start", String(start.wholeMicroseconds),
                    "--warm-up-window", String(SoakSettings.warmUp.wholeMicroseconds),
                    "--share", String(share), "--start", String(loadStart.wholeMicroseconds),
                    "--window", String(settings.load.wholeMicroseconds),
                ]
            }
            processes[process.name] = ChaosProcess(
                process.name,
                ChildProcess(
                    program: ChaosFolder.ownProgram, arguments: arguments,
                    prefix: OutputPrefix(
                        process.name, names: plan.processes.map(\.name), color: index),
                    inheritsInput: false))
        }
        self.processes = processes
    }

    /// What each holds now. A process that is not there is missing.
    func sample() -> [NodeName: ProcessSample] {
        var samples: [NodeName: ProcessSample] = [:]
        for (name, process) in processes {
            guard let pid = process.marks.last(where: { $0.kind == .started })?.pid else {
                continue
            }
            samples[name] = ProcessSample(pid: pid, statusFile: folder.statusFile(of: name))
        }
        return samples
    }

    /// Those that went by themselves.
    var crashes: [String] {
        processes.sorted { $0.key < $1.key }.flatMap { name, process in
            process.marks.filter { $0.kind == .crashed }.map {
                "\(name) went by itself: \($0.detail)"
            }
        }
    }
}
