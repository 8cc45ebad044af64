import ErrorBus
import Foundation
import Logging

/// The rules of one file, as a live node would apply them, without anything being run.
struct RuleList {
    /// `responders` or `policy`.
    let name: String
    /// The file that the rules stand in.
    let file: String
    let book: RuleBook

    /// Applies them to an error that arose in `origin`.
    func evaluate(_ report: ErrorReport, origin: NodeName, date: Date) -> RuleReading {
        let evaluation = RuleWalk(
            book, origin: origin, commands: RuleCommands(runner: IdleRunner()),
            logger: Logger(label: "explain") { _ in SwiftLogNoOpLogHandler() }, date: { date }
        ).explain(PresentedReport(report: report))
        return RuleReading(
            list: self, steps: evaluation.steps, ending: evaluation.ending,
            report: ErrorReport(describing: evaluation.error))
    }

    /// `rule 2 (policy.yaml:5)`.
    func title(of rule: Rule) -> String {
        "rule \(rule.position) (\(file.shown())\(rule.line.map { ":\($0)" } ?? ""))"
    }
}

/// What a list of rules made of a report.
struct RuleReading {
    let list: RuleList
    let steps: [RuleStep]
    let ending: RuleEvaluation.Ending
    let report: ErrorReport
}

/// Explaining builds options; it never attempts one.
private struct IdleRunner: CommandRunner {
    func run(
        _ command: [String], environment: [String: String], input: [UInt8], timeLimit: Duration
    ) async throws -> CommandResult {
        throw CancellationError()
    }
}
