import ArgumentParser
import BusNodeKit
import ErrorBus
import OrderedCollections

/// `bus-node status`: prints the status of a running node.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show a running node's status: links, open presentations, counters, errors.",
        usage: "bus-node status [NODE] [--to ENDPOINT | --topology FILE [--node NODE]] [--json]",
        discussion: """
            A node that does not listen cannot be asked; its parents are asked instead. Exits \
            69 when no node answers within 2 s, 75 when the node is asked too often.

            Example: bus-node status relay-eu --topology topology.yaml
            """)

    @OptionGroup var choice: NodeChoice

    @Argument(help: ArgumentHelp("The node of the topology, as --node.", valueName: "node"))
    var name: String?

    @Flag(help: "Print the status as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            switch try choice.chosen(naming: name, missing: "no node to ask") {
            case .endpoint(let endpoint):
                try printStatus(try await Self.ask(endpoint, endpoint.description))
            case .node(let name, let path):
                let topology = try TopologyLoader.load(path, policiesOf: []).topology
                try await ask(name, in: topology, path)
            }
        }
    }

    private func ask(_ text: String, in topology: Topology, _ path: String) async throws {
        let settings = try topology.node(named: text, in: path)
        let keys = try choice.key.ring(in: topology)
        if let endpoint = settings.endpoint {
            let title = "\(settings.name) at \(endpoint)"
            return try printStatus(try await Self.ask(endpoint, title, keys: keys))
        }
        let hearsay = try await Hearsay(of: settings.name, in: topology, keys: keys)
        try json
            ? StandardOutput.print(hearsay.json) : StandardOutput.print(hearsay.lines)
        if hearsay.isUnknown {
            throw Failure(
                .unavailable, "\(settings.name) has no link with any parent that answered")
        }
    }

    private static func ask(
        _ endpoint: Endpoint, _ title: String, keys: KeyRing? = nil
    ) async throws -> NodeStatus {
        switch await NodeStatus.ask([endpoint], keys: keys).first {
        case .success(let status): return status
        case .failure(let failure): throw Failure(failure, asking: title)
        case nil: throw Failure(.software, "no node was asked")
        }
    }

    private func printStatus(_ status: NodeStatus) throws {
        try json
            ? StandardOutput.print(status.json)
            : StandardOutput.print(StatusText(status).lines)
    }
}

extension Failure {
    init(_ failure: StatusFailure, asking title: String) {
        let status: ExitStatus =
            if case .refused(429, _) = failure { .temporaryFailure } else { .unavailable }
        self.init(status, "\(title): \(failure)")
    }
}
