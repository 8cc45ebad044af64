import ArgumentParser
import ErrorBus
import Foundation
import OrderedCollections

/// Which console an inbox command talks to, and who speaks.
struct InboxTarget: ParsableArguments {
    @Option(
        help: """
            The console's address, as http://127.0.0.1:8080 or the whole address with ?token= \
            that the node printed; BUS_NODE_CONSOLE when not given.
            """)
    var to: String?

    @Option(
        help: "A topology file, to find the console by its node's name; else BUS_NODE_TOPOLOGY.")
    var topology: String?

    @Option(help: "The node of the topology that has the console.")
    var node: String?

    @Option(help: "The file that the console's token is in; BUS_NODE_CONSOLE_TOKEN is the token.")
    var tokenFile: String?

    /// The console to talk to.
    func client() throws -> ConsoleClient {
        let environment = ProcessInfo.processInfo.environment
        guard to == nil || (topology == nil && node == nil) else {
            throw Failure(.usage, "give either --to ADDRESS or --topology FILE --node NAME")
        }
        var address: ConsoleAddress
        if let to {
            address = try ConsoleAddress(to, option: "--to")
        } else if topology == nil, node == nil, let text = environment["BUS_NODE_CONSOLE"] {
            address = try ConsoleAddress(text, option: "BUS_NODE_CONSOLE")
        } else if let path = topology ?? environment["BUS_NODE_TOPOLOGY"] {
            address = try self.address(in: path)
        } else {
            throw Failure(
                .usage,
                "no console: give --to http://HOST:PORT, or --topology FILE --node NAME, or set "
                    + "BUS_NODE_CONSOLE")
        }
        if let tokenFile {
            address.token = try ConsoleToken(file: tokenFile).text
        } else {
            address.token = address.token ?? environment["BUS_NODE_CONSOLE_TOKEN"]
        }
        return ConsoleClient(address)
    }

    /// A topology with one console needs no node's name.
    private func address(in path: String) throws -> ConsoleAddress {
        let topology = try TopologyLoader.load(path).topology
        let consoles = topology.settings.compactMap { node in
            node.presenters.lazy.compactMap(\.console).first.map { (node: node.name, $0) }
        }
        let known = consoles.map(\.node.description).joined(separator: ", ")
        let wanted = consoles.filter { node == nil || $0.node.description == node }
        guard let (name, settings) = wanted.first, wanted.count == 1 else {
            let found = node.map { "no node \"\($0)\" with a console" } ?? "no --node"
            guard !consoles.isEmpty else {
                throw Failure(
                    .usage,
                    "\(path.shown()): no node has a console; add one to a node's presenters, as in "
                        + "console: { listen: 127.0.0.1:8080, token: file:PATH }")
            }
            throw Failure(.usage, "\(path.shown()): found \(found); nodes with a console: \(known)")
        }
        return try ConsoleAddress(settings, of: name)
    }
}

extension PresenterSettings {
    fileprivate var console: ConsoleSettings? {
        if case .console(let settings) = self { settings } else { nil }
    }
}
