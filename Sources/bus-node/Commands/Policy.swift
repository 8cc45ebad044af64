import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node policy`: commands for policy files.
struct Policy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Work with policy files.",
        discussion: "Example: bus-node policy test policy.yaml --report error.json",
        subcommands: [PolicyTest.self])
}

/// `bus-node policy test`: what a policy file would answer, for CI.
struct PolicyTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Show which rule of a policy file matches a report, and what it answers.",
        discussion: """
            Exits 0 when a rule answers, 1 when the policy declines or withholds, 78 when the \
            policy file is wrong. The rules are applied as in a node; limits count as \
            unused.

            Example: bus-node policy test policy.yaml --report error.json
            """)

    @Argument(help: "The policy file, YAML or JSON.")
    var file: String

    @Option(help: "The error report as JSON; - reads standard input.")
    var report: String

    @Option(help: "The node the error arose in, for rules that match on origin.")
    var origin: String = "origin"

    @Option(help: "When it happens, for rules with `during`, as in 2026-11-21T09:30:00Z.")
    var at: String?

    @Flag(help: "Print the rules that matched, and the answer, as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let rules = try TopologyReader.readPolicy(
                file, environment: ProcessInfo.processInfo.environment,
                open: { (path) throws(ConfigurationFailure) in try YAMLConfiguration.read(path) })
            let list = RuleList(
                name: "policy", file: file, book: RuleBook(rules, mode: .firstMatch))
            let reading = list.evaluate(
                try ReportFile.read(report), origin: try Explain.name(origin) ?? "origin",
                date: try MomentOption.date(at, option: "--at"))
            try StandardOutput.print(json ? [reading.verdictJSON] : reading.verdictLines)
            if case .answered = reading.ending { return }
            throw ExitStatus.declined.exitCode
        }
    }
}
