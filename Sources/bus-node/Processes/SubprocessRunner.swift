import ErrorBus
import Foundation
import Subprocess
import SystemPackage

/// Runs the commands of rules and presenters. The command gets its own process group, so that
/// ending it ends what it started, and its limit is kept by force if need be.
struct SubprocessRunner: CommandRunner {
    /// Bytes of output that are kept; a command that says more is read on and cut.
    private static let outputMax = 64 * 1024
    private static let errorTailMax = 4 * 1024

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
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        let configuration = Configuration(
            executable: program.contains("/") ? .path(.init(program)) : .name(program),
            arguments: Arguments(Array(command.dropFirst())),
            environment: .inherit.updating(
                Dictionary(uniqueKeysWithValues: environment.map { (.init(stringLiteral: $0), $1) })),
            workingDirectory: folder.flatMap { $0.isEmpty ? nil : .init($0) }, platformOptions: options)
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

    private static func run(
        _ configuration: Configuration, input: [UInt8]
    ) async throws -> CommandResult {
        let result = try await Subprocess.run(
            configuration, input: .array(input), output: .sequence, error: .sequence
        ) { execution in
            async let output = head(of: execution.standardOutput)
            async let errors = tail(of: execution.standardError)
            return try await (output, errors)
        }
        let (output, errors) = result.closureResult
        let status: CommandResult.Status =
            switch result.terminationStatus {
            case .exited(let code): .exited(code)
            case .signaled(let number): .signaled(number)
            }
        return CommandResult(
            status: status, standardOutput: output,
            standardErrorTail: String(decoding: errors, as: UTF8.self))
    }

    private static func head(of output: SubprocessOutputSequence) async throws -> [UInt8] {
        var kept: [UInt8] = []
        for try await buffer in output where kept.count < outputMax {
            buffer.withUnsafeBytes { kept += $0.prefix(outputMax - kept.count) }
        }
        return kept
    }

    private static func tail(of output: SubprocessOutputSequence) async throws -> [UInt8] {
        var kept: [UInt8] = []
        for try await buffer in output {
            buffer.withUnsafeBytes { kept += $0 }
            if kept.count > errorTailMax { kept.removeFirst(kept.count - errorTailMax) }
        }
        return kept
    }
}
