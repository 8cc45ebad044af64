import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Glibc
import Logging
import Synchronization

/// `bus-node exec`: runs a command, and presents its failure.
struct Exec: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command; when it fails, present the error with Retry, Skip and Abort.",
        discussion: """
            Retry runs the command again, Skip exits 0, Abort exits with the command's status. \
            When no node can be reached, exec exits with the command's status as well, or with 69 \
            if the topology says whenUnreachable: fail. Exits 128 + N when signal N ended the \
            command, 127 when it was not found, 126 when it could not be run. Input, output and \
            signals pass through; a signal that was ignored at the start, as with nohup, stays \
            ignored, for the command as well. Redirect the standard error of what the command \
            leaves running, as in server 2>server.log &: exec reads it, and after the end of exec \
            the next line there ends the process. A command that fails within 10 s of Ctrl-C is \
            not presented. A console groups failures of the same command, in the same way and in \
            the same directory, on any host. Without a terminal, as from cron, a failure waits for \
            a day at most, and at most 20 processes with the same command wait at a time: see \
            --deadline and --max-waiting.

            The report has the command and the end of its standard error. What looks like a secret \
            there is masked: values of names such as password and token, credentials in URLs, and \
            the values of such names in the environment. A secret without such a sign is not \
            masked: give secrets to the command in files or in the environment.

            With --field a person or a policy can give values for the next run, which has them in \
            its environment. The comment of an answer is printed, and the next run has it as \
            ERRORBUS_COMMENT.

            Example: bus-node exec --to tcp://127.0.0.1:7701 -- rsync -a /data backup:/data
            """)

    @OptionGroup var target: Target

    @Option(help: "How many times Retry is offered; without a limit when not given.")
    var retriesOffered: Int?

    @Option(
        name: .customLong("field"),
        help: """
            A value for the command, as NAME=LABEL, then :text (the default), :number, :boolean, \
            :secret or :choice(A,B), and :optional or :default(VALUE); a number takes :min(N), \
            :max(N) and :whole, a text or secret :minLength(N), :maxLength(N) and \
            :pattern(PATTERN), a text with * for any run of characters, or a /REGEX/. Offers Retry \
            with values, which runs the command with it in ERRORBUS_VALUE_NAME. Repeatable, in \
            order.
            """)
    var fields: [String] = []

    @Option(
        help: """
            Give up waiting for an answer after this long, each time, as in 30m, or none for no \
            limit but the topology's. BUS_NODE_EXEC_DEADLINE when not given, else the topology's, \
            else 24h when standard input is no terminal.
            """)
    var deadline: String?

    @Option(help: "The option applied when no answer comes in time: retry, skip or abort.")
    var onExpiry: String?

    @Option(
        help: """
            How many processes of this user wait for an answer at a time with the same command, \
            arguments and directory: 1 to 1000, or none for no limit. Beyond it a failure is not \
            presented, and exec ends as the command did. BUS_NODE_EXEC_MAX_WAITING when not given, \
            else 20 when standard input is no terminal.
            """)
    var maxWaiting: String?

    @Flag(help: "Do not print the state of the presentation.")
    var quiet = false

    @Flag(help: "Mask only given secrets in the report, not what looks like one.")
    var showSecrets = false

    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String]

    func check() throws(Failure) {
        guard let program = command.first, !program.isEmpty else {
            throw Failure(
                .usage, "no command; expected: bus-node exec [options] -- COMMAND ARG...")
        }
        if let retriesOffered {
            try CountOption.check(retriesOffered, option: "--retries-offered", in: 0...)
        }
        if let onExpiry, !["retry", "skip", "abort"].contains(onExpiry) {
            throw Failure(
                .usage,
                "--on-expiry: found \"\(onExpiry.shown())\", allowed: retry, skip, abort")
        }
    }

    func run() async throws {
        BusLogHandler.bootstrap(level: target.logLevel)
        try await orFail {
            try check()
            // All words of the command; only the first was parsed.
            let raw = RawArguments.command
            let words = raw.isEmpty ? command.map { Array($0.utf8) } : raw
            var options = PresentationOptions()
            options.onExpiry = onExpiry
            let waitingMax = try Self.waitingMax(given: maxWaiting)
            let asked = try fields.map { try FieldText($0, option: "--field").field() }
            // As a parent reads them: with names that differ, and not too many.
            try FieldText.check(asked, option: "--field")
            let logger = Logger(label: "exec")
            let leaf = try target.leaf(origin: nil, command: "exec", logger: logger)
            options.deadline = try Self.deadline(given: deadline, topology: leaf.deadline)
            let attempts = CommandAttempts(
                command: words, retriesOffered: retriesOffered, fields: asked, options: options,
                isQuiet: quiet,
                mask: showSecrets ? nil : .ofThisProcess,
                waitingLimit: waitingMax.map { WaitingLimit(countMax: $0, logger: logger) },
                next: leaf.node.chain)
            let status = try await Client.run(leaf.node) { try await attempts.run() }
            throw ExitCode(
                status.isUnreachable && leaf.failsByTopology
                    ? ExitStatus.unavailable.rawValue : status.code)
        }
    }

    /// How long a presentation waits when nothing says it and no person sees it wait: that of a
    /// daily job ends before its third run.
    static let deadlineWithoutTerminal: Duration = .seconds(24 * 3_600)

    /// The time that each presentation has; nil without a limit of this command.
    ///
    /// - Parameter topology: The deadline that the topology has for it, which counts beside nil.
    static func deadline(
        given: String?, topology: Duration?,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        hasTerminal: Bool = isatty(STDIN_FILENO) != 0
    ) throws -> Duration? {
        guard let text = given ?? environment[filled: "BUS_NODE_EXEC_DEADLINE"] else {
            return hasTerminal || topology != nil ? nil : deadlineWithoutTerminal
        }
        if text == "none" { return nil }
        return try Target.duration(
            text, option: given == nil ? "BUS_NODE_EXEC_DEADLINE" : "--deadline",
            words: ", or none")
    }

    /// How many processes of the command may wait; nil without a limit.
    static func waitingMax(
        given: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
        hasTerminal: Bool = isatty(STDIN_FILENO) != 0
    ) throws(Failure) -> Int? {
        guard let text = given ?? environment[filled: "BUS_NODE_EXEC_MAX_WAITING"] else {
            // At a terminal a person sees each of them.
            return hasTerminal ? nil : WaitingLimit.countMaxWithoutTerminal
        }
        if text == "none" { return nil }
        let allowed = WaitingLimit.allowed
        guard let count = Int(text), allowed.contains(count) else {
            throw Failure(
                .usage,
                "\(given == nil ? "BUS_NODE_EXEC_MAX_WAITING" : "--max-waiting"): "
                    + "found \"\(text.shown())\", allowed: \(allowed.lowerBound) to "
                    + "\(allowed.upperBound), or none")
        }
        return count
    }
}
