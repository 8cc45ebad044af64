import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Logging
import UnixSignals

/// `bus-node present`: presents one error.
struct Present: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "present",
        abstract: "Present one error and print the option that was chosen.",
        usage: "bus-node present --to ENDPOINT --description TEXT [options]",
        discussion: """
            Exits 0 when an option was chosen that is not cancel, 1 when it was cancel or the \
            error was withheld, 65 for a bad report, 69 when no node could be reached, 74 when the \
            answer cannot be printed, 75 when the deadline passed or a node is busy. Ctrl-C \
            withdraws the presentation and exits 130; a signal that was ignored at the start, as \
            with nohup, stays ignored. A console groups errors with the same domain, code, \
            description and options. With --field an option asks for values; --json prints them \
            with the outcome, including the values of secrets. The comment of the answer is \
            printed on standard error, or with --json in the outcome.

            Example: bus-node present --to tcp://127.0.0.1:7701 --description "Disk full" \
            --option retry=Retry --option cancel=Cancel:cancel
            """)

    @OptionGroup var target: Target
    @OptionGroup var report: ReportOptions

    @Option(help: "Give up after this long, as in 30s; at most 3650d.")
    var deadline: String?

    @Option(help: "A UUID to present under. A repeated id returns the same answer.")
    var id: String?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() async throws {
        BusLogHandler.bootstrap(level: target.logLevel)
        try await orFail {
            let error = PresentedReport(report: try report.errorReport())
            var options = PresentationOptions()
            options.id = try presentationID()
            let (shown, notice) = (ShownMark(), Terminal.isHeard ? WaitingNotice() : nil)
            options.stateChanged = { state in
                shown.take(state)
                notice?.stateChanged(state)
            }
            options.deadline = try deadline.map {
                try Target.duration($0, option: "--deadline")
            }
            let leaf = try target.leaf(
                origin: id == nil ? nil : "present", command: "present",
                logger: Logger(label: "present"))
            let outcome: Outcome
            do {
                outcome = try await Client.run(
                    leaf.node, endingOn: [.sigint, .sigterm, .sighup]
                ) { [options] in
                    await leaf.node.chain.presentError(error, options: options)
                }
            } catch let interrupted as Interrupted {
                Terminal.say("bus-node: withdrawn")
                throw interrupted
            }
            try Self.conclude(
                outcome, offered: error.report.options, values: error.values,
                wasShown: shown.wasShown, json: json)
        }
    }

    private func presentationID() throws -> PresentationID? {
        guard let id else { return nil }
        guard let value = PresentationID(id) else {
            throw Failure(.usage, "--id: found \"\(id)\", allowed: a UUID")
        }
        return value
    }

    /// Prints the outcome and exits with its status.
    ///
    /// - Parameters:
    ///   - values: Those of the chosen option's fields.
    ///   - wasShown: Whether the presentation was in front of a person.
    static func conclude(
        _ outcome: Outcome, offered: [ErrorReport.Option], values: FieldValues = FieldValues(),
        wasShown: Bool, json: Bool
    ) throws {
        let conclusion = Conclusion(outcome, wasShown: wasShown)
        if json {
            try StandardOutput.print(outcome.json(with: values))
        } else if let option = outcome.answer?.option {
            try StandardOutput.print(option)
            if let comment = outcome.commentLine { Terminal.say("bus-node: \(comment)") }
        }
        // Without options the report has one OK, which does not recover and is not a refusal
        // either.
        let okay = RecoveryOption.okay.option.id
        let isAcknowledged = offered.isEmpty && outcome.answer?.option == okay
        if let text = conclusion.text {
            Terminal.say("bus-node: \(text)")
        } else if conclusion.status == .declined, !isAcknowledged,
            let chosen = outcome.answer?.option, !offered.contains(where: { $0.id == chosen })
        {
            // One that a node has added; it has no role here.
            Terminal.say("bus-node: the node's option \(chosen.shown()) did not recover")
        }
        throw (isAcknowledged ? .ok : conclusion.status).exitCode
    }
}
