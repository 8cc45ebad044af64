import ErrorBus

/// How a node is, for people. Whatever a peer said is escaped.
struct StatusText {
    private static let parentTitles = ["PARENT", "ENDPOINT", "STATE", "FOR", "OPEN", "WHY"]
    private static let childTitles = ["CHILD", "STATE", "FOR", "OPEN", "ANSWERED"]
    private static let faultTitles = ["AGO", "TIMES", "FAULT"]

    let status: NodeStatus

    init(_ status: NodeStatus) { self.status = status }

    var lines: [String] {
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

    /// Those that are not 0.
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
        }
    }
}
