import ErrorBus
import Foundation
import Glibc
import Synchronization
import UnixSignals

/// The child processes of `up`: started, watched, started again, stopped.
final class Household: Sendable {
    /// The pause before what died is started again: doubled each time up to the maximum, back to
    /// the minimum once it has stayed up for as long as that.
    private static let pauseMin: Duration = .milliseconds(250)
    private static let pauseMax: Duration = .seconds(10)
    /// How long a node may take to go down before it is killed.
    private static let farewell: Duration = .seconds(5)

    private let names: [NodeName]
    private let topology: String
    private let logLevel: String
    private let interactive: NodeName?
    private let readyFile: String?
    private let program: String
    private let readyFolder: String

    init(
        names: [NodeName], topology: String, logLevel: String, interactive: NodeName?,
        readyFile: String?
    ) {
        self.names = names
        self.topology = topology
        self.logLevel = logLevel
        self.interactive = interactive
        self.readyFile = readyFile
        program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
        readyFolder = FileManager.default.temporaryDirectory
            .appendingPathComponent("bus-node-up-\(getpid())").path
    }

    func run() async throws {
        try FileManager.default.createDirectory(
            atPath: readyFolder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: readyFolder) }
        await withTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                group.addTask { await self.keep(name, color: index) }
            }
            group.addTask { await self.announceReady() }
            for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) {
                if signal != .sighup { break }
                for child in running.withLock({ Array($0.values) }) { kill(child, SIGHUP) }
            }
            isStopping.store(true, ordering: .releasing)
            for child in running.withLock({ Array($0.values) }) { kill(child, SIGTERM) }
            group.cancelAll()
        }
    }

    private let running = Mutex<[NodeName: pid_t]>([:])
    private let isStopping = Atomic(false)

    /// Runs one node again and again, until all are stopped.
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
            guard !isStopping.load(ordering: .acquiring) else { return }
            if case .exited(ExitStatus.badConfiguration.rawValue) = ending {
                // It will not get better by itself.
                Terminal.say("bus-node up: \(name) cannot run; the others go on")
                return
            }
            Terminal.say("bus-node up: \(name) ended (\(ending)); again in \(pause)")
            if clock.now - start > Self.pauseMax { pause = Self.pauseMin }
            try? await clock.sleep(for: pause)
            pause = min(Self.pauseMax, pause * 2)
        }
    }

    private func arguments(for name: NodeName) -> [String] {
        [
            "run", "--topology", topology, "--node", name.description, "--ready-file",
            readyPath(name), "--log-level", logLevel,
        ]
    }

    private func readyPath(_ name: NodeName) -> String { "\(readyFolder)/\(name)" }

    private func announceReady() async {
        let clock = ContinuousClock()
        while !Task.isCancelled {
            if names.allSatisfy({ FileManager.default.fileExists(atPath: readyPath($0)) }) {
                Terminal.say("bus-node up: \(names.count) nodes are up")
                ServiceNotification.ready(file: readyFile)
                return
            }
            try? await clock.sleep(for: .milliseconds(50))
        }
    }
}
