import ErrorBus
import Foundation

/// Leads a report up a topology, hop by hop, and notes what would become of it.
///
/// Rules are applied by the library's own ``RuleWalk``, to the report as changed so far; what is
/// here is the order of the stations: responders, presenters, parent.
struct PathWalk {
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
    init(_ topology: Topology, file: String, _ report: ErrorReport, origin: NodeName, date: Date) {
        self.topology = topology
        self.file = file
        self.origin = origin
        self.date = date
        explanation = Explanation(report: report)
        for option in report.options { owners[option.id] = origin }
    }

    /// The path from this node on.
    mutating func explain(from start: NodeName) -> Explanation {
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
