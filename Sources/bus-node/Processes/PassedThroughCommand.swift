import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// Runs a command as if it had been started directly: input and output are ours, standard error
/// passes through and its end is kept, signals are passed on.
final class PassedThroughCommand: Sendable {
    private let command: [String]
    private let running = Mutex<pid_t?>(nil)

    init(_ command: [String]) { self.command = command }

    var isRunning: Bool { running.withLock { $0 != nil } }

    /// Passes a signal on to the command, if it runs.
    func send(_ signal: Int32) {
        running.withLock { if let pid = $0 { kill(pid, signal) } }
    }

    func run() async -> CommandEnding {
        let clock = ContinuousClock()
        let start = clock.now
        let tail: ErrorTail
        do {
            tail = try ErrorTail()
        } catch {
            return CommandEnding(
                status: .notStarted("no pipe for standard error"), errorTail: "", duration: .zero)
        }
        let status = await run(errorsTo: tail.writeEnd)
        return CommandEnding(
            status: status, errorTail: await tail.finish(), duration: clock.now - start)
    }

    private func run(errorsTo descriptor: FileDescriptor) async -> CommandEnding.Status {
        let program = command[0]
        let executable: Executable =
            program.contains("/") ? .path(SystemPackage.FilePath(program)) : .name(program)
        do {
            let result = try await Subprocess.run(
                executable, arguments: Arguments(Array(command.dropFirst())),
                input: .currentStandardInput, output: .currentStandardOutput,
                error: .fileDescriptor(descriptor, closeAfterSpawningProcess: true)
            ) { execution in
                running.withLock { $0 = execution.processIdentifier.value }
            }
            running.withLock { $0 = nil }
            switch result.terminationStatus {
            case .exited(let code): return .exited(code)
            case .signaled(let number): return .signaled(number)
            }
        } catch {
            running.withLock { $0 = nil }
            try? descriptor.close()
            return .notStarted("\(error)")
        }
    }
}
