package import ErrorBus
import Foundation
import Glibc
import Synchronization

/// The attempts of a command, until it succeeds or an answer ends it.
package final class CommandAttempts: Responder {
    /// The end of the command, for the exit status.
    package struct Status: Sendable {
        package let code: Int32
        package let isUnreachable: Bool
    }

    private let command: [[UInt8]]
    private let retriesOffered: Int?
    private let options: PresentationOptions
    /// Whether the command leaves out the state of the presentation.
    private let isQuiet: Bool
    /// The mask for what looks like a secret in reports; nil for none. What is given as a secret is
    /// always masked.
    private let mask: SecretMask?
    /// The limit on waiting processes of this command; nil without a limit.
    private let waitingLimit: WaitingLimit?
    private let following: any Responder
    private let passedThrough: PassedThroughCommand
    /// The fields of "Retry with values"; empty: the option is not offered.
    private let fields: [ErrorReport.Field]
    /// The last given values, which are in the environment of the command.
    private let values = Mutex(FieldValues())
    private let isSkipped = Atomic(false)
    private let outcome = Mutex<Outcome?>(nil)
    /// The id of the last presentation.
    private let presented = Mutex<PresentationID?>(nil)
    /// The state that was printed last.
    private let lastSaid = Mutex("")
    /// Whether the last presentation was in front of a person.
    private let shown = ShownMark()

    /// - Parameters:
    ///   - fields: The fields for the values of a repetition.
    ///   - options: The options of each of its presentations.
    ///   - mask: The mask for secrets in reports; nil for none.
    ///   - waitingLimit: The limit on waiting processes of this command; nil without a limit.
    package init(
        command: [[UInt8]], retriesOffered: Int?, fields: [ErrorReport.Field] = [],
        options: PresentationOptions, isQuiet: Bool,
        mask: SecretMask?, waitingLimit: WaitingLimit? = nil, next: any Responder
    ) {
        self.mask = mask
        self.waitingLimit = waitingLimit
        self.fields = fields
        self.options = options
        self.isQuiet = isQuiet
        self.command = command
        self.retriesOffered = retriesOffered
        following = next
        passedThrough = PassedThroughCommand(command)
    }

    package var responderName: String { "exec" }
    package var next: (any Responder)? { get async { following } }

    package func presentError(_ error: any Error, in context: PresentationContext) async -> Outcome
    {
        // A command that was ended on purpose is not presented.
        guard error.causing(Stopped.self) == nil else {
            return Outcome(didRecover: false, reason: .withdrawn, decidedBy: responderName)
        }
        var place: WaitingLimit.Place?
        if let waitingLimit, let failure = error.causing(CommandFailure.self) {
            switch waitingLimit.admission(of: failure.digest) {
            case .admitted(let own): place = own
            case .unlimited: break
            case .full: return notPresented(waitingLimit.countMax)
            }
        }
        // A command that runs again does not wait, however long it takes.
        defer { place?.release() }
        lastSaid.withLock { $0 = "" }
        presented.withLock { $0 = context.id }
        shown.begin()
        let outcome = await forwardError(error, in: context)
        self.outcome.withLock { $0 = outcome }
        let option = outcome.answer.map { " \($0.option.shown())" } ?? ""
        if outcome.didRecover {
            Terminal.say("bus-node exec:\(option) \(decider(of: outcome)): running it again")
        } else if outcome.answer != nil {
            Terminal.say("bus-node exec:\(option) \(decider(of: outcome))")
        }
        if let comment = outcome.commentLine { Terminal.say("bus-node exec: \(comment)") }
        return outcome
    }

    /// The outcome of a failure that is not presented. Printed even if the state is not: the
    /// missing presentation is part of the result.
    private func notPresented(_ count: Int) -> Outcome {
        let wait = count == 1 ? "waits" : "wait"
        Terminal.say(
            "bus-node exec: not presented: \(count) of this command \(wait) for an answer already "
                + "(--max-waiting)")
        // That of an earlier failure, which was repeated.
        outcome.withLock { $0 = nil }
        return Outcome(didRecover: false, reason: .withheld, decidedBy: responderName)
    }

    private func decider(of outcome: Outcome) -> String {
        outcome.answer?.via == .expiry
            ? "since \(RejectCode.noAnswer)" : "by \(outcome.decidedBy.shown())"
    }

    package func run() async throws -> Status {
        // Trapped before the command starts, so that no signal is missed.
        let signals = try ReceivedSignal.trapping(
            [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2])
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
                let values = values.withLock { $0 }
                var variables = values.environment
                variables["ERRORBUS_COMMENT"] = outcome.withLock { $0?.answer?.comment }
                let ending = await passedThrough.run(variables: variables)
                if ending.isSuccess { return }
                if case .notStarted(let reason, _) = ending.status {
                    let text = "\(String(decoding: command[0], as: UTF8.self)): \(reason)"
                    Terminal.say("bus-node exec: \(text.shown())")
                }
                if let signal = interrupted.withLock({ $0 }), signal.isCause(of: ending) {
                    throw Stopped(code: ending.exitCode)
                }
                defer { retries += 1 }
                let failure = CommandFailure(
                    command: command, ending: ending, repetition: repetition(after: retries),
                    mask: mask?.adding(values) ?? SecretMask.only(values))
                throw choices(failure)
            }
            return Status(code: 0, isUnreachable: false)
        } catch {
            return conclude(error)
        }
    }

    private func repetition(after retries: Int) -> CommandFailure.Repetition {
        guard retriesOffered.map({ retries < $0 }) ?? true else { return .notOffered }
        return fields.isEmpty ? .plain : .withValues
    }

    private func choices(_ failure: CommandFailure) -> any Error {
        failure.recoverable {
            if failure.repetition != .notOffered {
                RecoveryOption("Retry", id: CommandFailure.retryID, role: .default) { true }
            }
            if failure.repetition == .withValues {
                RecoveryOption("Retry with values", id: "retry-with", fields: fields) {
                    [self] given in
                    values.withLock { $0 = given }
                    return true
                }
            }
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
        let conclusion = Conclusion(outcome, wasShown: shown.wasShown)
        // An option that ended it was printed when it was chosen.
        let isPrinted = outcome.reason == .answered && outcome.answer != nil
        if !isPrinted, let text = conclusion.text { Terminal.say("bus-node exec: \(text)") }
        let isUnreachable = outcome.reason == .unreachable || outcome.reason == .detached
        return Status(code: code, isUnreachable: isUnreachable)
    }

    /// Prints the state of the presentation if it matters to a waiting person.
    private func moved(to state: PresentationState) {
        shown.take(state)
        guard !isQuiet else { return }
        let text: String
        switch state.station {
        case .unreachable:
            text = "waiting for a link" + (state.by.map { " to \($0.shown())" } ?? "")
        // Several presenters may show it, one after another: one line is enough.
        case .queued, .presented:
            // By the end of the id people find it in the inbox.
            let id = presented.withLock { $0.map { " (id …\($0.description.suffix(8)))" } }
            text = "waiting for an answer" + (id ?? "")
        case .claimed: text = "claimed" + (state.by.map { " by \($0.shown())" } ?? "")
        case .relayed: return
        }
        let isNew = lastSaid.withLock { last in
            defer { last = text }
            return last != text
        }
        if isNew { Terminal.say("bus-node exec: \(text)") }
    }

    // MARK: Signals

    /// The end of a command because of a signal that was passed on: there is nothing to decide.
    private struct Stopped: Error {
        let code: Int32
    }

    private struct Signal {
        /// The time that a command takes to end by a key.
        static let endTime: Duration = .seconds(10)

        let number: Int32
        let time = ContinuousClock.now

        /// Whether the signal caused the end. A hangup may also mean "read your configuration
        /// again", and a key may skip a step: a later failure then counts as a failure.
        func isCause(of ending: CommandEnding) -> Bool {
            switch number {
            case _ where ending.status == .signaled(number): true
            case SIGHUP: false
            case SIGTERM: true
            default: ending.exitCode == 128 + number || .now - time < Self.endTime
            }
        }
    }

    private let interrupted = Mutex<Signal?>(nil)

    /// Passes signals to the command while it runs; a signal while a presentation is open withdraws
    /// it. Returns the signal that ends all attempts, which it does only while no command runs;
    /// else nil.
    private func passOn(_ signals: AsyncStream<ReceivedSignal>) async -> Status? {
        for await received in signals {
            let number = received.number
            let ends = ![SIGUSR1, SIGUSR2].contains(number)
            if passedThrough.isRunning {
                // A service manager may send SIGHUP after SIGTERM, which stays the reason.
                if ends {
                    let signal = Signal(number: number)
                    interrupted.withLock { $0 = number == SIGHUP ? $0 ?? signal : signal }
                }
                // A key already reached the command, which is in the same process group.
                if !received.isKey { passedThrough.send(number) }
            } else if ends {
                return Status(code: Interrupted(signal: number).exitCode, isUnreachable: false)
            }
        }
        return nil
    }
}

