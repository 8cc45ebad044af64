package import ErrorBus
package import Foundation

/// The path that an error would take.
package struct Explanation {
    /// One node on the path.
    struct Station {
        let node: NodeName
        var readings: [RuleReading] = []
        /// The next hop; nil at the end.
        var next: Hop?
        /// The parents that the node uses when the next hop cannot be reached.
        var otherParents: [Hop] = []
        /// The presenters that get the error when no parent can be reached.
        var fallback: [String] = []
    }

    /// The end of the path, in its last node.
    enum Ending {
        /// Answered by a rule; the option's owner runs the attempt.
        case answered(RuleAnswer, by: String, owner: NodeName)
        case withheld(by: String)
        /// In front of a person or a program; the other presenters follow if that one declines.
        case presented(by: String, otherwise: [String])
        /// Sent to an endpoint outside this topology.
        case leaves(Endpoint)
        /// A user cancellation, which is not presented.
        case userCancelled
        /// The node there has no presenter.
        case detached
        /// Every node would refuse the report.
        case refused(String)
    }

    var stations: [Station] = []
    var ending = Ending.detached
    /// The report at the end of the path.
    var report: ErrorReport
}

extension Explanation {
    /// The explanation for people: a block for each node, then the end.
    package var lines: [String] { stations.flatMap(Self.block) + ["ends: \(sentence)"] }

    private static func block(_ station: Station) -> [String] {
        var lines = [station.node.description]
        lines += station.readings.flatMap(\.lines).map { "  " + $0 }
        if !station.fallback.isEmpty {
            let presenters = station.fallback.joined(separator: ", ")
            lines.append("  asks \(presenters) only when no parent is reachable")
        }
        if let next = station.next {
            let others = station.otherParents.map(\.description).joined(separator: ", ")
            lines.append(
                "  -> \(next)" + (others.isEmpty ? "" : ", when unreachable \(others)"))
        }
        return lines
    }

    private var sentence: String {
        switch ending {
        case .answered(let answer, let by, let owner):
            "answered by \(by) with \(answer.option.shown()), run by \(owner)"
        case .withheld(let by): "withheld by \(by), not presented"
        case .presented(let by, let otherwise):
            "presented by \(by) of \(last)"
                + (otherwise.isEmpty
                    ? "" : ", and when that declines \(otherwise.joined(separator: ", "))")
        case .leaves(let endpoint): "leaves this topology for \(endpoint)"
        case .userCancelled: "in \(last), as a user cancellation: not presented"
        case .detached: "in \(last), which has no presenter (503)"
        case .refused(let reason): "in \(last), no node takes the report: \(reason.shown())"
        }
    }

    private var last: String { stations.last?.node.description ?? "" }

    /// The explanation for scripts.
    package var json: JSONValue {
        ["hops": stations.map(Self.json).json, "end": endJSON, "report": report.json]
    }

    private static func json(_ station: Station) -> JSONValue {
        [
            "node": station.node.json, "rules": station.readings.map(\.json).json,
            "next": (station.next?.description).json,
            "otherParents": station.otherParents.map(\.description).json,
            "fallback": station.fallback.json,
        ]
    }

    private var endJSON: JSONValue {
        var object: [String: JSONValue] = ["node": .string(last)]
        switch ending {
        case .answered(let answer, let by, let owner):
            object["how"] = "answered"
            object["by"] = .string(by)
            object["option"] = .string(answer.option)
            object["owner"] = .string(owner.description)
        case .withheld(let by):
            object["how"] = "withheld"
            object["by"] = .string(by)
        case .presented(let by, let otherwise):
            object["how"] = "presented"
            object["by"] = .string(by)
            object["otherwise"] = otherwise.json
        case .leaves(let endpoint):
            object["how"] = "leaves"
            object["to"] = .string(endpoint.description)
        case .userCancelled: object["how"] = "userCancelled"
        case .detached: object["how"] = "detached"
        case .refused(let reason):
            object["how"] = "refused"
            object["reason"] = .string(reason)
        }
        return .object(object)
    }
}

