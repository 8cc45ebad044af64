package import ErrorBus
import OrderedCollections

/// A strict reader of a topology in a configuration: unknown keys, wrong kinds and values out of
/// range are problems, all reported at once.
package struct TopologyReader {
    /// A closure that reads the policy file at a resolved path.
    package typealias PolicyOpener = (String) throws(ConfigurationFailure) -> ConfigurationNode

    var decoder: ConfigurationDecoder
    /// The folder of the topology file, to which its paths are relative.
    let folder: String
    /// The nodes whose policy files have to be readable; nil: all nodes.
    private let users: Set<NodeName>?
    private let openPolicy: PolicyOpener

    /// - Parameters:
    ///   - folder: The folder of the topology file; empty for the working directory.
    ///   - environment: The values of `${NAME}`.
    ///   - users: The nodes whose policy files have to be readable; nil: all nodes.
    ///   - openPolicy: The reader of the policy files that the topology names.
    package init(
        folder: String, environment: [String: String], policiesOf users: Set<NodeName>? = nil,
        openPolicy: @escaping PolicyOpener
    ) {
        decoder = ConfigurationDecoder(environment: environment)
        self.folder = folder
        self.users = users
        self.openPolicy = openPolicy
    }

    /// Reads and checks a topology.
    package static func read(
        _ root: ConfigurationNode, folder: String, environment: [String: String],
        policiesOf users: Set<NodeName>? = nil, openPolicy: @escaping PolicyOpener
    ) throws(ConfigurationFailure) -> LoadedTopology {
        var reader = TopologyReader(
            folder: folder, environment: environment, policiesOf: users, openPolicy: openPolicy)
        let topology = reader.topology(root)
        var validator = TopologyValidator(
            topology, root: root.location, locations: reader.decoder.locations,
            problems: reader.decoder.problems)
        validator.validate()
        guard validator.problems.isEmpty else {
            throw .invalid(validator.problems, warnings: validator.warnings)
        }
        return LoadedTopology(topology: topology, warnings: validator.warnings)
    }

    private mutating func topology(_ root: ConfigurationNode) -> Topology {
        let file = ConfigurationField(root, path: "")
        guard
            let fields = decoder.fields(
                file, keys: ["version", "keys", "signers", "defaults", "nodes"])
        else {
            return Topology(nodes: [:])
        }
        readVersion(fields["version"], in: file)
        var defaults = TopologyNode(name: "defaults")
        if let field = fields["defaults"], !field.node.isNull,
            let settings = decoder.fields(field, keys: Self.timingKeys)
        {
            readTiming(settings, into: &defaults)
        }
        guard let nodes = fields["nodes"] else {
            decoder.report(
                ConfigurationField(root, path: "nodes"), found: "nothing",
                allowed: "a mapping of node names to their settings")
            return Topology(nodes: [:])
        }
        let keys = fields["keys"].flatMap { path($0) }
        let signers = fields["signers"].map { readSigners($0) } ?? []
        return Topology(
            nodes: readNodes(nodes, defaults: defaults), keys: keys, signers: signers)
    }

    private mutating func readSigners(_ field: ConfigurationField) -> [NodeName] {
        let allowed = "a node of this topology"
        return decoder.elementsOrOne(field, allowed: allowed).compactMap { element in
            guard let text = decoder.text(element, allowed: allowed) else { return nil }
            guard let name = NodeName(text) else {
                decoder.report(element, allowed: allowed)
                return nil
            }
            return name
        }
    }

    private mutating func readVersion(_ field: ConfigurationField?, in file: ConfigurationField) {
        let missing = ConfigurationNode(.scalar("", isQuoted: false), at: file.location)
        let field = field ?? ConfigurationField(missing, path: "version")
        guard let text = decoder.text(field, allowed: "\(Topology.version)") else { return }
        if text != "\(Topology.version)" {
            decoder.report(field, allowed: "\(Topology.version)")
        }
    }

    private mutating func readNodes(
        _ field: ConfigurationField, defaults: TopologyNode
    ) -> OrderedDictionary<NodeName, TopologyNode> {
        let allowed = "a mapping of node names to their settings"
        guard let fields = decoder.fields(field, allowed: allowed) else { return [:] }
        if fields.isEmpty { decoder.report(field, found: "an empty mapping", allowed: allowed) }
        var nodes: OrderedDictionary<NodeName, TopologyNode> = [:]
        for (key, inner) in fields {
            guard let name = NodeName(key), name != .bare else {
                decoder.report(
                    inner, found: "the name \"\(key.cut(toScalars: 80).escapedForMessage)\"",
                    allowed: key == NodeName.bare.description
                        ? NodeName.allowedForNode : NodeName.allowed)
                // Its settings are checked all the same.
                _ = readNode(.bare, inner, defaults: defaults)
                continue
            }
            nodes[name] = readNode(name, inner, defaults: defaults)
        }
        return nodes
    }

    static let timingKeys = ["deadline", "whenUnreachable", "grace", "abandonAfter"]
    static let nodeKeys =
        ["next", "listen", "advertise", "presenters", "notify", "responders"] + timingKeys
        + ["maxOpen", "allowUnauthenticated", "events", "journal", "afterRestart", "retention"]

    private mutating func readNode(
        _ name: NodeName, _ field: ConfigurationField, defaults: TopologyNode
    ) -> TopologyNode {
        var settings = TopologyNode(name: name)
        settings.deadline = defaults.deadline
        settings.whenUnreachable = defaults.whenUnreachable
        settings.grace = defaults.grace
        settings.abandonAfter = defaults.abandonAfter
        guard !field.node.isNull, let fields = decoder.fields(field, keys: Self.nodeKeys) else {
            return settings
        }
        if let next = fields["next"] { settings.next = hops(next) }
        if let listen = fields["listen"] { settings.listen = endpoints(listen) }
        settings.advertise = fields["advertise"].flatMap { advertised($0) }
        if let presenters = fields["presenters"] {
            settings.presenters = readPresenters(presenters, of: name)
        }
        settings.notify = fields["notify"].map { hooks($0) } ?? []
        if let responders = fields["responders"] {
            settings.responders = rules(responders, folder: folder)
        }
        readTiming(fields, into: &settings)
        if let field = fields["maxOpen"] {
            settings.maxOpen =
                decoder.number(field, in: NodeSettings.maxOpenRange) ?? settings.maxOpen
        }
        if let allow = fields["allowUnauthenticated"] {
            settings.allowUnauthenticated = decoder.bool(allow) ?? false
        }
        settings.events = fields["events"].flatMap { path($0) }
        settings.journal = fields["journal"].flatMap { path($0) }
        if let field = fields["afterRestart"] {
            settings.afterRestart =
                decoder.word(field, as: RestartPolicy.self) ?? settings.afterRestart
        }
        if let field = fields["retention"] { settings.retention = retention(field) }
        return settings
    }

    private mutating func readTiming(
        _ fields: ConfigurationDecoder.Fields, into settings: inout TopologyNode
    ) {
        if let field = fields["deadline"] {
            if decoder.expanded(field) == "none" {
                settings.deadline = nil
            } else {
                settings.deadline = decoder.duration(field, also: ["none"])
            }
        }
        if let field = fields["whenUnreachable"] {
            settings.whenUnreachable =
                decoder.word(field, as: UnreachablePolicy.self) ?? settings.whenUnreachable
        }
        if let field = fields["grace"] {
            settings.grace = decoder.duration(field, mayBeZero: true) ?? settings.grace
        }
        if let field = fields["abandonAfter"] {
            settings.abandonAfter = decoder.duration(field) ?? settings.abandonAfter
        }
    }

    /// The rules of a policy file of a node. A problem in the file is reported with its name and
    /// line.
    mutating func policy(
        _ path: String, named field: ConfigurationField, of owner: NodeName
    ) -> [Rule] {
        let root: ConfigurationNode
        do throws(ConfigurationFailure) {
            root = try openPolicy(path)
        } catch {
            switch error {
            case .unreadable(_, let reason):
                // The machine where the owner runs may have the file.
                guard users?.contains(owner) ?? true else { break }
                decoder.report(
                    ConfigurationProblem(
                        at: field.location, field: field.path, found: field.node.found,
                        allowed: "a policy file that can be read", hint: reason,
                        isUnreadableFile: true))
            case .invalid(let problems, _):
                for problem in problems { decoder.report(problem) }
            }
            return []
        }
        return policy(root, path: path)
    }

    mutating func policy(_ root: ConfigurationNode, path: String) -> [Rule] {
        let file = ConfigurationField(root, path: "")
        guard let fields = decoder.fields(file, keys: ["rules"]) else { return [] }
        guard let list = fields["rules"] else {
            decoder.report(
                ConfigurationField(root, path: "rules"), found: "nothing",
                allowed: "a list of rules")
            return []
        }
        return rules(list, folder: FilePath.folder(of: path))
    }
}

// Policy files on their own.
extension TopologyReader {
    /// Reads and checks one policy file.
    ///
    /// - Parameters:
    ///   - path: The path for messages; relative paths in the file start at its folder.
    ///   - environment: The values of `${NAME}`.
    package static func readPolicy(
        _ path: String, environment: [String: String], open: @escaping PolicyOpener
    ) throws(ConfigurationFailure) -> [Rule] {
        let root = try open(path)
        var reader = TopologyReader(folder: "", environment: environment, openPolicy: open)
        let rules = reader.policy(root, path: path)
        let problems = reader.decoder.problems
            .sorted { $0.location.precedes($1.location, startingWith: path) }
        guard problems.isEmpty else { throw .invalid(problems, warnings: []) }
        return rules
    }
}
