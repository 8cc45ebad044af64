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

    private struct State {
        /// The commands that are being started, whose groups are not known yet.
        var startingCount = 0
        var groups: Set<pid_t> = []
        var isEnding = false
    }

    private let state = Mutex(State())

    /// Runs a command, whose group is passed to the closure's argument once it has started.
    ///
    /// - Throws: `CancellationError` once this process ends.
    func tracked<Value>(
        _ run: (@escaping @Sendable (pid_t) -> Void) async throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            guard !state.isEnding else { throw CancellationError() }
            state.startingCount += 1
        }
        let group = Mutex<pid_t?>(nil)
        defer {
            state.withLock { state in
                if let group = group.withLock(\.self) {
                    state.groups.remove(group)
                } else {
                    state.startingCount -= 1
                }
            }
        }
        return try await run { [self] started in
            group.withLock { $0 = started }
            let isEnding = state.withLock { state in
                state.startingCount -= 1
                state.groups.insert(started)
                return state.isEnding
            }
            if isEnding { kill(-started, SIGTERM) }
        }
    }

    /// Ends all that still run, and those that are being started. Called before this process ends,
    /// so that no command outlives it.
    package func end() async {
        let groups = state.withLock { state in
            state.isEnding = true
            return state.groups
        }
        for group in groups { kill(-group, SIGTERM) }
        await Self.wait { [self] in
            state.withLock { $0.startingCount == 0 && !$0.groups.contains(where: Self.isLeft) }
        }
        for group in state.withLock(\.groups) where Self.isLeft(group) { kill(-group, SIGKILL) }
    }

    /// Waits for the end of a group that got SIGTERM, also in a task that is cancelled, and kills
    /// what is left of it.
    static func waitForEnd(of group: pid_t) async {
        await wait { !isLeft(group) }
        if isLeft(group) { kill(-group, SIGKILL) }
    }

    private static func isLeft(_ group: pid_t) -> Bool { kill(-group, 0) == 0 }

    private static func wait(until isOver: @escaping @Sendable () -> Bool) async {
        await Task.detached {
            let last = ContinuousClock.now + farewell
            while !isOver(), .now < last { try? await Task.sleep(for: lookEvery) }
        }.value
    }
}
