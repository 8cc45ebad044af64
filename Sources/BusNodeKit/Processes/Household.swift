package import ErrorBus
import Foundation
import Glibc
import Synchronization
import UnixSignals

/// The child processes of `up`, which starts, watches, restarts and stops them.
package final class Household: Sendable {
    /// The pause before a restart: doubled each time up to the maximum, and back to the minimum
    /// once the node has stayed up for the maximum.
    private static let pauseMin: Duration = .milliseconds(250)
    private static let pauseMax: Duration = .seconds(10)
    /// The time that a node may take to shut down before it is killed: longer than the 5 s after
    /// which its shutdown is cut off, and the 2 s of its programs.
    private static let farewell: Duration = .seconds(8)

    private let names: [NodeName]
    private let topology: String
    private let logLevel: String
    private let interactive: NodeName?
    private let readyFile: String?
    private let program: String
    private let readyFolder: String

    package init(
        names: [NodeName], topology: String, logLevel: String, interactive: NodeName?,
        readyFile: String?
    ) throws(Failure) {
        self.names = names
        self.topology = topology
        self.logLevel = logLevel
        self.interactive = interactive
        self.readyFile = readyFile
        program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        let folder = FileManager.default.temporaryDirectory.path
        // Owned by this user alone: others may write into the folder around it.
        var template = Array("\(folder)/bus-node-up-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(.cannotCreate, "\(folder): \(String(cString: strerror(errno)))")
        }
        readyFolder = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func run() async throws {
        defer {
            try? FileManager.default.removeItem(atPath: readyFolder)
            ServiceNotification.ended(file: readyFile)
        }
        let hangup = Hangup()
        // Trapped before the first child starts.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [self] in
                await withTaskGroup(of: Void.self) { group in
                    for (index, name) in names.enumerated() {
                        group.addTask { await self.keep(name, color: index) }
                    }
                }
                return true
            }
            group.addTask {
                await self.announceReady(); return false
            }
            group.addTask {
                await self.waitForStop(signals, hangup); return true
            }
            for await isOver in group where isOver { break }
            isStopping.store(true, ordering: .releasing)
            for child in running.withLock({ Array($0.values) }) { kill(child, SIGTERM) }
            group.cancelAll()
        }
        let gaveUp = self.gaveUp.withLock { $0 }
        if gaveUp.count == names.count {
            let reasons = Set(gaveUp.values)
            let only = reasons.count == 1 ? reasons.first : nil
            throw Failure(only ?? .badConfiguration, "no node can run")
        }
    }

    private func waitForStop(_ signals: UnixSignalsSequence, _ hangup: Hangup) async {
        for await signal in signals {
            guard signal == .sighup, !hangup.isTerminalClosed else { return }
            for child in running.withLock({ Array($0.values) }) { kill(child, SIGHUP) }
        }
    }

    private let running = Mutex<[NodeName: pid_t]>([:])
    private let isStopping = Atomic(false)
    /// Whether nodes still report that they are up. Once all are, a restarted node writes no ready
    /// file: a cleaned folder for temporary files must not keep it from starting.
    private let isStarting = Atomic(true)
    /// The nodes that have reported that they are up.
    private let readyNodes = Mutex<Set<NodeName>>([])
    /// The nodes that are not restarted, since they would fail again, with their exit status.
    private let gaveUp = Mutex<[NodeName: ExitStatus]>([:])

    /// Runs one node again and again, until all nodes are stopped.
    private func keep(_ name: NodeName, color: Int) async {
        var pause = Self.pauseMin
        let clock = ContinuousClock()
        while !isStopping.load(ordering: .acquiring) {
            let start = clock.now
            let child = ChildProcess(
                program: program, arguments: arguments(for: name),
                prefix: OutputPrefix(name, names: names, color: color),
                inheritsInput: name == interactive)
            let ending = await child.run { pid in
                self.running.withLock { $0[name] = pid }
                if self.isStopping.load(ordering: .acquiring) { kill(pid, SIGTERM) }
            } farewell: {
                Self.farewell
            }
            running.withLock { $0[name] = nil }
            // It is not up, and its next life is not yet.
            readyNodes.withLock { nodes in
                unlink(readyPath(name))
                nodes.remove(name)
            }
            // Ctrl-C also reaches the interactive child, possibly earlier.
            if name == interactive { try? await clock.sleep(for: .milliseconds(100)) }
            guard !isStopping.load(ordering: .acquiring) else {
                if ending == .signaled(SIGKILL) {
                    Terminal.say(
                        "bus-node up: \(name) did not end within \(Self.farewell) and was killed")
                }
                return
            }
            if case .exited(let code) = ending, let status = ExitStatus(rawValue: code),
                status.isFinal
            {
                // A restart would fail again.
                gaveUp.withLock { $0[name] = status }
                isStarting.store(false, ordering: .releasing)
                Terminal.say(
                    "bus-node up: \(name) cannot run (\(ending)) and is not restarted; the "
                        + "other nodes continue")
                return
            }
            if clock.now - start > Self.pauseMax { pause = Self.pauseMin }
            Terminal.say("bus-node up: \(name) ended (\(ending)); restarting in \(pause)")
            try? await clock.sleep(for: pause)
            pause = min(Self.pauseMax, pause * 2)
        }
    }

    private func arguments(for name: NodeName) -> [String] {
        let ready = hasReadyFolder ? ["--ready-file", readyPath(name)] : []
        return [
            // One word: a name may begin as an option does.
            "run", "--topology", topology, "--node=\(name)", "--log-level", logLevel,
            "--ends-with-output",
        ] + ready
    }

    /// Whether a starting node can report that it is up, in a folder of this user alone. Makes a
    /// folder again that was cleaned away; leaves anything that another user put in its place.
    private var hasReadyFolder: Bool {
        guard isStarting.load(ordering: .acquiring) else { return false }
        if mkdir(readyFolder, 0o700) == 0 { return true }
        guard let status = FileStatus(link: readyFolder) else { return false }
        return status.isFolder && status.isPrivate && status.owner == geteuid()
    }

    /// With an ending, since a name may be one of a folder, as `..` is.
    private func readyPath(_ name: NodeName) -> String { "\(readyFolder)/\(name).ready" }

    private func announceReady() async {
        let clock = ContinuousClock()
        while !Task.isCancelled, isStarting.load(ordering: .acquiring) {
            // In one step with the end of a node, which takes its file away.
            let isReady = readyNodes.withLock { nodes in
                nodes.formUnion(
                    names.filter { FileManager.default.fileExists(atPath: readyPath($0)) })
                return nodes.isSuperset(of: names)
            }
            if isReady {
                let what = names.count == 1 ? "1 node is" : "\(names.count) nodes are"
                Terminal.say("bus-node up: \(what) up")
                ServiceNotification.ready(file: readyFile)
                isStarting.store(false, ordering: .releasing)
                return
            }
            try? await clock.sleep(for: .milliseconds(50))
        }
    }
}
