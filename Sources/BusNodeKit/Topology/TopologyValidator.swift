import ErrorBus
import OrderedCollections

/// The validator of the topology as a whole: it finds links without a target or in a cycle,
/// endpoints used twice, listeners open to the network, and rules that are never reached.
struct TopologyValidator {
    let topology: Topology
    private let root: ConfigurationLocation
    /// The nodes by their endpoints.
    private let names: [Endpoint: NodeName]
    private let locations: [ConfigurationDecoder.Place: ConfigurationLocation]
    private(set) var problems: [ConfigurationProblem]
    private(set) var warnings: [ConfigurationWarning] = []

    /// - Parameter problems: The problems found in reading; the same values are not reported again.
    init(
        _ topology: Topology, root: ConfigurationLocation,
        locations: [ConfigurationDecoder.Place: ConfigurationLocation],
        problems: [ConfigurationProblem]
    ) {
        self.topology = topology
        names = topology.namesOfEndpoints
        self.root = root
        self.locations = locations
        self.problems = problems
    }

    mutating func validate() {
        let readCleanly = problems.isEmpty
        for node in topology.nodes.values {
            checkHops(of: node)
            checkListening(of: node)
            checkConsoles(of: node)
            checkHooks(of: node)
            checkRules(of: node)
            checkRoot(node)
            checkEffects(of: node)
        }
        checkSigners()
        checkEndpoints()
        checkFiles()
        checkDepth()
        if !readCleanly { warnings.removeAll() }
        problems.sort { $0.location.precedes($1.location, startingWith: root.file) }
    }

    // MARK: Places

    private func location(_ field: String, in file: String? = nil) -> ConfigurationLocation {
        let file = file ?? root.file
        return locations[.init(file: file, field: field)]
            ?? ConfigurationLocation(file: file, line: root.line, column: root.column)
    }

    /// The field of one entry of a list, which may also be written as a single value.
    func entry(_ field: String, _ index: Int) -> String {
        let element = "\(field)[\(index)]"
        return locations[.init(file: root.file, field: element)] == nil ? field : element
    }

    mutating func report(
        _ field: String, in file: String? = nil, found: String, allowed: String,
        hint: String? = nil
    ) {
        problems.append(
            ConfigurationProblem(
                at: location(field, in: file), field: field, found: found, allowed: allowed,
                hint: hint))
    }

    func hasProblems(at field: String) -> Bool {
        problems.contains { $0.field == field || $0.field.hasPrefix(field + "[") }
    }

    /// Checks that each signer is a node of the topology with a key.
    private mutating func checkSigners() {
        for (index, signer) in topology.signers.enumerated() {
            guard topology.nodes[signer] == nil else { continue }
            let names = topology.nodes.keys.map(\.description)
            report(
                entry("signers", index), found: "\"\(signer)\"",
                allowed: "a node of this topology (\(names.joined(separator: ", ")))",
                hint: Suggestion.hint(for: signer.description, among: names))
        }
        if !topology.signers.isEmpty, topology.keys == nil {
            report(
                "signers", found: "signers in a topology without keys",
                allowed: "signers with keys: FOLDER",
                hint: "add keys: FOLDER to the topology and run bus-node keygen")
        }
    }

    private mutating func checkEndpoints() {
        var takers: [Endpoint: NodeName] = [:]
        for node in topology.nodes.values {
            var places = node.listen.enumerated().map { index, endpoint in
                (endpoint, entry("nodes.\(node.name).listen", index))
            }
            for case (let index, .console(let console)) in node.presenters.enumerated() {
                let field = "nodes.\(node.name).presenters[\(index)].console.listen"
                places.append((console.listen, field))
            }
            for (index, (endpoint, field)) in places.enumerated() {
                if case .tcp(_, 0) = endpoint.address { continue }
                if let taker = takers[endpoint] {
                    report(
                        field, found: "\"\(endpoint)\", which node \(taker) has already",
                        allowed: "an endpoint that no other entry has")
                } else if let (other, _) = places[..<index].first(where: { $0.0.takes(endpoint) }) {
                    report(
                        field, found: "\"\(endpoint)\", whose port \"\(other)\" takes already",
                        allowed: "another port, or one entry for both")
                } else {
                    takers[endpoint] = node.name
                }
            }
        }
    }

