import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// Runs a command as if it had been started directly: input and output are ours, standard error
/// passes through and its end is kept, signals are passed on.
final class PassedThroughCommand: Sendable {
    private static let errorTailMax = 8 * 1024

    private let command: [[UInt8]]
    private let stage = Mutex(Stage.idle)

    private enum Stage {
        case idle
        /// It may run already; what is to be passed on waits for its process id.
        case starting(signals: [Int32])
        case running(pid_t)
    }

    /// - Parameter command: Its words, as bytes: what is no UTF-8 is passed on as it is.
    init(_ command: [[UInt8]]) { self.command = command }

    /// It runs, or is about to.
    var isRunning: Bool {
        stage.withLock { if case .idle = $0 { false } else { true } }
    }

    /// Passes a signal on to the command, if it runs.
    func send(_ signal: Int32) {
        stage.withLock { stage in
            switch stage {
            case .idle: break
            case .starting(let signals): stage = .starting(signals: signals + [signal])
            case .running(let pid): kill(pid, signal)
            }
        }
    }

    private func started(_ pid: pid_t) {
        stage.withLock { stage in
            if case .starting(let signals) = stage { for signal in signals { kill(pid, signal) } }
            stage = .running(pid)
        }
    }

    func run() async -> CommandEnding {
        let clock = ContinuousClock()
        let start = clock.now
        let errors: OutputPipe
        do {
            errors = try OutputPipe(keeping: .last(Self.errorTailMax), passingTo: STDERR_FILENO)
        } catch {
            return CommandEnding(
                status: .notStarted("no pipe for standard error: \(error)"), errorTail: "",
                duration: .zero)
        }
        let status = await run(errorsTo: errors.writeEnd)
        let tail = String(decoding: await errors.finish(), as: UTF8.self)
        return CommandEnding(status: status, errorTail: tail, duration: clock.now - start)
    }

    private func run(errorsTo descriptor: FileDescriptor) async -> CommandEnding.Status {
        let environment = RawArguments.environment
        let program: [UInt8]
        switch ProgramSearch.find(command[0], path: ProgramSearch.path(in: environment ?? [])) {
        case .found(let path): program = path
        case .missing(let reason, let code):
            return .notStarted("\(shownProgram): \(reason)", exitCode: code)
        }
        // Its own name as it was typed, as from a shell: it shows in the command's own messages.
        let arguments = Arguments(
            executablePathOverride: command[0] + [0],
            remainingValues: command.dropFirst().map { $0 + [0] })
        let executable = Executable.path(
            FilePath(platformString: program.map { CChar(bitPattern: $0) } + [0]))
        stage.withLock { $0 = .starting(signals: []) }
        defer { stage.withLock { $0 = .idle } }
        do {
            // The descriptor is closed on every way out of this call.
            let result = try await Subprocess.run(
                executable, arguments: arguments,
                environment: environment.map { .custom($0.map { $0 + [0] }) } ?? .inherit,
                input: .currentStandardInput, output: .currentStandardOutput,
                error: .fileDescriptor(descriptor, closeAfterSpawningProcess: true)
            ) { execution in
                started(execution.processIdentifier.value)
            }
            switch result.terminationStatus {
            case .exited(let code): return .exited(code)
            case .signaled(let number): return .signaled(number)
            }
        } catch let error as SubprocessError {
            let reason = error.underlyingError.map { String(cString: strerror($0.rawValue)) }
            return .notStarted("\(shownProgram): \(reason ?? "\(error)")", exitCode: 126)
        } catch {
            return .notStarted("\(shownProgram): \(error)", exitCode: 126)
        }
    }

    private var shownProgram: String { String(decoding: command[0], as: UTF8.self) }
}
