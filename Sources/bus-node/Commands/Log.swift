import ArgumentParser
import ErrorBus
import Foundation
import Logging
import OrderedCollections

/// `bus-node log`: what was asked, by whom it was answered, and what came of it.
struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what was asked, by whom it was answered and what came of it.",
        discussion: """
            Reads the event logs (`events:`) and journals (`journal:`) of a topology's nodes. \
            What ended without an answer is listed after the rest, and there only. With an id, \
            every event of that presentation on every node. At a terminal a table is cut to its \
            width and has the ends of the ids. Times are UTC. With --reoffer, what ended \
            unanswered is presented once more to the node whose journal has it, and the chosen \
            option is printed; the exit status is that of `present`.

            Example: bus-node log --topology topology.yaml
            """)

    @Option(help: "The topology file; BUS_NODE_TOPOLOGY when not given.")
    var topology: String?

    @Option(help: "Only what this node wrote.")
    var node: String?

    @Flag(help: "Print the events, or the outcome, as JSON lines.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Present again what ended unanswered under this id, or the beginning or end of one.",
            valueName: "id"))
    var reoffer: String?

    @Option(
        help: ArgumentHelp(
            "Only presentations that something happened to in this last while, as in 1h.",
            valueName: "duration"))
    var since: String?

    @Option(help: "Only so many of the last, of each list.")
    var tail: Int?

    @Argument(help: "A presentation's id, or the beginning or end of one.")
    var id: String?

    func validate() throws {
        guard tail.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--tail: found \(tail ?? 0), allowed: 1 and above")
        }
    }

    func run() async throws {
        BusLogHandler.bootstrap(level: .warning)
        try await orFail {
            guard
                let path = topology ?? ProcessInfo.processInfo.environment["BUS_NODE_TOPOLOGY"]
            else { throw Failure(.usage, "give --topology FILE or set BUS_NODE_TOPOLOGY") }
            let nodes = try nodes(of: TopologyLoader.load(path).topology, path)
            if let reoffer {
                guard id == nil else { throw Failure(.usage, "--reoffer has its id already") }
                return try await Reoffer(reoffer, topology: path, nodes: nodes).run(json: json)
            }
            try show(nodes)
        }
    }

    private func show(_ nodes: [NodeSettings]) throws {
        let part = id.map { PartialID($0) }
        let isAsked = { (event: LoggedEvent) in part?.matches(event["id"]) ?? true }
        var events = try Set(nodes.compactMap(\.events)).sorted()
            .flatMap { try readable($0) }.filter(isAsked)
            .sorted { ($0["time"], $0.position) < ($1["time"], $1.position) }
        var dead = try nodes.flatMap { node in
            try node.journal.flatMap { try DeadLetters($0) }?.rows()
                .map { $0.event(node: node.name) } ?? []
        }.filter(isAsked).sorted { $0["time"] < $1["time"] }
        if let id, events.isEmpty, dead.isEmpty {
            throw Failure(.declined, "no presentation \(id) in the logs")
        }
        if let since {
            let length = try Target.duration(since, option: "--since")
            let start = Date(timeIntervalSinceNow: -Double(length / .milliseconds(1)) / 1_000)
                .formatted(SQLiteJournal.timeStyle)
            let recent = Set(events.filter { $0["time"] >= start }.map { $0["id"] })
            events.removeAll { !recent.contains($0["id"]) }
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

    private func nodes(of topology: Topology, _ path: String) throws -> [NodeSettings] {
        let named = try node.map { [try topology.node(named: $0, in: path)] }
        let nodes = named ?? Array(topology.nodes.values)
        guard nodes.contains(where: { $0.events != nil || $0.journal != nil }) else {
            throw Failure(
                .badConfiguration,
                "\(path): no node has an event log (events: FILE) or a journal (journal: FILE)")
        }
        return nodes
    }

    private func readable(_ file: String) throws -> [LoggedEvent] {
        let (events, unreadable) = try LoggedEvent.read(file)
        if unreadable > 0 {
            let lines = unreadable == 1 ? "1 line is" : "\(unreadable) lines are"
            Terminal.say("bus-node: \(file.shown()): \(lines) no event and left out")
        }
        return events
    }
}
