import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node history`: a search over the history of consoles in the journals.
struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Search what consoles presented and what became of it, as text, CSV or JSON.",
        discussion: """
            Reads the journals (`journal:`) of a topology's nodes, whether or not they run. Prints \
            the latest presentations that match, oldest first; with --events the events of the \
            audit. --by, --origin, --domain and --option take * for any run of characters, --since \
            and --until a time such as 2026-11-21T10:00:00Z, or how long ago, as in 2h. At a \
            terminal text is cut to its width, with short times in UTC and the ends of the ids. \
            JSON is one object a line.

            Example: bus-node history --topology topology.yaml --by ann --since 7d --format csv
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, csv, json
    }

    /// The most frequent ends; a newer node may have others.
    private static let endings: String = {
        let results: [RecoveryResult] = [
            .recovered, .failed, .late, .withdrawn, .invalid, .unknown,
        ]
        let reasons: [Outcome.Reason] = [.expired, .withheld, .declined]
        var words = results.map { $0.words }
        words += [RecoveryResult.failedAgainWord, RecoveryResult.cancelledWord]
        words += reasons.map { $0.words }
        return words.joined(separator: ", ")
    }()

    @OptionGroup var target: TopologyNodes

    @Option(name: .customLong("text"), help: "Only with this text, in any case.")
    var q: String?

    @Option(help: "Only with an answer, claim, proposal or note by this person.")
    var by: String?

    @Option(help: "Only from this node.")
    var origin: String?

    @Option(help: "Only of this domain.")
    var domain: String?

    @Option(help: "Only answered with this option.")
    var option: String?

    @Option(help: "Only of this severity.")
    var severity: String?

    @Option(
        help: """
            Only with this end in words: \(History.endings); \
            without an end: open, claimed or left. '\(Outcome.Reason.expired.words)*' also finds \
            ends that name the option applied.
            """)
    var end: String?

    @Option(help: "Only presented from this time on.")
    var since: String?

    @Option(help: "Only presented before this time.")
    var until: String?

    @Option(help: "The most entries, 1 to 200000.")
    var limit = 1_000

    @Flag(help: "Print the events of the audit instead.")
    var events = false

    @Option(help: "text, csv or json.")
    var format = Format.text

    func check() throws(Failure) {
        try CountOption.check(limit, option: "--limit", in: 1...200_000)
        for (name, value) in [("severity", severity), ("end", end)] {
            guard !events || value == nil else {
                throw Failure(.usage, "--\(name): events have none; leave out --events")
            }
        }
    }

    func run() async throws {
        try await orFail {
            try check()
            let (path, nodes) = try target.chosen()
            let journals = nodes.compactMap(\.journal)
            guard !journals.isEmpty else {
                let those = target.node.map { "node \($0.shown()) has no journal" }
                throw Failure(
                    .badConfiguration,
                    "\(path.shown()): \(those ?? "no node has a journal") (journal: FILE)")
            }
            let archives = try journals.compactMap { try HistoryArchive($0) }
            let filter = try filter
            let columns = Terminal.outputColumnCount
            if events {
                try await show(
                    archives, { (event: EventView) in event.time },
                    { HistoryTable($0, columns: columns).lines }
                ) { try await $0.events(filter, limit: limit).entries }
            } else {
                try await show(
                    archives, { (entry: HistoryEntry) in entry.openedAt },
                    { HistoryTable($0, columns: columns).lines }
                ) { try await $0.presentations(filter, limit: limit).entries }
            }
        }
    }

    private var filter: HistoryFilter {
        get throws {
            let given = [
                "q": q, "by": by, "origin": origin, "domain": domain, "option": option,
                "severity": severity, "end": end, "since": Self.time(since),
                "until": Self.time(until),
            ]
            do throws(InvalidFilter) {
                return try HistoryFilter(given.compactMapValues { $0 })
            } catch {
                throw Failure(.usage, error.forOption)
            }
        }
    }

    /// A time in the written form; another text unchanged, such as the next of a page.
    private static func time(_ text: String?) -> String? {
        text.map { PastTime.read($0) ?? $0 }
    }

    private func show<Entry: JSONObject & Sendable>(
        _ archives: [HistoryArchive], _ time: (Entry) -> String,
        _ table: ([Entry]) -> [String],
        _ search: (HistoryArchive) async throws -> [Entry]
    ) async throws {
        var entries: [Entry] = []
        // Each newest first: so those of one moment keep their order.
        for archive in archives { entries += try await search(archive).reversed() }
        entries = entries.sorted { time($0) < time($1) }.suffix(limit)
        if entries.isEmpty, Terminal.isHeard {
            Terminal.say("bus-node: no \(events ? "event" : "presentation") matches")
        }
        switch format {
        case .json: for entry in entries { try StandardOutput.show(entry.json) }
        case .csv: try StandardOutput.show(text: CSVText.text(entries))
        case .text: try StandardOutput.show(table(entries))
        }
    }
}
