import Glibc
import Synchronization

/// The process groups of the commands that this process runs.
///
/// A command ends with its group: SIGTERM, and 2 s later SIGKILL for what is left of it.
package final class ProcessGroups: Sendable {
    package static let ofThisProcess = ProcessGroups()
    /// How long a command may take to end once it was asked to.
    static let farewell: Duration = .seconds(2)
    private static let lookEvery: Duration = .milliseconds(20)

    private let groups = Mutex<Set<pid_t>>([])

    func insert(_ group: pid_t) { groups.withLock { _ = $0.insert(group) } }
    func remove(_ group: pid_t) { groups.withLock { _ = $0.remove(group) } }

    /// Ends all that still run. Called before this process ends, so that no command outlives it.
    package func end() async {
        let groups = groups.withLock { $0 }
        for group in groups { kill(-group, SIGTERM) }
        await Self.waitForEnd(of: groups)
    }

    /// Waits for the end of groups that got SIGTERM, also in a task that is cancelled; kills those
    /// that are left.
    static func waitForEnd(of groups: Set<pid_t>) async {
        await Task.detached {
            let last = ContinuousClock.now + farewell
            func isLeft(_ group: pid_t) -> Bool { kill(-group, 0) == 0 }
            while groups.contains(where: isLeft), .now < last {
                try? await Task.sleep(for: lookEvery)
            }
            for group in groups { kill(-group, SIGKILL) }
        }.value
    }
}
