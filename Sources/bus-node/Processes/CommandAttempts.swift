import ErrorBus
import Foundation
import Glibc
import Synchronization
import UnixSignals

/// Runs a command until it succeeds or an answer ends it.
final class CommandAttempts: Responder {
    /// How it ended, for the exit status.
    struct Status: Sendable {
        let code: Int32
        let isUnreachable: Bool
    }

    private let command: [[UInt8]]
    private let retriesOffered: Int?
    private let options: PresentationOptions
    /// Says nothing about where the question stands.
    private let isQuiet: Bool
    private let following: any Responder
    private let passedThrough: PassedThroughCommand
    private let isSkipped = Atomic(false)
    private let outcome = Mutex<Outcome?>(nil)
    /// What was said last of where the question stands.
    private let lastSaid = Mutex("")

    /// - Parameter options: For each of its presentations.
    init(
        command: [[UInt8]], retriesOffered: Int?, options: PresentationOptions, isQuiet: Bool,
        next: any Responder
    ) {
        self.options = options
        self.isQuiet = isQuiet
        self.command = command
        self.retriesOffered = retriesOffered
        following = next
        passedThrough = PassedThroughCommand(command)
    }

    var responderName: String { "exec" }
    var next: (any Responder)? { get async { following } }

    func presentError(_ error: any Error) async -> Outcome {
        // A command that was ended on purpose is not presented.
        guard error.causing(Stopped.self) == nil else {
            return Outcome(didRecover: false, reason: .withdrawn, decidedBy: responderName)
        }
        lastSaid.withLock { $0 = "" }
        let outcome = await forwardError(error)
        self.outcome.withLock { $0 = outcome }
        let option = outcome.answer.map { " \($0.option.shown())" } ?? ""
        if outcome.didRecover {
            Terminal.say("bus-node exec:\(option) \(decider(of: outcome)): once more")
        } else if outcome.answer != nil {
            Terminal.say("bus-node exec:\(option) \(decider(of: outcome))")
        }
        return outcome
    }

    private func decider(of outcome: Outcome) -> String {
        outcome.answer?.via == .expiry
            ? "since no answer came in time" : "by \(outcome.decidedBy.shown())"
    }

    func run() async throws -> Status {
        // Trapped before the command starts: from then on no signal goes past it.
        let signals = await UnixSignalsSequence(
            trapping: .sigint, .sigterm, .sighup, .sigquit, .sigusr1, .sigusr2)
        return await withTaskGroup(of: Status?.self) { group in
            group.addTask { await self.passOn(signals) }
            group.addTask { await self.runUntilDecided() }
            while let status = await group.next() {
                guard let status else { continue }
                group.cancelAll()
                return status
            }
            return Status(code: ExitStatus.software.rawValue, isUnreachable: false)
        }
    }

    private func runUntilDecided() async -> Status {
        var retries = 0
        var options = options
        options.stateChanged = { [weak self] in self?.moved(to: $0) }
        do {
            try await withRecovery(options: options) {
                let ending = await passedThrough.run()
                if ending.isSuccess { return }
                if case .notStarted(let reason, _) = ending.status {
                    Terminal.say("bus-node exec: \(reason.shown())")
                }
                if let signal = interrupted.withLock({ $0 }), isMeant(signal, ending) {
                    throw Stopped(code: ending.exitCode)
                }
                defer { retries += 1 }
                throw choices(CommandFailure(command: command, ending: ending), retries)
            }
            return Status(code: 0, isUnreachable: false)
        } catch {
            return conclude(error)
        }
    }

    private func choices(_ failure: CommandFailure, _ retries: Int) -> any Error {
        let offersRetry = retriesOffered.map { retries < $0 } ?? true
        return failure.recoverable {
            if offersRetry { RecoveryOption("Retry", id: "retry", role: .default) { true } }
            RecoveryOption("Skip", id: "skip") { [self] in
                isSkipped.store(true, ordering: .releasing)
                return false
            }
            RecoveryOption("Abort", id: "abort", role: .cancel) { false }
        }
    }

    private func conclude(_ error: any Error) -> Status {
        if let stopped = error.causing(Stopped.self) {
            return Status(code: stopped.code, isUnreachable: false)
        }
        if isSkipped.load(ordering: .acquiring) { return Status(code: 0, isUnreachable: false) }
        let code = error.causing(CommandFailure.self)?.ending.exitCode ?? 1
        guard let outcome = outcome.withLock({ $0 }) else {
            return Status(code: code, isUnreachable: false)
        }
        if let text = Conclusion(outcome).text { Terminal.say("bus-node exec: \(text)") }
        let isUnreachable = outcome.reason == .unreachable || outcome.reason == .detached
        return Status(code: code, isUnreachable: isUnreachable)
    }

    /// Says where the error is, when that is worth a line to the person who waits.
    private func moved(to state: PresentationState) {
        guard !isQuiet else { return }
        let by = state.by.map { " by \($0.shown())" } ?? ""
        let text: String
        switch state.station {
        case .unreachable: text = "waiting for a link\(by)"
        // Several may look at it at once, one after another: that it is looked at is enough.
        case .queued, .presented: text = "waiting for an answer"
        case .claimed: text = "taken on\(by)"
        case .relayed: return
        }
        let isNew = lastSaid.withLock { last in
            defer { last = text }
            return last != text
        }
        if isNew { Terminal.say("bus-node exec: \(text)") }
    }

    // MARK: Signals

    /// The command ended because it was told to: there is nothing to decide.
    private struct Stopped: Error {
        let code: Int32
    }

    private let interrupted = Mutex<Int32?>(nil)

    /// A signal goes to the command while it runs, and withdraws the question while one is open.
    /// Nil: signals alone decide nothing, unless no command runs.
    private func passOn(_ signals: UnixSignalsSequence) async -> Status? {
        for await signal in signals {
            let number = signal.rawValue
            let ends = ![SIGUSR1, SIGUSR2].contains(number)
            if passedThrough.isRunning {
                if ends { interrupted.withLock { $0 = number } }
                // A key press reached the command already: it is in the same process group.
                if number != SIGINT || !Self.isForeground { passedThrough.send(number) }
            } else if ends {
                return Status(code: Interrupted(signal: number).exitCode, isUnreachable: false)
            }
        }
        return nil
    }

    /// Whether the failure is what the signal asked for. A hangup may also mean "read your
    /// configuration again": a failure later on is then a failure.
    private func isMeant(_ signal: Int32, _ ending: CommandEnding) -> Bool {
        signal != SIGHUP || ending.status == .signaled(SIGHUP)
    }

    /// Whether this process group has the terminal, so that its keys signal all of it.
    private static var isForeground: Bool {
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}
