import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// `bus-node check`: validates a topology and every file that it names.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validate a topology and every file that it names.",
        discussion: """
            Prints the tree of nodes and exits 0, or prints the problems with their file, line \
            and field and exits 78, or 66 when the only problems are missing files or programs. \
            Warnings go to standard error.

            Example: bus-node check topology.yaml
            """)

    @OptionGroup var choice: TopologyChoice

    @Flag(help: "Print problems, warnings and nodes as JSON.")
    var json = false

    func run() async throws {
        try await orFail {
            let file = try choice.path()
            var loaded: LoadedTopology
            do throws(ConfigurationFailure) {
                loaded = try TopologyLoader.load(file)
            } catch {
                try report(error)
                throw error.exitStatus.exitCode
            }
            // A valid file may still name files that the node cannot start with.
            let files = NamedFiles(loaded.topology, file)
            loaded = LoadedTopology(
                topology: loaded.topology, warnings: loaded.warnings + files.warnings)
            let problems = files.problems
            if !problems.isEmpty {
                try report(.invalid(problems.map(\.problem), warnings: loaded.warnings))
                let isMissing = problems.allSatisfy { $0.status == .noInput }
                throw (isMissing ? ExitStatus.noInput : .badConfiguration).exitCode
            }
            try report(loaded)
        }
    }

    private func report(_ loaded: LoadedTopology) throws {
        for warning in loaded.warnings { printToStandardError(warning.description) }
        if json { return try printJSON(CheckReport(loaded)) }
        try StandardOutput.print(TopologyOutline(loaded.topology).lines)
    }

    private func report(_ failure: ConfigurationFailure) throws {
        if json { return try printJSON(CheckReport(failure)) }
        printToStandardError(failure.description)
    }

    private func printJSON(_ report: CheckReport) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StandardOutput.print(Array(try encoder.encode(report)))
    }

    private func printToStandardError(_ line: String) {
        Terminal.say(line)
    }
}

/// The output of `check --json`.
struct CheckReport: Encodable {
    struct Finding: Encodable {
        let file: String
        let line: Int
        let column: Int
        let field: String
        var found: String?
        var allowed: String?
        var hint: String?
        let message: String
    }

    struct Node: Encodable {
        let name: String
        let next: [String]
        let listen: [String]
        let presenters: [String]
        let hooks: [String]
        let rules: Int
    }

    let valid: Bool
    var problems: [Finding] = []
    var warnings: [Finding] = []
    var nodes: [Node] = []

    init(_ loaded: LoadedTopology) {
        valid = true
        warnings = loaded.warnings.map(Finding.init)
        nodes = loaded.topology.settings.map(Node.init)
    }

    init(_ failure: ConfigurationFailure) {
        valid = false
        switch failure {
        case .unreadable(let path, let reason):
            problems = [
                Finding(
                    file: path, line: 0, column: 0, field: "", found: reason,
                    allowed: "a file that can be read", message: failure.description)
            ]
        case .invalid(let problems, let warnings):
            self.problems = problems.map(Finding.init)
            self.warnings = warnings.map(Finding.init)
        }
    }
}

extension CheckReport.Finding {
    init(_ problem: ConfigurationProblem) {
        self.init(
            file: problem.location.file, line: problem.location.line,
            column: problem.location.column, field: problem.field, found: problem.found,
            allowed: problem.allowed, hint: problem.hint, message: problem.description)
    }

    init(_ warning: ConfigurationWarning) {
        self.init(
            file: warning.location.file, line: warning.location.line,
            column: warning.location.column, field: warning.field, message: warning.message)
    }
}

extension CheckReport.Node {
    init(_ node: TopologyNode) {
        self.init(
            name: node.name.description, next: node.next.map(\.description),
            listen: node.listen.map(\.description), presenters: node.presenters.map(\.kind),
            hooks: node.notify.map(\.outline), rules: node.responders.count)
    }
}

/// A topology as `check` prints it: a tree from the roots down, a line for each node.
struct TopologyOutline {
    private let topology: Topology

    init(_ topology: Topology) { self.topology = topology }

    /// The lines, parents above their children. A node with several parents appears below each of
    /// them, its children only below the first.
    var lines: [String] {
        var lines: [String] = []
        var drawn: Set<NodeName> = []
        for root in topology.roots {
            add(root, prefix: "", childPrefix: "", to: &lines, &drawn)
        }
        return lines
    }

    private func add(
        _ name: NodeName, prefix: String, childPrefix: String, to lines: inout [String],
        _ drawn: inout Set<NodeName>
    ) {
        guard let node = topology[name] else { return }
        guard drawn.insert(name).inserted else {
            lines.append("\(prefix)\(name) (see above)")
            return
        }
        lines.append(prefix + line(node))
        let children = topology.children(of: name)
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            add(
                child, prefix: childPrefix + (isLast ? "└── " : "├── "),
                childPrefix: childPrefix + (isLast ? "    " : "│   "), to: &lines, &drawn)
        }
    }

    private func line(_ node: TopologyNode) -> String {
        var parts = [node.name.description]
        if !node.listen.isEmpty {
            parts.append("listens on " + node.listen.map(\.description).joined(separator: ", "))
        }
        let outside = topology.destinations(of: node).filter {
            if case .endpoint = $0 { true } else { false }
        }
        if !outside.isEmpty {
            parts.append("next " + outside.map(\.description).joined(separator: ", "))
        }
        if !node.presenters.isEmpty {
            parts.append("presenters " + node.presenters.map(\.outline).joined(separator: ", "))
        }
        if !node.notify.isEmpty {
            parts.append("notifies " + node.notify.map(\.outline).joined(separator: ", "))
        }
        if !node.responders.isEmpty {
            parts.append(Self.ruleCount(node.responders.count))
        }
        return parts.joined(separator: "  ")
    }

    fileprivate static func ruleCount(_ count: Int) -> String {
        "\(count) rule\(count == 1 ? "" : "s")"
    }
}

extension HookSettings {
    /// Without the path of its URL, which may be a secret.
    fileprivate var outline: String {
        let on = Event.allCases.filter(events.contains).map(\.rawValue)
        return "\(name) \(url.address) (\(on.joined(separator: ", ")))"
    }
}

extension PresenterSettings {
    fileprivate var outline: String {
        switch self {
        case .policy(let path, let rules):
            "policy \(path) (\(TopologyOutline.ruleCount(rules.count)))"
        case .command(let words): "command \(words.first ?? "")"
        case .console(let console): "console \(console.address)"
        case .terminal: kind
        }
    }
}
