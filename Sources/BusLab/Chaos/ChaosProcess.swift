import BusNodeKit
import ErrorBus
import Foundation
import Glibc
import Synchronization

/// One process of a chaos run: starts, kills, stops, continues and restarts it.
final class ChaosProcess: Sendable {
    /// How long it may take to shut down at the end, on a busy machine too.
    static let farewell: Duration = .seconds(15)

    /// An event of the process, for the picture and the counts.
    struct Mark: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case started, killed, stopped, continued, ended
            /// The process ended by itself before the end of the run.
            case crashed
            /// Asked to shut down, the process failed or did not end.
            case failedToEnd
        }

        let kind: Kind
        let pid: pid_t
        let time: ContinuousClock.Instant
        var detail = ""
    }

    struct State {
        var pid: pid_t?
        /// Killed and not yet revived.
        var isKilled = false
        /// The process id killed last: on a busy machine its end may be noticed only after it was
        /// revived.
        var killedPid: pid_t?
        var isEnding = false
        /// Killed for good, so that the way it ends says nothing.
        var isEndedNow = false
        var marks: [Mark] = []
        var revival: CheckedContinuation<Void, Never>?
    }

    let name: NodeName
    private let child: ChildProcess
    private let state = Mutex(State())

    init(_ name: NodeName, _ child: ChildProcess) {
        self.name = name
        self.child = child
    }

    var marks: [Mark] { state.withLock { $0.marks } }

    var isRunning: Bool { state.withLock { $0.pid != nil } }

    /// Runs it again and again until the run ends.
    func keep() async {
        while !state.withLock({ $0.isEnding }), !Task.isCancelled {
            let ending = await child.run { pid in
                self.state.withLock { state in
                    state.pid = pid
                    state.mark(.started, pid)
                    if state.isEnding { Glibc.kill(pid, SIGTERM) }
                }
            } farewell: {
                Self.farewell
            }
            let wasKilled = state.withLock { $0.ended(ending) }
            if wasKilled {
                await waitForRevival()
            } else if !state.withLock({ $0.isEnding }) {
                // Not a scheduled fault; the next life shows whether it happens again.
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    /// Kills it; it stays dead until ``revive()``.
    func kill() {
        state.withLock { state in
            guard let pid = state.pid, !state.isEnding else { return }
            state.killed(pid)
            Glibc.kill(pid, SIGKILL)
        }
    }

    func revive() {
        let revival = state.withLock { state in
            state.isKilled = false
            defer { state.revival = nil }
            return state.revival
        }
        revival?.resume()
    }

    func suspend() { signal(SIGSTOP, .stopped) }

    func resume() { signal(SIGCONT, .continued) }

    /// Shuts it down; ``keep()`` returns afterwards.
    func end() {
        state.withLock { state in
            state.isEnding = true
            if let pid = state.pid {
                Glibc.kill(pid, SIGCONT)
                Glibc.kill(pid, SIGTERM)
            }
        }
        revive()
    }

    /// Kills it for good when it still runs though it had time to shut down.
    func endOverdue() {
        let isOverdue = state.withLock { state in
            guard let pid = state.pid else { return false }
            state.mark(.failedToEnd, pid, "killed after \(Self.farewell)")
            return true
        }
        if isOverdue { endNow() }
    }

    /// Kills it for good.
    func endNow() {
        state.withLock { $0.isEndedNow = true }
        end()
        state.withLock { if let pid = $0.pid { _ = Glibc.kill(pid, SIGKILL) } }
    }

    private func signal(_ number: Int32, _ kind: Mark.Kind) {
        state.withLock { state in
            guard let pid = state.pid else { return }
            state.mark(kind, pid)
            Glibc.kill(pid, number)
        }
    }

    private func waitForRevival() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isKilled, !Task.isCancelled {
                        state.revival = continuation
                        return false
                    }
                    return true
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            revive()
        }
    }
}

extension ChaosProcess.Mark {
    /// What no process may do, as the end of a sentence; nil for all else.
    var problem: String? {
        switch kind {
        case .crashed: "ended by itself: \(detail)"
        case .failedToEnd: "did not shut down in order: \(detail)"
        case .started, .killed, .stopped, .continued, .ended: nil
        }
    }
}

extension ChaosProcess.State {
    mutating func mark(
        _ kind: ChaosProcess.Mark.Kind, _ pid: pid_t, _ detail: String = ""
    ) {
        marks.append(.init(kind: kind, pid: pid, time: .now, detail: detail))
    }

    mutating func killed(_ pid: pid_t) {
        isKilled = true
        killedPid = pid
        mark(.killed, pid)
    }

    /// Returns whether the schedule killed it.
    mutating func ended(_ ending: CommandEnding.Status) -> Bool {
        let pid = pid ?? 0
        self.pid = nil
        if killedPid == pid { return true }
        mark(kind(of: ending), pid, "\(ending)")
        return false
    }

    private func kind(of ending: CommandEnding.Status) -> ChaosProcess.Mark.Kind {
        guard isEnding else { return .crashed }
        // The signal itself ends a process that has not begun to handle it.
        let isOrderly = ending == .exited(0) || ending == .signaled(SIGTERM)
        return isOrderly || isEndedNow ? .ended : .failedToEnd
    }
}

extension [NodeName: ChaosProcess] {
    /// The processes that ended by themselves, or not in order, a sentence each.
    var crashes: [String] {
        sorted { $0.key < $1.key }.flatMap { name, process in
            process.marks.compactMap { mark in mark.problem.map { "\(name) \($0)" } }
        }
    }
}

extension ChaosPlan {
    /// The processes, not yet started, each with its place in the topology.
    ///
    /// - Parameter more: The other arguments of a process.
    func processes(
        of topology: String, in folder: ChaosFolder, links: [ChaosLink], seed: UInt64,
        logLevel: String, more: (Process) -> [String]
    ) async -> [NodeName: ChaosProcess] {
        var made: [NodeName: ChaosProcess] = [:]
        for (index, process) in processes.enumerated() {
            var arguments = [
                "chaos-node", "--topology", topology, "--node", process.name.description,
                "--folder", folder.path, "--seed", String(seed), "--role", process.role.rawValue,
                "--log-level", logLevel,
            ]
            for link in links where link.link.child == process.name {
                arguments += ["--parent", await link.proxy.listen.description]
            }
            made[process.name] = ChaosProcess(
                process.name,
                ChildProcess(
                    program: ChaosFolder.ownProgram, arguments: arguments + more(process),
                    prefix: OutputPrefix(process.name, names: processes.map(\.name), color: index),
                    inheritsInput: false))
        }
        return made
    }
}