/// The failure of a command, as an error that people can decide about.
struct CommandFailure: ReportableError {
    /// The way in which the command can be run again.
    enum Repetition {
        case notOffered
        case plain
        /// The command can also run with values that the answer gives.
        case withValues

        fileprivate var suggestion: String {
            switch self {
            case .notOffered: "Choose Skip or Abort."
            case .plain: "Fix the cause and choose Retry, or choose Skip or Abort."
            case .withValues:
                "Fix the cause and choose Retry, or choose Retry with values, Skip or Abort."
            }
        }
    }

    /// The option that runs the command again.
    static let retryID = "retry"
    /// The most lines of standard error in the report.
    static let errorLineMax = 10
    /// The most words of the command in the report, the most bytes of each, and of all as JSON: the
    /// report has them twice.
    static let argumentMax = 64
    static let argumentByteMax = 1_024
    static let argumentsByteMax = 72 << 10
    private static let shownScalarMax = 200

    /// The command for people, at most as much as the report holds.
    private let command: [String]
    private let isCut: Bool
    private let directory: String
    /// The digest of the command, by all its bytes but secrets, and of the directory.
    let digest: ReportDigest
    let ending: CommandEnding
    let repetition: Repetition
    private let mask: SecretMask?

    /// - Parameters:
    ///   - directory: The directory in which the command ran.
    ///   - repetition: Whether the command can be run again.
    ///   - mask: The mask for secrets in the command and its standard error; nil for none.
    init(
        command: [[UInt8]], in directory: String = FileManager.default.currentDirectoryPath,
        ending: CommandEnding, repetition: Repetition = .plain, mask: SecretMask? = SecretMask()
    ) {
        self.directory = directory
        self.repetition = repetition
        self.mask = mask
        // Before words are cut, so that no part of a secret is left.
        let command = mask?.masking(words: command) ?? command
        var room = Self.argumentsByteMax
        self.command = command.prefix(Self.argumentMax).lazy
            .map {
                String(decoding: $0.prefix(Self.argumentByteMax), as: UTF8.self).withoutMarkFloods
            }
            .prefix {
                room -= JSONValue.string($0).encoded().count
                return room >= 0
            }
        isCut = self.command.count < command.count
        self.ending = ending
        // Words of a command and paths contain no zero.
        digest = ReportDigest(
            of: Array((command + [Array(directory.utf8)]).joined(separator: [0])))
    }

