import ArgumentParser
import BusNodeKit
import ErrorBus

/// `bus-node keygen`: makes the keys of a topology.
struct Keygen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the keys of a topology's tcp links.",
        discussion: """
            Makes a pair for every node of a topology with `keys:`, one for commands on people's \
            machines (client), and one for each --name. Keys that exist stay. Prints where each \
            file goes. Exits 73 when a file cannot be created, 78 when the topology has no `keys:`.

            Example: bus-node keygen topology.yaml
            """)

    @OptionGroup var choice: TopologyChoice

    @Option(
        help: ArgumentHelp(
            "A client with a key of its own, such as a deploy script; may be repeated.",
            valueName: "name"))
    var name: [String] = []

    func run() async throws {
        try await orFail {
            let file = try choice.path()
            let topology = try TopologyLoader.load(file).topology
            guard let path = topology.keys else {
                throw Failure(
                    .badConfiguration,
                    "\(file.shown()): found no keys, expected the folder of its keys; "
                        + "add a line such as keys: keys")
            }
            let clients = try name.map { text throws(Failure) in
                guard let name = NodeName(text), name != .bare else {
                    throw Failure(
                        .usage, "--name: found \"\(text.shown())\", allowed: \(NodeName.allowed)")
                }
                return name
            }
            let folder = KeyFolder(path)
            var lines: [String] = []
            for name in topology.settings.map(\.name) + [KeyFolder.clientName] + clients {
                let isNew = try folder.make(name)
                lines.append(
                    "\(isNew ? "made" : "kept")  \(folder.secretFile(of: name))  only to the "
                        + (topology[name] == nil
                            ? "machines where \(name) runs" : "machine of node \(name)"))
            }
            lines.append("every \(path)/*.key goes to all of these machines")
            try StandardOutput.print(lines)
        }
    }
}