    /// Checks that no two nodes share a journal or a ledger: they would read each other's entries,
    /// and damage the files beside a journal.
    private mutating func checkFiles() {
        var takers: [String: String] = [:]
        for node in topology.nodes.values {
            for (key, path) in [("journal", node.journal), ("events", node.events)] {
                guard let path else { continue }
                let field = "nodes.\(node.name).\(key)"
                let main = FilePath.normal(path)
                let endings = key == "journal" ? TopologyNode.journalEndings : []
                let files = [main] + endings.map { main + $0 }
                if let file = files.first(where: { takers[$0] != nil }), let taker = takers[file] {
                    let which = file == main ? "which" : "whose \(file.escapedForMessage)"
                    report(
                        field,
                        found: "\"\(path.escapedForMessage)\", \(which) is \(taker) already",
                        allowed: "a file that no other entry has")
                }
                for file in files where takers[file] == nil {
                    let taker = "\(key) of node \(node.name)"
                    takers[file] = file == main ? taker : "a file of the \(taker)"
                }
            }
        }
    }

    private mutating func checkDepth() {
        let survey = TopologySurvey(topology)
        for cycle in survey.cycles {
            let way = (cycle + cycle.prefix(1)).map(\.description).joined(separator: " -> ")
            report(
                "nodes.\(cycle[0]).next", found: "a cycle, \(way)",
                allowed: "links that end at a root")
        }
        guard survey.cycles.isEmpty else { return }
        for (node, hops) in survey.hopCounts where hops > Topology.hopCountMax {
            report(
                "nodes.\(node).next", found: "\(hops) nodes on the way to the root",
                allowed: "at most \(Topology.hopCountMax)")
        }
    }

    private mutating func checkRoot(_ node: TopologyNode) {
        let field = "nodes.\(node.name)"
        guard node.next.isEmpty, node.presenters.isEmpty, !hasProblems(at: "\(field).next"),
            !hasProblems(at: "\(field).presenters")
        else { return }
        warn(field, "neither next nor presenters: errors that end here are answered with 503")
    }

    /// Warns of settings that have no effect without others.
    private mutating func checkEffects(of node: TopologyNode) {
        let field = "nodes.\(node.name)"
        let given = ["afterRestart", "retention", "whenUnreachable"].filter { key in
            locations[.init(file: root.file, field: "\(field).\(key)")] != nil
        }
        if node.journal == nil {
            for key in given where key != "whenUnreachable" {
                warn("\(field).\(key)", "no effect without a journal: add journal: FILE")
            }
        }
        guard given.contains("whenUnreachable") else { return }
        if node.next.isEmpty, node.routes.isEmpty {
            // Clients that name a listening node take the key from it.
            guard node.listen.isEmpty else { return }
            warn(
                "\(field).whenUnreachable",
                "no effect at a node without parents: add next, or take it away")
        } else if node.asksPresentersOnlyWhenCutOff, node.presenters.isEmpty {
            warn(
                "\(field).whenUnreachable",
                "presentLocally at a node without presenters: add presenters, or choose hold or "
                    + "fail")
        }
    }

    // MARK: Rules