    var report: ErrorReport {
        var report = ErrorReport(
            domain: "bus-node.exec", code: Int(ending.exitCode),
            description: "\(shownCommand) \(how).",
            failureReason: lastLines,
            recoverySuggestion: repetition.suggestion)
        // One group for the same command that failed in the same way, on any host.
        report.coalesceKey = "\(digest) \(how)"
        report.userInfo = [
            "command": .string(command.joined(separator: " ")),
            "arguments": .array(command.map { .string($0) }),
            "directory": .string(directory),
            "host": .string(ProcessInfo.processInfo.hostName),
            "durationMilliseconds": .milliseconds(ending.duration),
        ]
        if isCut { report.userInfo["argumentsAreCut"] = true }
        switch ending.status {
        case .exited(let code): report.userInfo["exitCode"] = .integer(Int64(code))
        case .signaled(let number): report.userInfo["signal"] = .integer(Int64(number))
        case .notStarted: report.userInfo["notStarted"] = notStarted.map { .string($0) }
        }
        report.occurredAt = Date.now.formatted(.iso8601)
        return report
    }

    private var shownCommand: String {
        let text = command.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
        let start = text.unicodeScalars.prefix(Self.shownScalarMax)
        guard start.endIndex < text.endIndex || isCut else { return text }
        return String(String.UnicodeScalarView(start.dropLast())) + "…"
    }

    private var how: String {
        switch ending.status {
        case .exited(let code): "failed with exit code \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        case .notStarted: "could not be started"
        }
    }

    /// The reason why the command was not started, as a shell words it; nil if it was. The program
    /// is the one that people see: it may have been a secret's assignment, or a whole script.
    private var notStarted: String? {
        guard case .notStarted(let reason, _) = ending.status else { return nil }
        return "\(command.first ?? ""): \(reason)"
    }

    private var lastLines: String? {
        if let notStarted { return notStarted }
        let said = mask?.masking(ending.errorTail) ?? ending.errorTail
        let lines = said.split(separator: "\n").suffix(Self.errorLineMax)
        return lines.isEmpty ? nil : lines.joined(separator: "\n").withoutMarkFloods
    }
}
