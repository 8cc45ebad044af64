import ArgumentParser
import ErrorBus
import Foundation
import OrderedCollections

/// `bus-node log`: what was asked, by whom it was answered, and what came of it.
struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what was asked, by whom it was answered and what came of it.",
        discussion: """
            Reads the event logs (`events:`) of a topology's nodes. With an id, every event of \
            that presentation on every node.

            Example: bus-node log --topology topology.yaml
            """)

    @Option(help: "The topology file; BUS_NODE_TOPOLOGY when not given.")
    var topology: String?

    @Option(help: "Only what this node wrote.")
    var node: String?

    @Flag(help: "Print the events as JSON lines.")
    var json = false

    @Argument(help: "A presentation's id, or the beginning of one.")
    var id: String?

    func run() async throws {
        try await orFail {
            guard
                let path = topology ?? ProcessInfo.processInfo.environment["BUS_NODE_TOPOLOGY"]
            else { throw Failure(.usage, "give --topology FILE or set BUS_NODE_TOPOLOGY") }
            let events = try events(of: TopologyLoader.load(path).topology, path)
                .filter { event in id.map { event["id"].hasPrefix($0.lowercased()) } ?? true }
            if let id, events.isEmpty {
                throw Failure(.declined, "no presentation \(id) in the logs")
            }
            if json {
                try StandardOutput.print(events.map(\.line))
            } else if id != nil {
                try StandardOutput.print(events.map(\.sentence))
            } else {
                try StandardOutput.print(AuditTable(events).lines)
            }
        }
    }

    private func events(of topology: Topology, _ path: String) throws -> [LoggedEvent] {
        let named = try node.map { text in
            guard let name = NodeName(text), let settings = topology.nodes[name] else {
                let known = topology.nodes.keys.map(\.description).joined(separator: ", ")
                throw Failure(.usage, "\(path): no node \"\(text)\"; there are: \(known)")
            }
            return [settings]
        }
        let files = (named ?? Array(topology.nodes.values)).compactMap(\.events)
        guard !files.isEmpty else {
            throw Failure(.badConfiguration, "\(path): no node has an event log (events: FILE)")
        }
        return try Set(files).sorted().flatMap { file in
            let (events, unreadable) = try LoggedEvent.read(file)
            if unreadable > 0 {
                let lines = unreadable == 1 ? "1 line is" : "\(unreadable) lines are"
                Terminal.say("bus-node: \(file.shown()): \(lines) no event and left out")
            }
            return events
        }
        .sorted { ($0["time"], $0.position) < ($1["time"], $1.position) }
    }
}
