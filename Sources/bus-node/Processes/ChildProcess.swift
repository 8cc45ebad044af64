import ErrorBus
import Foundation
import Glibc
import Subprocess
import SystemPackage

/// One child process of `up`, its output passed on line by line.
struct ChildProcess: Sendable {
    let program: String
    let arguments: [String]
    let prefix: OutputPrefix
    /// This one gets our standard input; all others get none.
    let inheritsInput: Bool

    /// Runs it to its end. On cancellation it is asked to end, then killed after `farewell()`.
    func run(
        started: @escaping @Sendable (pid_t) -> Void, farewell: @Sendable () -> Duration
    ) async -> CommandEnding.Status {
        var options = PlatformOptions()
        // A key press in this terminal is for `up` to handle, in order; the interactive child
        // must stay in the terminal's foreground group to read from it.
        if !inheritsInput { options.processGroupID = 0 }
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: farewell())]
        do {
            let status =
                inheritsInput
                ? try await run(input: .currentStandardInput, options, started)
                : try await run(input: .none, options, started)
            switch status {
            case .exited(let code): return .exited(code)
            case .signaled(let number): return .signaled(number)
            }
        } catch {
            return .notStarted("\(error)")
        }
    }

    private func run(
        input: some InputProtocol, _ options: PlatformOptions,
        _ started: @escaping @Sendable (pid_t) -> Void
    ) async throws -> TerminationStatus {
        try await Subprocess.run(
            .path(SystemPackage.FilePath(program)), arguments: Arguments(arguments),
            platformOptions: options, input: input, output: .sequence, error: .combinedWithOutput
        ) { execution in
            started(execution.processIdentifier.value)
            try await passOn(execution.standardOutput)
        }.terminationStatus
    }

    /// Whole lines, prefixed; an interactive child's prompt, which ends no line, as it comes.
    private func passOn(_ output: SubprocessOutputSequence) async throws {
        var rest: [UInt8] = []
        for try await buffer in output {
            buffer.withUnsafeBytes { rest += $0 }
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                ErrorOutput.shared.pass(Array(prefix.text.utf8) + rest[...end])
                rest.removeSubrange(...end)
            }
            if inheritsInput || rest.count > 64 * 1024 {
                ErrorOutput.shared.pass(rest)
                rest.removeAll()
            }
        }
        if !rest.isEmpty { ErrorOutput.shared.pass(rest + [UInt8(ascii: "\n")]) }
    }
}
