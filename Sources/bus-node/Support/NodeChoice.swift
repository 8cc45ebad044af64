import ArgumentParser
import ErrorBus
import Foundation

/// Which running node a command is about: an endpoint, or a node of a topology.
struct NodeChoice: ParsableArguments {
    enum Chosen {
        case endpoint(Endpoint)
        case node(String, topology: String)
    }

    @Option(
        help: """
            The endpoint of the node, as tcp://HOST:PORT or ipc://PATH; BUS_NODE_TO when nothing \
            is given.
            """)
    var to: String?

    @Option(
        help: "A topology file, to find the node by its name; else BUS_NODE_TOPOLOGY.")
    var topology: String?

    @Option(
        help: """
            The node of the topology. One that listens nowhere cannot be asked: present and exec \
            take it on (its settings apply and its parent is presented to), status asks its \
            parents about it.
            """)
    var node: String?

    /// - Parameters:
    ///   - argument: The node's name where the command has an argument for it.
    ///   - missing: What cannot be done when nothing is given.
    func chosen(
        naming argument: String? = nil, missing: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Failure) -> Chosen {
        let name = argument ?? node
        if let argument, let node, argument != node {
            throw Failure(
                .usage, "found two nodes, \(argument.shown()) and --node \(node.shown())")
        }
        guard to == nil || (topology == nil && name == nil) else {
            throw Failure(.usage, "give either --to ENDPOINT or --topology FILE --node NAME")
        }
        let isNamed = topology != nil || name != nil
        if let text = isNamed ? nil : to ?? environment["BUS_NODE_TO"] {
            do throws(EndpointError) {
                return .endpoint(try Endpoint(text))
            } catch {
                throw Failure(.usage, "\(to == nil ? "BUS_NODE_TO" : "--to"): \(error)")
            }
        }
        guard let path = topology ?? environment["BUS_NODE_TOPOLOGY"] else {
            throw Failure(
                .usage,
                "\(missing): give --to ENDPOINT, or --topology FILE --node NAME, or set "
                    + "BUS_NODE_TO or BUS_NODE_TOPOLOGY")
        }
        guard let name = name ?? environment["BUS_NODE_NODE"] else {
            throw Failure(.usage, "\(missing): \(path.shown()) needs a node's name, as --node NAME")
        }
        return .node(name, topology: path)
    }
}
