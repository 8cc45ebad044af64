import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation
import Logging
import UnixSignals

/// `bus-node log`: past presentations with their answers and results.
struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show past presentations with their answers and results.",
        discussion: """
            Reads the ledgers (`events:`) and journals (`journal:`) of a topology's nodes. \
            Presentations that ended without an answer have a table of their own, after the rest. \
            With an id, prints every event of that presentation on every node. At a terminal a \
            table is cut to the terminal's width and has the ends of the ids. Times are UTC. \
            --reoffer presents an unanswered error again, to the node whose journal has it, and \
            prints the chosen option, and on standard error what it waits for; it exits with the \
            status of `present`.

            Example: bus-node log --topology topology.yaml
            """)

    @OptionGroup var target: TopologyNodes

    @Flag(help: "Print the events, or the outcome, as JSON lines.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Present again the unanswered error with this id, or the beginning or end of one.",
            valueName: "id"))
    var reoffer: String?

    @Option(
        help: """
            With --reoffer: how long to wait for the node, as in 10s; when not given, the \
            topology's value for it. Without an effect where that has whenUnreachable: hold.
            """)
    var grace: String?

    @Option(
        help: ArgumentHelp(
            "Only presentations with an event since a time, or in the last 7d or 2h.",
            valueName: "time"))
    var since: String?

    @Option(help: "Only this many rows of each table, the last ones.")
    var tail: Int?

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String?

    func check() throws(Failure) {
        if let tail { try CountOption.check(tail, option: "--tail", in: 1...) }
        guard grace == nil || reoffer != nil else {
            throw Failure(.usage, "--grace: allowed only with --reoffer")
        }
        for (option, isGiven) in [("--since", since != nil), ("--tail", tail != nil)]
        where isGiven && reoffer != nil {
            throw Failure(.usage, "\(option): not allowed with --reoffer, which shows no rows")
        }
    }

    /// The time of `--since` in the written form; nil without it.
    static func start(_ since: String?, now: Date = Date()) throws(Failure) -> String? {
        guard let since else { return nil }
        guard let start = PastTime.read(since, now: now) else {
            throw Failure(
                .usage, "--since: found \"\(since.shown())\", allowed: \(PastTime.allowed)")
        }
        return start
    }

    func run() async throws {
        BusLogHandler.bootstrap(level: .warning)
        try await orFail {
            try check()
            let (path, nodes) = try target.chosen()
            guard nodes.contains(where: { $0.events != nil || $0.journal != nil }) else {
                let those = target.node.map {
                    "node \($0.shown()) has no ledger (events: FILE) and no journal"
                }
                let all = "no node has a ledger (events: FILE) or a journal"
                throw Failure(
                    .badConfiguration, "\(path.shown()): \(those ?? all) (journal: FILE)")
            }
            if let reoffer {
                if let id {
                    throw Failure(
                        .usage,
                        "found two ids, \(id.shown()) and --reoffer \(reoffer.shown()); give the "
                            + "latter alone")
                }
                return try await Reoffer(reoffer, topology: path, nodes: nodes, grace: grace)
                    .run(json: json)
            }
            try show(nodes)
        }
    }

    private func show(_ nodes: [TopologyNode]) throws {
        let part = id.map { PartialID($0) }
        let isAsked = { (event: LoggedEvent) in part?.matches(event["id"]) ?? true }
        var events = try Set(nodes.compactMap(\.events)).sorted()
            .flatMap { try readable($0) }.filter(isAsked)
            .sorted { ($0["time"], $0.position) < ($1["time"], $1.position) }
        var dead = try nodes.flatMap { node in
            try node.journal.map { try unanswered(in: $0) }?
                .map { $0.event(node: node.name) } ?? []
        }.filter(isAsked).sorted { $0["time"] < $1["time"] }
        if let id {
            let ids = Set((events + dead).map { $0["id"] })
            guard !ids.isEmpty else {
                throw Failure(.declined, PartialID.unknown(id, in: "the logs"))
            }
            guard ids.count == 1 else {
                throw Failure(.usage, PartialID.ambiguity(id, Array(ids)))
            }
        }
        if let start = try Self.start(since) {
            events = events.recent(since: start)
            dead.removeAll { $0["time"] < start }
        }
        guard json || id != nil else { return try showTables(events, dead) }
        if let tail { dead = dead.suffix(tail) }
        if let tail { events = events.suffix(tail) }
        try StandardOutput.show((events + dead).map { json ? $0.line : $0.sentence })
    }

    private func showTables(_ events: [LoggedEvent], _ dead: [LoggedEvent]) throws {
        let columns = Terminal.outputColumnCount
        let table = AuditTable(events, dead: dead, columns: columns, limit: tail)
        let gap = table.deadLines.isEmpty ? [] : [""]
        try StandardOutput.show(table.lines + gap + table.deadLines)
    }

    private func unanswered(in journal: String) throws -> [JournalRow] {
        let most = DeadLetters.rowsMax
        guard let rows = try DeadLetters(journal)?.rows(withPartOfID: id, limit: most + 1) else {
            return []
        }
        if rows.count > most {
            Terminal.say(
                "bus-node: \(journal.shown()): the newest \(most) of those that ended without an "
                    + "answer; for an older one give its id")
        }
        return rows.suffix(most)
    }

    private func readable(_ file: String) throws -> [LoggedEvent] {
        let (events, unreadable) = try LoggedEvent.read(file)
        if unreadable > 0 {
            let lines = unreadable == 1 ? "1 line is no event" : "\(unreadable) lines are no events"
            Terminal.say("bus-node: \(file.shown()): \(lines); skipped")
        }
        return events
    }
}

