import ArgumentParser
import BusNodeKit
import ErrorBus

/// `bus-node keygen`: makes the keys of a topology.
struct Keygen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make the keys of a topology's tcp links.",
        discussion: """
            Makes a pair for every node of a topology with `keys:`, one for commands on people's \
            machines (client), and one for each --name. Keys that exist stay. Prints where each \
            file goes. Exits 73 when a file cannot be created, 78 when the topology has no `keys:`.

            To replace a pair while nodes run: --replace, copy the public file to every machine \
            and send the nodes SIGHUP; copy the secret file to its own machine and restart what \
            uses it; then --retire, copy the public file once more and send the nodes SIGHUP \
            again.

            Example: bus-node keygen topology.yaml
            """)

    @OptionGroup var choice: TopologyChoice

    @Option(
        help: ArgumentHelp(
            "A client with a key of its own, such as a deploy script; may be repeated.",
            valueName: "name"))
    var name: [String] = []

    @Option(
        help: ArgumentHelp(
            "A name that gets another pair; nodes accept its former key until --retire.",
            valueName: "name"))
    var replace: [String] = []

    @Option(
        help: ArgumentHelp("A name whose former key nodes accept no longer.", valueName: "name"))
    var retire: [String] = []

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
            let clients = try names(name, of: "--name")
            let (replaced, retired) = (
                try names(replace, of: "--replace"), try names(retire, of: "--retire")
            )
            let folder = KeyFolder(path)
            try folder.checkReplaced(replaced, in: topology, making: clients)
            var lines: [String] = []
            func report(_ what: String, _ name: NodeName) {
                lines.append(
                    "\(what)  \(folder.secretFile(of: name))  only to the "
                        + (topology[name] == nil
                            ? "machines where \(name) runs" : "machine of node \(name)"))
            }
            do {
                let names = topology.settings.map(\.name) + [KeyFolder.clientName] + clients
                // A pair that is replaced may lack its public file, which was deleted to revoke it.
                for name in names where !replaced.contains(name) {
                    report(try folder.make(name).rawValue, name)
                }
                for name in replaced {
                    try folder.replace(name)
                    report("replaced", name)
                }
                for name in retired {
                    let hadFormer = try folder.retire(name)
                    lines.append(
                        "\(hadFormer ? "retired the former key" : "no former key")  "
                            + folder.publicFile(of: name))
                }
            } catch {
                // What was done before stays done.
                try? StandardOutput.print(lines)
                throw error
            }
            lines.append(
                "every \(path)/*.key goes to all of these machines; a running node reads them at "
                    + "SIGHUP")
            try StandardOutput.print(lines)
        }
    }
    private func names(
        _ texts: [String], of option: String
    ) throws(Failure) -> [NodeName] {
        try texts.map { text throws(Failure) in
            guard let name = NodeName(text), name != .bare else {
                throw Failure(
                    .usage, "\(option): found \"\(text.shown())\", allowed: \(NodeName.allowed)")
            }
            return name
        }
    }
}
