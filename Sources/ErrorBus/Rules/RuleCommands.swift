import Logging

/// The runner of the commands of added options.
///
/// A command gets the report as JSON on its standard input and, in its environment,
/// `ERRORBUS_DOMAIN`, `ERRORBUS_CODE`, `ERRORBUS_ORIGIN` and `ERRORBUS_OPTION`, and as
/// `ERRORBUS_VALUE_NAME` the value of each field of the option. Exit 0 means recovered, any other
/// exit not recovered.
package struct RuleCommands: Sendable {
    private let runner: any CommandRunner
    private let timeLimit: Duration
    private let encode: @Sendable (ErrorReport) -> [UInt8]

    /// - Parameters:
    ///   - timeLimit: The limit of one command.
    ///   - encode: The writer of the report for the command's input; by default it writes a
    ///     payload.
    package init(
        runner: any CommandRunner, timeLimit: Duration = OptionAttempter.timeLimitDefault,
        encode: @escaping @Sendable (ErrorReport) -> [UInt8] = { $0.payload() }
    ) {
        self.runner = runner
        self.timeLimit = timeLimit
        self.encode = encode
    }

    /// The error after the rule's actions; the same error if they change nothing.
    func applying(
        _ rule: Rule, to error: any Error, _ report: ErrorReport, origin: NodeName,
        logger: Logger
    ) -> any Error {
        var current = error
        for action in rule.actions {
            switch action {
            case .rewrite(let rewrite):
                current = current.rewriting { rewrite.apply(to: &$0) }
            case .redact(let keys):
                current = current.rewriting { $0.redact(keys) }
            case .maskSecrets: current = current.changed { $0.mask(by: SecretMask()) }
            case .removeOption(let ids):
                current = current.rewriting { report in
                    report.options.removeAll { ids.contains($0.id) }
                }
            case .addOption(let added):
                let offered = ErrorReport(describing: current).options
                // An offered option has an owner, which a rule must not replace.
                guard !offered.contains(where: { $0.id == added.id }) else { continue }
                let fieldCount = offered.reduce(added.fields.count) { $0 + $1.fields.count }
                guard offered.count < ErrorReport.Limits.optionCount,
                    fieldCount <= ErrorReport.Limits.fieldCountOfReport
                else {
                    logger.notice(
                        "rule adds no option, the report is full",
                        metadata: ["rule": "\(rule.position)", "option": "\(added.id)"])
                    continue
                }
                current = current.addingRecoveryOptions(added.place, timeLimit: timeLimit) {
                    option(added, report, origin: origin, logger: logger)
                }
            case .withhold, .answer, .route: continue
            }
        }
        return current
    }

    private func option(
        _ added: AddedOption, _ report: ErrorReport, origin: NodeName, logger: Logger
    ) -> RecoveryOption {
        RecoveryOption(
            added.title, id: added.id, role: added.role, needsSignature: added.needsSignature,
            needsTwoPeople: added.needsTwoPeople, fields: added.fields
        ) { [self] values in
            guard !added.run.isEmpty else { return false }
            var environment = [
                "ERRORBUS_DOMAIN": report.domain.replacingScalars(["\0": ""]),
                "ERRORBUS_ORIGIN": origin.description, "ERRORBUS_OPTION": added.id,
            ]
            environment["ERRORBUS_CODE"] = report.code.map(String.init)
            environment.merge(values.environment) { fact, _ in fact }
            let result = try await runner.run(
                added.run, environment: environment, input: encode(report), timeLimit: timeLimit)
            if result.status == .exited(0) {
                logger.info(
                    "option's command ran",
                    metadata: ["option": "\(added.id)", "domain": "\(report.domain)"])
                return true
            }
            // At once: with a part of it masked before, a value would not be found.
            let mask = SecretMask.ofThisProcess.adding(values)
            logger.notice(
                "option's command failed",
                metadata: [
                    "option": "\(added.id)", "status": "\(result.status)",
                    "text": "\(mask.masking(result.standardErrorTail))",
                ])
            return false
        }
    }
}

extension ErrorReport {
    /// Removes these keys from userInfo, here and in underlying errors.
    mutating func redact(_ keys: [String]) {
        for key in keys { userInfo[key] = nil }
        undescribed.removeAll(where: keys.contains)
        for index in underlyingErrors.indices { underlyingErrors[index].redact(keys) }
    }
}

/// A runner of the commands of rules and presenters. The library itself starts no processes.
package protocol CommandRunner: Sendable {
    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - command: Program and arguments, run without a shell.
    ///   - environment: The variables to add to the environment of this process.
    ///   - input: The command's standard input.
    ///   - timeLimit: The limit after which, as on cancellation, the runner ends the command.
    /// - Throws: When the command could not be started, or did not end within its limit.
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult
}

/// The exit and the output of a command.
package struct CommandResult: Hashable, Sendable {
    /// The exit of a process.
    package enum Status: Hashable, Sendable {
        case exited(Int32)
        case signaled(Int32)
    }

    package let status: Status
    /// The beginning of the command's standard output, as much as its runner keeps.
    package let standardOutput: [UInt8]
    /// The end of the command's standard error, as it was written: for a log its secrets have to be
    /// masked.
    package let standardErrorTail: String

    package init(status: Status, standardOutput: [UInt8], standardErrorTail: String) {
        self.status = status
        self.standardOutput = standardOutput
        self.standardErrorTail = standardErrorTail
    }
}
