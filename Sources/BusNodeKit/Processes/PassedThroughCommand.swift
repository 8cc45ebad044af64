import Foundation
import Glibc
import Synchronization
import SystemPackage

/// A command that runs as if it had been started directly: it inherits input and output, and this
/// process passes on its standard error, of which it keeps the end, and signals.
final class PassedThroughCommand: Sendable {
    private static let errorTailMax = 8 * 1024

    private let command: [[UInt8]]
    private let stage = Mutex(Stage.idle)

    private enum Stage {
        case idle
        /// The command may already run; signals wait for its process id.
        case starting(signals: [Int32])
        case running(pid_t)
    }

    /// - Parameter command: The words of the command, as bytes: they need not be UTF-8.
    init(_ command: [[UInt8]]) { self.command = command }

    /// Whether the command runs, or is about to.
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

    /// The environment with these variables. Their names are those of fields and of comments, so
    /// none is left out for its form.
    private static func adding(
        _ variables: [String: String], to environment: [[UInt8]]
    ) -> [[UInt8]] {
        let entries = variables.sorted { $0.key < $1.key }.map {
            Array("\($0.key)=\($0.value)".utf8)
        }
        let names = variables.keys.map { Array("\($0)=".utf8) }
        return environment.filter { entry in !names.contains { entry.starts(with: $0) } } + entries
    }

    /// The environment of a process whose environment cannot be read as bytes.
    private static var readable: [[UInt8]] {
        ProcessInfo.processInfo.environment.map { Array("\($0.key)=\($0.value)".utf8) }
    }

    private func started(_ pid: pid_t) {
        stage.withLock { stage in
            if case .starting(let signals) = stage { for signal in signals { kill(pid, signal) } }
            stage = .running(pid)
        }
    }

    /// - Parameter variables: The variables to add to the environment of this process.
    func run(variables: [String: String] = [:]) async -> CommandEnding {
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
        let status = await run(errorsTo: errors.writeEnd, variables)
        let tail = String(decoding: await errors.finish(), as: UTF8.self)
        return CommandEnding(status: status, errorTail: tail, duration: clock.now - start)
    }

    private func run(
        errorsTo descriptor: FileDescriptor, _ variables: [String: String]
    ) async -> CommandEnding.Status {
        let environment = Self.adding(variables, to: RawArguments.environment ?? Self.readable)
        let program: [UInt8]
        switch ProgramSearch.find(command[0], path: ProgramSearch.path(in: environment)) {
        case .found(let path): program = path
        case .missing(let reason, let code):
            try? descriptor.close()
            return .notStarted(reason, exitCode: code)
        }
        stage.withLock { $0 = .starting(signals: []) }
        defer { stage.withLock { $0 = .idle } }
        return await withTaskCancellationHandler {
            await run(program, environment, errorsTo: descriptor)
        } onCancel: {
            send(SIGKILL)
        }
    }

    private func run(
        _ program: [UInt8], _ environment: [[UInt8]], errorsTo descriptor: FileDescriptor
    ) async -> CommandEnding.Status {
        let process: pid_t
        do throws(Errno) {
            defer { try? descriptor.close() }
            // The name as typed, as from a shell: the command's own messages show it.
            process = try CommandSpawn.start(
                program, command, environment: environment, errors: descriptor)
        } catch {
            return .notStarted(String(cString: strerror(error.rawValue)), exitCode: 126)
        }
        started(process)
        await CommandSpawn.end(of: process)
        // From now on its id may be another's.
        stage.withLock { $0 = .idle }
        return CommandSpawn.collect(process)
    }
}

/// The search for a program as a shell makes it, so that failures have a shell's messages. Names
/// and paths are bytes: they need not be UTF-8.
enum ProgramSearch {
    enum Result: Hashable {
        case found([UInt8])
        /// The reason, and a shell's exit code for it.
        case missing(String, exitCode: Int32)
    }

    /// - Parameter path: The directories of `PATH`; an empty one is the current directory.
    static func find(_ program: [UInt8], path: [[UInt8]]) -> Result {
        guard !program.contains(UInt8(ascii: "/")) else { return look(at: program) }
        var hindrance: Result?
        for folder in path {
            let folder = folder.isEmpty ? Array(".".utf8) : folder
            let result = look(at: folder + [UInt8(ascii: "/")] + program)
            switch result {
            case .found: return result
            case .missing(_, exitCode: 126): hindrance = hindrance ?? result
            case .missing: continue
            }
        }
        return hindrance ?? .missing("command not found", exitCode: 127)
    }

    /// The directories of the `PATH` in an environment.
    static func path(in environment: [[UInt8]]) -> [[UInt8]] {
        let name = Array("PATH=".utf8)
        let value = environment.first { $0.starts(with: name) }?.dropFirst(name.count)
        return (value ?? ArraySlice("/usr/local/bin:/usr/bin:/bin".utf8))
            .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    private static func look(at path: [UInt8]) -> Result {
        let name = path.map { CChar(bitPattern: $0) } + [0]
        guard let status = FileStatus(name) else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            return .missing(String(cString: strerror(errno)), exitCode: isMissing ? 127 : 126)
        }
        guard !status.isFolder else {
            return .missing("Is a directory", exitCode: 126)
        }
        guard access(name, X_OK) == 0 else {
            return .missing(String(cString: strerror(errno)), exitCode: 126)
        }
        return .found(path)
    }
}