/// Presents an error again that ended without an answer, to the node whose journal has it.
///
/// The original caller is gone or went on. So this is a new presentation, whose `retryOf` names the
/// old one, and choosing an option has no effect but its record.
struct Reoffer {
    private let row: JournalRow
    private let journal: String
    private let node: NodeName
    private let topology: String
    private let grace: String?

    /// - Parameter grace: How long to wait for the node, as in 10s; nil as the topology has it.
    /// - Throws: When no journal has the id, the id is ambiguous, or the presentation did not end
    ///   without an answer.
    init(_ id: String, topology: String, nodes: [TopologyNode], grace: String?) throws {
        if let grace { _ = try Target.duration(grace, option: "--grace") }
        var found: [(row: JournalRow, journal: String, node: TopologyNode)] = []
        for node in nodes {
            guard let path = node.journal, let letters = try DeadLetters(path) else { continue }
            found += try letters.allRows(withPartOfID: id).map { ($0, path, node) }
        }
        guard let first = found.first else {
            throw Failure(.declined, PartialID.unknown(id, in: "the journals"))
        }
        guard Set(found.map(\.row.id)).count == 1 else {
            throw Failure(.usage, PartialID.ambiguity(id, found.map(\.row.id)))
        }
        // Of two presenters that showed it, the one where it is still a dead letter.
        let chosen = found.first { Self.problem(of: $0.row, at: $0.node) == nil } ?? first
        (row, journal, node) = (chosen.row, chosen.journal, chosen.node.name)
        self.topology = topology
        self.grace = grace
        if let problem = Self.problem(of: row, at: chosen.node) {
            throw Failure(.badData, "\(row.id) \(problem)")
        }
    }

    private static func problem(of row: JournalRow, at node: TopologyNode) -> String? {
        if !row.isIntact { return "is damaged in the journal: it is not presented again" }
        if let option = row.option {
            return "was answered with \(option.shown()): there is nothing to present again"
        }
        switch row.endReason {
        case nil:
            return "has no end in the journal: it is open, or was when node "
                + "\(node.name.description.shown()) last went down, and its origin may still ask "
                + "for it; if the origin has given up, present the error again with "
                + "bus-node present"
        case DeadLetters.reoffered.rawValue: return "was presented again and answered before"
        case Outcome.Reason.declined.rawValue where node.next.isEmpty:
            return "was declined by each presenter of node \(node.name.description.shown()), which "
                + "has no next: it ended there without an answer, and is not presented again"
        case Outcome.Reason.declined.rawValue:
            return "was passed on to the next node: there is nothing to present again here"
        default: return nil
        }
    }

    func run(json: Bool) async throws {
        var report = try ErrorReport(payload: Array(row.report))
        report.retryOf = PresentationID(row.id)
        // An option that is applied for want of an answer is no answer.
        report.onExpiry = nil
        let target = try Target.parse(
            ["--topology", topology, "--node", node.description]
                + (grace.map { ["--grace", $0] } ?? []))
        let leaf = try target.leaf(
            origin: nil, command: "reoffer", logger: Logger(label: "log"))
        let error = PresentedReport(report: report)
        var options = PresentationOptions()
        // Always, as exec does: the node may be away, and with hold it waits without a limit.
        let (shown, notice) = (ShownMark(), WaitingNotice())
        options.stateChanged = { state in
            shown.take(state)
            notice.stateChanged(state)
        }
        let outcome = try await Client.run(leaf.node, endingOn: [.sigint, .sigterm, .sighup]) {
            [options] in
            await leaf.node.chain.presentError(error, options: options)
        }
        if outcome.answer != nil { try await markAsAnswered() }
        try Present.conclude(
            outcome, offered: report.options, wasShown: shown.wasShown, json: json)
    }

    /// Removes it from the list of unanswered presentations.
    private func markAsAnswered() async throws {
        guard let id = PresentationID(row.id) else { return }
        do {
            try await SQLiteJournal(journal).ended(id, DeadLetters.reoffered)
        } catch {
            Terminal.say("bus-node: \(row.id) is still listed as unanswered: \(error)")
        }
    }
}
