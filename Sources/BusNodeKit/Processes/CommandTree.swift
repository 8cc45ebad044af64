import Foundation
import Glibc

/// The processes of one command: its process group, and processes that have left the group, as
/// daemons do. A mark in the environment, which a process gets from its parent, identifies these; a
/// process with a cleared environment, or one that this user may not look into, is not found.
struct CommandTree: Hashable, Sendable {
    /// The variable with the marks of the commands around a process, the outermost first.
    static let markName = "ERRORBUS_RUN"
    /// The number of searches for processes that were started while others were killed.
    private static let lookMax = 20

    let group: pid_t
    let mark: String

    /// The value of the variable for a command with this mark that this process starts.
    static func marks(
        adding mark: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        environment[markName].map { "\($0) \(mark)" } ?? mark
    }

    /// Sends SIGTERM to the processes that have left the group, and returns them.
    func dismissStrays() -> Set<pid_t> {
        let strays = strays
        for process in strays { kill(process, SIGTERM) }
        return strays
    }

    /// Whether processes of the group, or some of these, still run.
    func isLeft(_ strays: Set<pid_t>) -> Bool {
        kill(-group, 0) == 0 || strays.contains(where: isStray)
    }

    /// Kills the processes that still run, and the ones that were started meanwhile.
    func end() {
        kill(-group, SIGKILL)
        var killed: Set<pid_t> = []
        for _ in 1...Self.lookMax {
            let left = strays.subtracting(killed)
            if left.isEmpty { return }
            for process in left { kill(process, SIGKILL) }
            killed.formUnion(left)
        }
    }

    private var strays: Set<pid_t> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return Set(names.compactMap { pid_t($0) }.filter(isStray))
    }

    /// Whether a process has left the group. The environment of an ended process is empty, whether
    /// it was collected or not.
    private func isStray(_ process: pid_t) -> Bool {
        guard getpgid(process) != group,
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
        else { return false }
        return environment.range(of: Data(mark.utf8)) != nil
    }
}
