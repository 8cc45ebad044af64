import Glibc
import Synchronization

/// The commands that this process runs, each in a process group of its own.
///
/// A command ends with all processes that it started: SIGTERM, and 2 s later SIGKILL for the ones
/// that are left.
package final class ProcessGroups: Sendable {
    package static let ofThisProcess = ProcessGroups()
    /// The time that a command gets to end after SIGTERM.
    static let farewell: Duration = .seconds(2)
    private static let lookEvery: Duration = .milliseconds(20)

    private struct State {
        /// The number of commands that are being started, whose groups are not known yet.
        var startingCount = 0
        var commands: Set<CommandTree> = []
        var isEnding = false
    }

    private let state = Mutex(State())

    /// Runs a command, which is passed to the closure's argument once it has started.
    ///
    /// - Throws: `CancellationError` once this process ends.
    func tracked<Value>(
        _ run: (@escaping @Sendable (CommandTree) -> Void) async throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            guard !state.isEnding else { throw CancellationError() }
            state.startingCount += 1
        }
        let command = Mutex<CommandTree?>(nil)
        defer {
            state.withLock { state in
                if let command = command.withLock(\.self) {
                    state.commands.remove(command)
                } else {
                    state.startingCount -= 1
                }
            }
        }
        return try await run { [self] started in
            command.withLock { $0 = started }
            let isEnding = state.withLock { state in
                state.startingCount -= 1
                state.commands.insert(started)
                return state.isEnding
            }
            if isEnding { kill(-started.group, SIGTERM) }
        }
    }

    /// Ends all commands that still run or are being started. Called before this process ends, so
    /// that no command outlives it.
    package func end() async {
        let commands = state.withLock { state in
            state.isEnding = true
            return state.commands
        }
        for command in commands { kill(-command.group, SIGTERM) }
        let strays = Dictionary(uniqueKeysWithValues: commands.map { ($0, $0.dismissStrays()) })
        await Self.wait { [self] in
            let (startingCount, all) = state.withLock {
                ($0.startingCount, $0.commands.union(commands))
            }
            return startingCount == 0 && !all.contains { $0.isLeft(strays[$0] ?? []) }
        }
        for command in state.withLock(\.commands).union(commands) { command.end() }
    }

    /// Waits for the end of a command whose group got SIGTERM, also in a task that is cancelled,
    /// and kills the processes that are left of it.
    static func waitForEnd(of command: CommandTree) async {
        let strays = command.dismissStrays()
        await wait { !command.isLeft(strays) }
        command.end()
    }

    private static func wait(until isOver: @escaping @Sendable () -> Bool) async {
        await Task.detached {
            let last = ContinuousClock.now + farewell
            while !isOver(), .now < last { try? await Task.sleep(for: lookEvery) }
        }.value
    }
}
