package import ErrorBus
import Foundation
import Glibc
import Subprocess
import SystemPackage

/// One child process of `up`; `up` passes its output on line by line.
package struct ChildProcess: Sendable {
    let program: String
    let arguments: [String]
    let prefix: OutputPrefix
    /// Whether the child gets the standard input of `up`; only one child does.
    let inheritsInput: Bool

    package init(program: String, arguments: [String], prefix: OutputPrefix, inheritsInput: Bool) {
        self.program = program
        self.arguments = arguments
        self.prefix = prefix
        self.inheritsInput = inheritsInput
    }

    /// Runs the child to its end. On cancellation asks it to end, then kills it after `farewell()`.
    package func run(
        started: @escaping @Sendable (Int32) -> Void, farewell: @Sendable () -> Duration
    ) async -> CommandEnding.Status {
        var options = PlatformOptions()
        // `up` itself handles Ctrl-C, so that the nodes end in order; the interactive child must
        // stay in the terminal's foreground group to read from it.
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
            // One node that is ready is not all of them: `up` reports that to systemd.
            environment: .inherit.updating([ServiceNotification.socketVariable: nil]),
            platformOptions: options, input: input, output: .sequence, error: .combinedWithOutput
        ) { execution in
            started(execution.processIdentifier.value)
            try await passOn(execution.standardOutput)
        }.terminationStatus
    }

    /// Passes whole lines on, with the prefix; an interactive child's prompt, which ends no line,
    /// at once.
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

/// The end of one run of a command.
package struct CommandEnding: Hashable, Sendable {
    package enum Status: Hashable, Sendable {
        case exited(Int32)
        case signaled(Int32)
        /// The reason, and a shell's exit code for it: 127 not found, 126 found and not run.
        case notStarted(String, exitCode: Int32 = 127)
    }

    package let status: Status
    /// The last lines of the command's standard error.
    let errorTail: String
    package let duration: Duration

    var isSuccess: Bool { status == .exited(0) }

    /// The exit code of a shell for this end.
    package var exitCode: Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let number): 128 + number
        case .notStarted(_, let code): code
        }
    }
}

extension CommandEnding.Status: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signaled(let number): "signal \(number)"
        case .notStarted(let reason, _): "could not be started: \(reason)"
        }
    }
}

/// The prefix of a node's lines: its name, in a colour on a terminal.
package struct OutputPrefix: Sendable {
    private static let colors = [36, 33, 32, 35, 34, 31]

    package let text: String

    package init(_ name: NodeName, names: [NodeName], color: Int) {
        let width = names.map(\.description.count).max() ?? 0
        let padded = name.description.padding(toLength: width)
        text =
            isatty(STDERR_FILENO) != 0
            ? "\u{1B}[\(Self.colors[color % Self.colors.count])m\(padded) |\u{1B}[0m "
            : "\(padded) | "
    }
}
