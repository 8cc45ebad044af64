import ErrorBus
import Foundation
import Glibc
import Subprocess
import SystemPackage

/// Runs the commands of rules and presenters. The command gets its own process group, so that
/// ending it ends what it started, and its limit is kept by force if need be.
struct SubprocessRunner: CommandRunner {
    /// Bytes of output that are kept; a command that says more is read on and cut.
    static let outputMax = 64 * 1024
    static let errorTailMax = 4 * 1024
    /// How long a command may take to end by itself once it was asked to.
    static let farewell: Duration = .seconds(2)

    /// Where relative programs are looked for: the topology file's folder.
    let folder: String?

    struct TimedOut: LocalizedError {
        let command: String
        let limit: Duration
        var errorDescription: String? { "\(command) did not end within \(limit)." }
    }

    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        guard let program = command.first else {
            throw Failure(.badConfiguration, "an empty command")
        }
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: Self.farewell)
        ]
        let configuration = Configuration(
            executable: program.contains("/") ? .path(.init(program)) : .name(program),
            arguments: Arguments(
                executablePathOverride: program, remainingValues: Array(command.dropFirst())),
            environment: .inherit.updating(
                Dictionary(uniqueKeysWithValues: environment.map { (.init(stringLiteral: $0), $1) })
            ),
            workingDirectory: folder.flatMap { $0.isEmpty ? nil : .init($0) },
            platformOptions: options)
        return try await withThrowingTaskGroup(of: CommandResult.self) { group in
            group.addTask { try await Self.run(configuration, input: input) }
            group.addTask {
                try await Task.sleep(for: timeLimit)
                throw TimedOut(command: program, limit: timeLimit)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    /// The pipes are not waited for beyond the command's own end: a server that it started in the
    /// background may hold them.
    private static func run(
        _ configuration: Configuration, input: [UInt8]
    ) async throws -> CommandResult {
        let inputFile = try self.inputFile(input)
        let output: OutputPipe
        let errors: OutputPipe
        do {
            output = try OutputPipe(keeping: .first(outputMax))
        } catch {
            try? inputFile.close()
            throw error
        }
        do {
            errors = try OutputPipe(keeping: .last(errorTailMax))
        } catch {
            try? inputFile.close()
            try? output.writeEnd.close()
            throw error
        }
        let result = try await Subprocess.run(
            configuration,
            input: .fileDescriptor(inputFile, closeAfterSpawningProcess: true),
            output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true),
            error: .fileDescriptor(errors.writeEnd, closeAfterSpawningProcess: true)
        ) { execution in
            execution.processIdentifier.value
        }
        // Its limit has passed: what it started and left behind in its group ends with it.
        if Task.isCancelled { kill(-result.closureResult, SIGKILL) }
        let status: CommandResult.Status =
            switch result.terminationStatus {
            case .exited(let code): .exited(code)
            case .signaled(let number): .signaled(number)
            }
        return CommandResult(
            status: status, standardOutput: await output.finish(),
            standardErrorTail: String(decoding: await errors.finish(), as: UTF8.self))
    }

    /// The input as a file without a name instead of a pipe: a command that does not read all of
    /// it neither blocks us nor breaks a pipe.
    private static func inputFile(_ input: [UInt8]) throws -> FileDescriptor {
        let folder = FileManager.default.temporaryDirectory.path
        var template = Array("\(folder)/bus-node-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let file = FileDescriptor(rawValue: descriptor)
        do {
            try file.writeAll(input)
            try file.seek(offset: 0, from: .start)
        } catch {
            try? file.close()
            throw error
        }
        return file
    }
}