    mutating func warn(_ field: String, in file: String? = nil, _ message: String) {
        let warning = ConfigurationWarning(
            at: location(field, in: file), field: field, message: message)
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    private mutating func checkRules(of node: TopologyNode) {
        let list = "nodes.\(node.name).responders"
        var routes: [Hop: Hop] = [:]
        checkShadows(RuleBook(node.responders, mode: .everyMatch), list, in: nil)
        checkRepetitions(node.responders, list, in: nil)
        checkRoutes(node.responders, of: node, list, in: nil, &routes)
        for case .policy(let path, let rules) in node.presenters {
            checkShadows(RuleBook(rules, mode: .firstMatch), "rules", in: path)
            checkRepetitions(rules, "rules", in: path)
            checkRoutes(rules, of: node, "rules", in: path, &routes)
        }
    }

    /// Checks the routes: two links of one name to one parent would replace each other endlessly.
    ///
    /// - Parameter routes: The routes of the node so far, by their destinations.
    private mutating func checkRoutes(
        _ rules: [Rule], of node: TopologyNode, _ list: String, in file: String?,
        _ routes: inout [Hop: Hop]
    ) {
        let parents = Set(topology.destinations(of: node))
        for rule in rules {
            guard let hop = rule.route.flatMap({ Hop($0) }) else { continue }
            let field = "\(list)[\(rule.position - 1)].route"
            checkHop(hop, of: node, at: field, in: file)
            guard topology.endpoint(of: hop) != nil else { continue }
            let place = hop.destination(among: names)
            let other = routes[place] ?? hop
            routes[place] = other
            let what = place == hop ? "which" : "whose node \(place)"
            if parents.contains(place) {
                report(
                    field, in: file, found: "\"\(hop)\", \(what) is next of \(node.name) already",
                    allowed: "another node or endpoint")
            } else if other != hop {
                report(
                    field, in: file,
                    found: "\"\(hop)\", \(what) has the route \"\(other)\" already",
                    allowed: "\"\(other)\", or another node or endpoint")
            }
        }
    }

    /// Warns of rules that repeat an operation as often as it fails. The option of `exec` counts;
    /// the effect of others is not known here.
    private mutating func checkRepetitions(_ rules: [Rule], _ list: String, in file: String?) {
        for rule in rules where !rule.isDryRun {
            guard let answer = rule.answer, answer.option == CommandFailure.retryID,
                answer.limit == nil, answer.delay == .zero
            else { continue }
            warn(
                "\(list)[\(rule.position - 1)].answer", in: file,
                "retry without limit or delay: what fails at once is repeated without a pause; add "
                    + "limit, as 3 per 1m, or delay")
        }
    }

    private mutating func checkShadows(_ book: RuleBook, _ list: String, in file: String?) {
        for (rule, earlier) in book.shadowed {
            let place = location("\(list)[\(earlier.position - 1)]", in: file)
            // A rule declines an error that does not offer its option.
            let extent = earlier.answer.map { " wherever \"\($0.option)\" is offered" } ?? ""
            warn(
                "\(list)[\(rule.position - 1)]", in: file,
                "never reached\(extent): rule \(earlier.position) (line \(place.line)) "
                    + "matches all that it matches")
        }
    }
}

extension Endpoint {
    /// Whether a machine on which a process listens at this endpoint has no room for another
    /// one there: a wildcard takes the port of every address.
    fileprivate func takes(_ other: Endpoint) -> Bool {
        guard case .tcp(let host, let port) = address,
            case .tcp(let otherHost, let otherPort) = other.address, port == otherPort
        else { return false }
        // As the socket of a node has it.
        let hosts = [host, otherHost].map { $0 == "localhost" ? "127.0.0.1" : $0 }
        if hosts[0] == hosts[1] || hosts.contains("::") { return true }
        return (isWildcard || other.isWildcard) && !hosts.contains { $0.contains(":") }
    }
}

/// The survey of every `next` of a topology up to its root: the distances, and the cycles.
struct TopologySurvey {
    /// Each cycle once, beginning with its first node in the file.
    private(set) var cycles: [[NodeName]] = []
    /// The number of nodes on the longest way from each node to a root, both counted, in the order
    /// of the file. Meaningless while there are cycles.
    private(set) var hopCounts: [(node: NodeName, hops: Int)] = []

    private struct Frame {
        let node: NodeName
        var parents: ArraySlice<NodeName>
    }

    init(_ topology: Topology) {
        var parents: [NodeName: [NodeName]] = [:]
        let names = topology.namesOfEndpoints
        for node in topology.nodes.values {
            parents[node.name] = (node.next + node.routes).compactMap { hop in
                guard case .node(let name) = hop.destination(among: names) else { return nil }
                return topology.nodes[name] == nil ? nil : name
            }
        }
        var hops: [NodeName: Int] = [:]
        for node in topology.nodes.keys {
            survey(from: node, parents, &hops)
        }
        let order = Dictionary(
            uniqueKeysWithValues: topology.nodes.keys.enumerated().map { ($1, $0) })
        cycles = cycles.map { cycle in
            let places = cycle.map { order[$0] ?? 0 }
            let first = places.indices.min { places[$0] < places[$1] } ?? 0
            return Array(cycle[first...] + cycle[..<first])
        }
        hopCounts = topology.nodes.keys.map { ($0, hops[$0] ?? 1) }
    }

    /// Follows a node depth first, with an explicit stack: a file may name thousands of nodes in
    /// one chain.
    private mutating func survey(
        from start: NodeName, _ parents: [NodeName: [NodeName]], _ hops: inout [NodeName: Int]
    ) {
        guard hops[start] == nil else { return }
        var way = [Frame(node: start, parents: (parents[start] ?? [])[...])]
        var places = [start: 0]
        while let place = way.indices.last {
            if let parent = way[place].parents.popFirst() {
                if let first = places[parent] {
                    cycles.append(way[first...].map(\.node))
                } else if hops[parent] == nil {
                    places[parent] = way.count
                    way.append(Frame(node: parent, parents: (parents[parent] ?? [])[...]))
                }
            } else {
                let node = way[place].node
                hops[node] = 1 + ((parents[node] ?? []).compactMap { hops[$0] }.max() ?? 0)
                places[node] = nil
                way.removeLast()
            }
        }
    }
}
