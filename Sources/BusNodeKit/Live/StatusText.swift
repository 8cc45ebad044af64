package import ErrorBus

/// The status of a node, for people. Text from a peer is escaped.
package struct StatusText {
    private static let parentTitles = ["PARENT", "ENDPOINT", "STATE", "FOR", "OPEN", "WHY"]
    private static let childTitles = ["CHILD", "STATE", "FOR", "OPEN", "ANSWERED"]
    private static let faultTitles = ["AGO", "TIMES", "FAULT"]

    let status: NodeStatus

    package init(_ status: NodeStatus) { self.status = status }

    package var lines: [String] {
        var lines = heading
        if !status.parents.isEmpty {
            lines += [""] + Self.table(status.parents)
        }
        if !status.children.isEmpty {
            lines += [""] + Self.table(status.children)
            if status.childrenLeftOut > 0 { lines.append("and \(status.childrenLeftOut) more") }
        }
        if !status.faults.isEmpty { lines += [""] + faults }
        return lines
    }

    private var heading: [String] {
        let dropped = status.dropped.sorted { $0.key < $1.key }.map {
            (name: $0.key, count: $0.value)
        }
        let rows: [(String, String)] = [
            ("node", status.node.description),
            ("up", AgeText.text(milliseconds: status.upMilliseconds)),
            ("version", status.version), ("boot", status.boot),
            ("open", "\(status.openCount)"), ("counters", Self.counts(status.counters.rows)),
            ("tables", Self.counts(status.tables.rows)), ("dropped", Self.counts(dropped)),
        ]
        return rows.filter { !$0.1.isEmpty }.map { name, text in
            name.padding(toLength: 10) + text.shown()
        }
    }

    /// The counts that are not 0.
    private static func counts(_ rows: [(name: String, count: Int)]) -> String {
        rows.filter { $0.count != 0 }.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
    }

    private static func table(_ parents: [ParentStatus]) -> [String] {
        let rows = parents.map { parent in
            [
                parent.node?.description ?? "", parent.endpoint, parent.state.rawValue,
                AgeText.text(milliseconds: parent.sinceMilliseconds), "\(parent.openCount)",
                parent.reason ?? "",
            ]
        }
        return TextTable.lines(rows, parentTitles, widthMax: [64, 80, 12, 16, 8, 200])
    }

    static func table(_ children: [ChildStatus]) -> [String] {
        let rows = children.map { child in
            [
                child.name.description, child.state.rawValue,
                AgeText.text(milliseconds: child.sinceMilliseconds), "\(child.openCount)",
                "\(child.answeredCount)",
            ]
        }
        return TextTable.lines(rows, childTitles, widthMax: [64, 12, 16, 8, 8])
    }

    private var faults: [String] {
        let rows = status.faults.map { fault in
            [
                AgeText.text(milliseconds: fault.agoMilliseconds), "\(fault.count)",
                "\(fault.source.words) \(fault.text)",
            ]
        }
        return TextTable.lines(rows, Self.faultTitles, widthMax: [16, 8, 300])
    }
}

extension NotedFault.Source {
    fileprivate var words: String {
        switch self {
        case .logged: "logged:"
        case .sent: "refused:"
        case .got: "the parent refused:"
        case .connection: "connections failed:"
        }
    }
}

/// The status of a node that does not listen, as its parents report it.
package struct Hearsay {
    private struct Said {
        let parent: NodeName
        let child: ChildStatus?
        /// The number of children that the parent did not list.
        let leftOutCount: Int
    }

    private let name: NodeName
    private let said: [Said]
    /// The parents that did not answer, with the reasons, which may be text of a peer.
    private let silent: [String]

    /// - Throws: When no parent answers, or the node has no parent.
    package init(
        of name: NodeName, in topology: Topology, keys: KeyRing?
    ) async throws {
        let endpoints = topology.parentEndpoints(of: name)
        guard !endpoints.isEmpty else {
            throw Failure(
                .unavailable, "\(name) does not listen and has no parent: no node can be asked")
        }
        let answers = await NodeStatus.ask(endpoints, keys: keys)
        let silent = zip(endpoints, answers).compactMap { endpoint, answer -> String? in
            guard case .failure(let failure) = answer else { return nil }
            return "\(endpoint): \(failure)"
        }
        self.init(of: name, from: answers.compactMap { try? $0.get() }, silent: silent)
        guard said.isEmpty else { return }
        throw Failure(
            .unavailable,
            "\(name) does not listen, and none of its parents answers: "
                + silent.joined(separator: "; "))
    }

    /// - Parameters:
    ///   - statuses: The status of each parent that answered; of one with several endpoints the
    ///     first counts.
    ///   - silent: The parents that did not answer, with the reasons.
    init(of name: NodeName, from statuses: [NodeStatus], silent: [String] = []) {
        self.name = name
        self.silent = silent
        var seen: Set<NodeName> = []
        said = statuses.filter { seen.insert($0.node).inserted }.map { status in
            Said(
                parent: status.node, child: status.children.first { $0.name == name },
                leftOutCount: status.childrenLeftOut)
        }
    }

    /// Whether no parent knows the node. A parent with too many children to list may know it.
    package var isUnknown: Bool {
        said.allSatisfy { $0.child == nil && $0.leftOutCount == 0 }
    }

    package var lines: [String] {
        said.enumerated().flatMap { index, said -> [String] in
            let gap = index == 0 ? [] : [""]
            guard let child = said.child else {
                guard said.leftOutCount > 0 else {
                    return gap + ["\(said.parent) has no link with \(name)"]
                }
                return gap + [
                    "\(said.parent) does not list all of its children: \(name) may be one of the "
                        + "\(said.leftOutCount) that are left out"
                ]
            }
            return gap + ["\(name) does not listen; \(said.parent) reports:", ""]
                + StatusText.table([child])
        } + silent.map { "no answer from \($0.escapedForTerminal(scalarLimit: 400))" }
    }

    package var json: JSONValue {
        [
            "node": name.json,
            "parents": said.map {
                [
                    "parent": $0.parent.json, "child": $0.child.json,
                    "childrenLeftOut": $0.leftOutCount.json,
                ]
            }.json,
        ]
    }
}
