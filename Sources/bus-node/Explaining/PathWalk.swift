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
            if let ending = end(in: settings) {
                explanation.ending = ending
                return explanation
            }
            guard case .node(let parent) = settings.next.first else { break }
            node = topology[parent]
        }
        return explanation
    }

    /// Where it ends in this node; nil when it goes on to the first parent.
    private mutating func end(in settings: NodeSettings) -> Explanation.Ending? {
        if !settings.responders.isEmpty {
            let book = RuleBook(settings.responders, mode: .everyMatch)
            let list = RuleList(name: "responders", file: file, book: book)
            if let ending = apply(list, in: settings.name) { return ending }
        }
        if settings.asksPresentersOnlyWhenCutOff {
            change { $0.fallback = settings.presenters.map(\.title) }
        } else if let ending = present(settings) {
            return ending
        }
        return climb(settings)
    }

    private mutating func present(_ settings: NodeSettings) -> Explanation.Ending? {
        for (index, presenter) in settings.presenters.enumerated() {
            if case .policy(let path, let rules) = presenter {
                let book = RuleBook(rules, mode: .firstMatch)
                let list = RuleList(name: "policy", file: path, book: book)
                if let ending = apply(list, in: settings.name) { return ending }
            } else if isCancelled {
                return .userCancelled
            } else {
                // Those that ask people are asked at once.
                let rest = settings.presenters[index...]
                let people = rest.prefix(while: \.asksPeople)
                let asked = people.isEmpty ? rest.prefix(1) : people
                let parent = settings.next.prefix(1).map(\.description)
                return .presented(
                    by: asked.map(\.title).joined(separator: " and "),
                    otherwise: rest.dropFirst(asked.count).map(\.title) + parent)
            }
        }
        return nil
    }

    private mutating func climb(_ settings: NodeSettings) -> Explanation.Ending? {
        if isCancelled { return .userCancelled }
        guard let next = settings.next.first else { return .detached }
        do throws(ReportError) {
            explanation.report = try ErrorReport(payload: explanation.report.payload())
        } catch {
            return .refused("\(error)")
        }
        change { station in
            station.next = next
            station.otherParents = Array(settings.next.dropFirst())
        }
        if case .endpoint(let endpoint) = next { return .leaves(endpoint) }
        return nil
    }

    private mutating func apply(_ list: RuleList, in node: NodeName) -> Explanation.Ending? {
        let reading = list.evaluate(explanation.report, origin: origin, date: date)
        change { $0.readings.append(reading) }
        explanation.report = reading.report
        for option in reading.report.options where owners[option.id] == nil {
            owners[option.id] = node
        }
        switch reading.ending {
        case .withheld(let rule): return .withheld(by: "\(node) \(list.title(of: rule))")
        case .answered(let answer, let rule):
            return .answered(
                answer, by: "policy \(node) rule \(rule.position)",
                owner: owners[answer.option] ?? origin)
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