/// The walk of a report up a topology, hop by hop, which records the effects on the report.
///
/// The library's own ``RuleWalk`` applies the rules, to the report as changed so far; this type
/// adds the order of the steps: responders, presenters, parent.
package struct PathWalk {
    private let topology: Topology
    private let file: String
    private let origin: NodeName
    private let date: Date
    private var explanation: Explanation
    /// The owner of each option.
    private var owners: [String: NodeName] = [:]

    /// - Parameters:
    ///   - file: The name of the topology's file.
    ///   - origin: The node that the error arose in, for rules.
    ///   - date: The time, for rules with a schedule.
    package init(
        _ topology: Topology, file: String, _ report: ErrorReport, origin: NodeName, date: Date
    ) {
        self.topology = topology
        self.file = file
        self.origin = origin
        self.date = date
        explanation = Explanation(report: report)
        for option in report.options { owners[option.id] = origin }
    }

    /// The path from this node on.
    package mutating func explain(from start: NodeName) -> Explanation {
        var node = topology[start]
        // A loaded topology has no cycles.
        while let settings = node {
            explanation.stations.append(Explanation.Station(node: settings.name))
            switch pass(settings) {
            case .ends(let ending):
                explanation.ending = ending
                return explanation
            case .goesOn(let parent): node = topology[parent]
            }
        }
        return explanation
    }

    /// The path's step through one node.
    private enum Passage {
        case ends(Explanation.Ending)
        case goesOn(NodeName)
    }

    private mutating func pass(_ settings: TopologyNode) -> Passage {
        if !settings.responders.isEmpty {
            let book = RuleBook(settings.responders, mode: .everyMatch)
            let list = RuleList(name: "responders", file: file, book: book)
            if let passage = apply(list, in: settings.name) { return passage }
        }
        if settings.asksPresentersOnlyWhenCutOff {
            change { $0.fallback = settings.presenters.map(\.title) }
        } else if let passage = present(settings) {
            return passage
        }
        return climb(to: settings.next.first, otherParents: settings.next.dropFirst())
    }

    /// The step through the presenters of a node; nil if they all decline.
    private mutating func present(_ settings: TopologyNode) -> Passage? {
        for (index, presenter) in settings.presenters.enumerated() {
            if case .policy(let path, let rules) = presenter {
                let book = RuleBook(rules, mode: .firstMatch)
                let list = RuleList(name: "policy", file: path, book: book)
                let name = settings.policyName(path)
                if let passage = apply(list, of: name, in: settings.name) { return passage }
            } else if isCancelled {
                return .ends(.userCancelled)
            } else {
                // Presenters that ask people are asked at the same time.
                let rest = settings.presenters[index...]
                let people = rest.prefix(while: \.asksPeople)
                let asked = people.isEmpty ? rest.prefix(1) : people
                let parent = settings.next.prefix(1).map(\.description)
                return .ends(
                    .presented(
                        by: asked.map(\.title).joined(separator: " and "),
                        otherwise: rest.dropFirst(asked.count).map(\.title) + parent))
            }
        }
        return nil
    }

    private mutating func climb(to next: Hop?, otherParents: ArraySlice<Hop>) -> Passage {
        if isCancelled { return .ends(.userCancelled) }
        guard let next else { return .ends(.detached) }
        do throws(ReportError) {
            explanation.report = try ErrorReport(payload: explanation.report.payload())
        } catch {
            return .ends(.refused("\(error)"))
        }
        change { station in
            station.next = next
            station.otherParents = Array(otherParents)
        }
        return switch next.destination(among: topology.namesOfEndpoints) {
        case .endpoint(let endpoint): .ends(.leaves(endpoint))
        case .node(let parent): .goesOn(parent)
        }
    }

    /// - Parameter policy: The name of the policy; see ``TopologyNode/policyName(_:)``.
    private mutating func apply(
        _ list: RuleList, of policy: String? = nil, in node: NodeName
    ) -> Passage? {
        let reading = list.evaluate(explanation.report, origin: origin, date: date)
        change { $0.readings.append(reading) }
        explanation.report = reading.report
        for option in reading.report.options where owners[option.id] == nil {
            owners[option.id] = node
        }
        switch reading.ending {
        case .withheld(let rule):
            return .ends(.withheld(by: "\(node) \(list.title(of: rule))"))
        case .answered(let answer, let rule):
            let author = RuleResponder.author(of: node, policy: policy)
            return .ends(
                .answered(
                    answer, by: "\(author) rule \(rule.position)",
                    owner: owners[answer.option] ?? origin))
        case .routed(let name, _):
            return climb(to: Hop(name), otherParents: [])
        case .passed: return nil
        }
    }

    private mutating func change(_ change: (inout Explanation.Station) -> Void) {
        if let last = explanation.stations.indices.last { change(&explanation.stations[last]) }
    }

    private var isCancelled: Bool { UserCancellation.standard.matches(explanation.report) }
}

extension PresenterSettings {
    var asksPeople: Bool {
        switch self {
        case .terminal, .console: true
        case .policy, .command: false
        }
    }

    /// The presenter in words, as in `terminal` or `command ./page-oncall`.
    var title: String {
        switch self {
        case .policy(let path, _): "policy \(path.shown())"
        case .command(let words): "command \((words.first ?? "").shown())"
        case .terminal, .console: kind
        }
    }
}
