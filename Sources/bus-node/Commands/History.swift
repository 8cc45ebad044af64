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
            and --until a time such as 2026-11-21T10:00:00Z, a day (in UTC; --until includes it), \
            or how long ago, as in 2h. At a terminal text is cut to its width, with short times in \
            UTC and the ends of the ids. JSON is one object a line.

            Example: bus-node history --topology topology.yaml --by ann --since 7d --format csv
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, csv, json
    }

    @OptionGroup var target: TopologyNodes

    @OptionGroup var search: FilterOptions

    @Option(help: "The most entries, 1 to 200000.")
    var limit = 1_000

    @Flag(help: "Print the events of the audit instead.")
    var events = false

    @Option(help: "text, csv or json.")
    var format = Format.text

    func check() throws(Failure) {
        try CountOption.check(limit, option: "--limit", in: 1...200_000)
        for (name, value) in [("severity", search.severity), ("end", search.end)] {
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
            for node in nodes where node.journal != nil && !node.hasConsole {
                Terminal.say(
                    "bus-node: \(node.name) has no console, which would keep its history: see "
                        + "bus-node log")
            }
            let archives = try journals.compactMap { try HistoryArchive($0) }
            let filter = try search.filter
            let columns = Terminal.outputColumnCount
            if events {
                try await show(
                    archives, { (event: EventView) in event.time },
                    { HistoryTable($0, columns: columns).lines }
                ) { try await $0.events(filter, limit: limit) }
            } else {
                try await show(
                    archives, { (entry: HistoryEntry) in entry.openedAt },
                    { HistoryTable($0, columns: columns).lines }
                ) { try await $0.presentations(filter, limit: limit) }
            }
        }
    }

    private func show<Entry: JSONObject & Sendable>(
        _ archives: [HistoryArchive], _ time: (Entry) -> String,
        _ table: ([Entry]) -> [String],
        _ search: (HistoryArchive) async throws -> HistoryPage<Entry>
    ) async throws {
        var entries: [Entry] = []
        // Each newest first: so those of one moment keep their order.
        var isCut = false
        for archive in archives {
            let page = try await search(archive)
            isCut = isCut || page.next != nil
            entries += page.entries.reversed()
        }
        isCut = isCut || entries.count > limit
        entries = entries.sorted { time($0) < time($1) }.suffix(limit)
        if isCut {
            Terminal.say("bus-node: more match than the \(entries.count) latest shown (--limit)")
        }
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
