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
        subcommands: [PolicyTest.self, PolicyFrom.self, PolicyTrial.self])
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

/// The past that a command reads: a console's, or that of a journal without its node.
struct PastTarget: ParsableArguments {
    @OptionGroup var console: InboxTarget

    @Option(help: "A journal's file, to read it without a console; its node may run.")
    var journal: String?

    /// Nil: the console has it.
    func archive() throws -> HistoryArchive? {
        guard let journal else { return nil }
        guard console.to == nil, console.topology == nil, console.node == nil else {
            throw Failure(.usage, "give either --journal FILE or a console")
        }
        guard let archive = try HistoryArchive(journal) else {
            throw Failure.noFile("journal \(journal.shown())")
        }
        return archive
    }
}

/// `bus-node policy from`: a rule made of an answer.
struct PolicyFrom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "from",
        abstract: "Print a policy that answers as a person answered a presentation.",
        discussion: """
            Prints the text of a policy file with one rule: it compares what the presentations of \
            the same cause and answer have in common. Exits 1 when no person answered the \
            presentation, and when no rule can give that answer, for example because it has a \
            secret or needs two people.

            Example: bus-node policy from 01920000 --topology topology.yaml > retry.yaml
            """)

    @OptionGroup var past: PastTarget

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String

    @Flag(help: "Print the console's reply as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let rule: RuleProposalView
            if let archive = try past.archive() {
                rule = try await archive.rule(from: id)
            } else {
                let client = try past.console.client()
                let reply = try await client.get("/presentations/\(try await client.id(id))/rule")
                rule = RuleProposalView(json: reply) ?? RuleProposalView()
            }
            if json { return try StandardOutput.print(rule.json) }
            try StandardOutput.show(text: rule.shownRule)
        }
    }
}

/// `bus-node policy trial`: a dry run of a policy against the past.
struct PolicyTrial: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial",
        abstract: "Show what a policy would have done with what consoles presented.",
        discussion: """
            Counts the presentations that its rules match, what they would have answered, and what \
            people answered. Rules apply as in a node, each at the time of the presentation and \
            with its limit; dryRun has no effect. Exits 78 when the policy file is wrong. A \
            console expands no ${NAME}; with --journal the command expands it from its own \
            environment.

            Example: bus-node policy trial retry.yaml --days 7 --topology topology.yaml
            """)

    @OptionGroup var past: PastTarget

    @Argument(help: "The policy file, YAML or JSON.")
    var file: String

    @Option(help: "How many days back, 1 to 30.")
    var days = ConsoleLimits.trialDays

    @Flag(help: "Print the counts, and the ids of presentations, as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            try CountOption.check(days, option: "--days", in: 1...ConsoleLimits.trialDaysMax)
            let archive = try past.archive()
            let rules = try TopologyReader.readPolicy(
                file, environment: ProcessInfo.processInfo.environment,
                open: { (path) throws(ConfigurationFailure) in try YAMLConfiguration.read(path) })
            let trial: RuleTrialView
            if let archive {
                trial = try await archive.trial(rules, days: days)
            } else {
                let text = try String(contentsOfFile: file, encoding: .utf8)
                let reply = try await past.console.client().post(
                    "/rules/trial", ["policy": .string(text), "days": .integer(Int64(days))])
                trial = RuleTrialView(json: reply) ?? RuleTrialView()
            }
            if json { return try StandardOutput.print(trial.json) }
            try StandardOutput.show(trial.lines)
        }
    }
}
