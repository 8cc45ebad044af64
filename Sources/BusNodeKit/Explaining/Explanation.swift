package import ErrorBus
package import Foundation

/// The path that an error would take.
package struct Explanation {
    /// One node on it.
    struct Station {
        let node: NodeName
        var readings: [RuleReading] = []
        /// Where it goes on to; nil at the end.
        var next: Hop?
        /// The parents to turn to when that one cannot be reached.
        var otherParents: [Hop] = []
        /// The presenters asked when no parent can be reached.
        var fallback: [String] = []
    }

    /// Where it ends, in the last node of the path.
    enum Ending {
        /// By a rule; the option's owner carries it out.
        case answered(RuleAnswer, by: String, owner: NodeName)
        case withheld(by: String)
        /// In front of a person or a program; the others are asked when that one declines.
        case presented(by: String, otherwise: [String])
        /// To an endpoint that is no node of this topology.
        case leaves(Endpoint)
        /// The error says "user cancelled": it is not presented.
        case userCancelled
        /// The node there has no presenter.
        case detached
        /// No node would take the report.
        case refused(String)
    }

    var stations: [Station] = []
    var ending = Ending.detached
    /// The report as it is in the end.
    var report: ErrorReport
}

extension Explanation {
    /// For people: a block for each node, then the end.
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
            "answered by \(by) with \(answer.option.shown()), which \(owner) carries out"
        case .withheld(let by): "withheld by \(by), not presented"
        case .presented(let by, let otherwise):
            "presented by \(by) of \(last)"
                + (otherwise.isEmpty
                    ? "" : ", and when that declines \(otherwise.joined(separator: ", "))")
        case .leaves(let endpoint): "leaves this topology for \(endpoint)"
        case .userCancelled: "in \(last), it says \"user cancelled\": not presented"
        case .detached: "in \(last), which has no presenter (503)"
        case .refused(let reason): "in \(last), no node takes the report: \(reason.shown())"
        }
    }

    private var last: String { stations.last?.node.description ?? "" }

    /// For scripts.
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

/// Leads a report up a topology, hop by hop, and notes what would become of it.
///
/// Rules are applied by the library's own ``RuleWalk``, to the report as changed so far; what is
/// here is the order of the stations: responders, presenters, parent.
package struct PathWalk {
    private let topology: Topology
    private let file: String
    private let origin: NodeName
    private let date: Date
    private var explanation: Explanation
    /// Who carries out which option.
    private var owners: [String: NodeName] = [:]

    /// - Parameters:
    ///   - file: What the topology's file is called.
    ///   - origin: Where the error arose, as rules see it.
    ///   - date: When, for rules with a schedule.
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
        // A topology that was loaded has no circles.
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

    /// What becomes of it in one node.
    private enum Passage {
        case ends(Explanation.Ending)
        case goesOn(NodeName)
    }

    private mutating func pass(_ settings: NodeSettings) -> Passage {
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

    /// Nil when its presenters all decline.
    private mutating func present(_ settings: NodeSettings) -> Passage? {
        for (index, presenter) in settings.presenters.enumerated() {
            if case .policy(let path, let rules) = presenter {
                let book = RuleBook(rules, mode: .firstMatch)
                let list = RuleList(name: "policy", file: path, book: book)
                if let passage = apply(list, in: settings.name) { return passage }
            } else if isCancelled {
                return .ends(.userCancelled)
            } else {
                // Those that ask people are asked at once.
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
        return switch next {
        case .endpoint(let endpoint): .ends(.leaves(endpoint))
        case .node(let parent): .goesOn(parent)
        }
    }

    private mutating func apply(_ list: RuleList, in node: NodeName) -> Passage? {
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
            return .ends(
                .answered(
                    answer, by: "policy \(node) rule \(rule.position)",
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

    /// As in `terminal` or `command ./page-oncall`.
    var title: String {
        switch self {
        case .policy(let path, _): "policy \(path.shown())"
        case .command(let words): "command \((words.first ?? "").shown())"
        case .terminal, .console: kind
        }
    }
}
