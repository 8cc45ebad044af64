import BusNodeKit
import ErrorBus

/// Counts events into ``LedgerCounts``. Events of one process come in the order written; between
/// processes any order is accepted.
struct LedgerTally {
    private struct Place: Hashable {
        let id: String
        let node: String
    }

    private struct Prompting {
        var liveIn: LedgerEvent.Life?
        /// The lives in which it was answered.
        var answeredIn: Set<LedgerEvent.Life> = []
        /// Whether a decision is recorded.
        var isDecided = false
    }

    private struct Decision: Hashable {
        let answer: String
        let option: String
    }

    /// The events of one presentation at one presenter.
    private struct Record {
        /// The options of all its prompts there.
        var offered: Set<String> = []
        /// The events of decisions, in order.
        var decisions: [LedgerEvent] = []
        /// The last result of each answer.
        var results: [String: String] = [:]
    }

    private var reporters: [String: LedgerEvent.Life] = [:]
    private var completions: [String: [LedgerEvent]] = [:]
    private var attempts: [String: [LedgerEvent]] = [:]
    private var prompting: [Place: Prompting] = [:]
    /// By the id of the presentation.
    private var decisions: [String: Set<Decision>] = [:]
    private var records: [Place: Record] = [:]
    private var counts = LedgerCounts()
    /// Presenters with a journal: a prompt after a decision is a fault in any life.
    private let durableNodes: Set<String>

    init(durableNodes: Set<String> = []) { self.durableNodes = durableNodes }

    mutating func add(_ event: LedgerEvent) {
        switch event.kind {
        case .report: reporters[event.id] = event.life
        case .complete: completions[event.id, default: []].append(event)
        case .attempt: attempts[event.id, default: []].append(event)
        case .prompt: prompted(event)
        case .gone: ended(event)
        case .decide:
            decisions[event.id, default: []].insert(
                Decision(answer: event.answer, option: event.option))
            let place = place(of: event)
            prompting[place, default: Prompting()].answeredIn.insert(event.life)
            prompting[place]?.isDecided = true
            records[place, default: Record()].decisions.append(event)
        case .present:
            records[place(of: event), default: Record()].offered.formUnion(event.options)
        case .done:
            records[place(of: event), default: Record()].results[event.answer] = event.result
        case .start, .change: break
        }
    }

    private func place(of event: LedgerEvent) -> Place {
        Place(id: event.id, node: event.life.node)
    }

    private mutating func prompted(_ event: LedgerEvent) {
        let place = place(of: event)
        var prompt = prompting[place] ?? Prompting()
        let isDecided =
            prompt.answeredIn.contains(event.life)
            || (durableNodes.contains(place.node) && prompt.isDecided)
        // A prompt ends with the life that showed it.
        if prompt.liveIn == event.life || isDecided { counts.duplicatePrompts += 1 }
        prompt.liveIn = event.life
        prompting[place] = prompt
    }

    private mutating func ended(_ event: LedgerEvent) {
        let place = place(of: event)
        guard prompting[place]?.liveIn == event.life else { return }
        prompting[place]?.liveIn = nil
        // Logged by the node that answered; a life that ends before the decision is recorded has
        // decided nothing, and the next one may ask again.
        if event.reason == "answered" { prompting[place]?.answeredIn.insert(event.life) }
    }

    /// The presentations that began.
    var presentedCount: Int { reporters.count }

    /// The counts as of now.
    ///
    /// - Parameter dead: The lives that ended before the run did.
    func counts(dead: Set<LedgerEvent.Life>) -> LedgerCounts {
        var counts = counts
        counts.presented = presentedCount
        counts.openAtEnd = prompting.values.count { $0.liveIn.map { !dead.contains($0) } ?? false }
        for (id, reporter) in reporters where completions[id] == nil {
            if dead.contains(reporter) { counts.originDied += 1 } else { counts.openAtEnd += 1 }
        }
        for (id, events) in completions {
            if reporters[id] != nil { counts.completed += 1 }
            counts.duplicateCompletions += events.count - 1
            counts.misrouted += events.count { $0.life != reporters[id] }
            if let first = events.first, !first.option.isEmpty { counts.answered += 1 }
            counts.disagreements += events.count { event in
                let decision = Decision(answer: event.answer, option: event.option)
                return !event.option.isEmpty && decisions[id]?.contains(decision) != true
            }
        }
        for (id, events) in attempts { count(attempts: events, of: id, dead, in: &counts) }
        for (place, record) in records { count(record, at: place, dead, in: &counts) }
        return counts
    }

    /// Whether the presentation ended with the process that began it.
    private func diedWithOrigin(_ id: String, _ dead: Set<LedgerEvent.Life>) -> Bool {
        completions[id] == nil && (reporters[id].map(dead.contains) ?? true)
    }

    private func count(
        attempts events: [LedgerEvent], of id: String, _ dead: Set<LedgerEvent.Life>,
        in counts: inout LedgerCounts
    ) {
        let lives = Dictionary(grouping: events, by: \.life).mapValues(\.count)
        counts.attemptsOverOne += lives.values.reduce(0) { $0 + $1 - 1 }
        counts.misrouted += lives.filter { $0.key != reporters[id] }.values.reduce(0, +)
        // A presenter may have died before its line, and a dead origin does not ask it again.
        guard !diedWithOrigin(id, dead) else { return }
        let chosen = Set(decisions[id, default: []].map(\.option))
        counts.attemptsUnchosen += events.count { !chosen.contains($0.option) }
    }

    private func count(
        _ record: Record, at place: Place, _ dead: Set<LedgerEvent.Life>,
        in counts: inout LedgerCounts
    ) {
        // A presenter without a journal loses its decisions with its life.
        let isDurable = durableNodes.contains(place.node)
        let byLife = Dictionary(grouping: record.decisions) { isDurable ? nil : $0.life }
        for decided in byLife.values {
            counts.duplicateDecisions += Set(decided.map(\.answer)).count - 1
        }
        counts.notOffered += Set(record.decisions.map(\.option)).subtracting(record.offered).count
        let completion = completions[place.id]?.first
        let unsettled = record.decisions.filter { record.results[$0.answer] == nil }
        if !diedWithOrigin(place.id, dead), unsettled.contains(where: { !dead.contains($0.life) }) {
            counts.unsettled += 1
        }
        // "unknown" is allowed; any other result has to be true.
        for (answer, result) in record.results where completion?.answer == answer {
            let isAttempted = attempts[place.id]?.isEmpty == false
            let isTrue =
                switch RecoveryResult(rawValue: result) {
                case .recovered: completion?.didRecover == true && isAttempted
                case .failed: completion?.didRecover == false
                // The origin ends with an answer whose values it refuses, and attempts nothing.
                case .invalid: completion?.didRecover == false && !isAttempted
                // A hop that was sent another presenter's answer first says so, though the origin
                // got this one by another path.
                case .late, .withdrawn:
                    decisions[place.id, default: []].contains { $0.answer != answer }
                case .unknown: true
                case nil: false
                }
            if !isTrue { counts.untrueResults += 1 }
        }
    }
}

/// The counts of a run's ledger. The names are those of the JSON.
package struct LedgerCounts: Hashable, Sendable {
    package var presented = 0
    /// Presentations with at least one completion.
    var completed = 0
    /// Completions that carry an answer.
    var answered = 0
    /// Presentations that ended with the process that began them.
    var originDied = 0
    /// Completions beyond the first of a presentation.
    var duplicateCompletions = 0
    /// Prompts beside an open one of the same presentation, or after its decision.
    var duplicatePrompts = 0
    /// Completions and attempts in a process that did not begin the presentation.
    var misrouted = 0
    /// Attempts beyond the first of a presentation in one life of its owner.
    var attemptsOverOne = 0
    /// Attempts of an option that no presenter recorded.
    var attemptsUnchosen = 0
    /// Completions with an answer that no presenter recorded.
    var disagreements = 0
    /// Answers beyond the first that one presenter recorded for a presentation.
    var duplicateDecisions = 0
    /// Decisions for an option that was not offered to the presenter.
    var notOffered = 0
    /// Decisions without a result, of a presenter and an origin that are alive.
    var unsettled = 0
    /// Results recorded at a presenter that differ from the completion at the origin.
    var untrueResults = 0
    /// Prompts shown and presentations waiting at the end of the run.
    var openAtEnd = 0

    package init() {}

    var lost: Int { presented - completed - originDied }

    /// Whether no prompt, presentation or result is outstanding.
    package var isSettled: Bool { openAtEnd == 0 && unsettled == 0 }

    /// The counts that must be 0, by name, in the order of the table.
    private var faults: [(name: String, count: Int)] {
        [
            ("duplicateCompletions", duplicateCompletions), ("lost", lost),
            ("duplicatePrompts", duplicatePrompts), ("misrouted", misrouted),
            ("attemptsOverOne", attemptsOverOne), ("attemptsUnchosen", attemptsUnchosen),
            ("disagreements", disagreements), ("duplicateDecisions", duplicateDecisions),
            ("notOffered", notOffered), ("unsettled", unsettled),
            ("untrueResults", untrueResults), ("openAtEnd", openAtEnd),
        ]
    }

    /// For people: a line for each count.
    package var lines: [String] {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { "  \($0.name.padding(toLength: width))  \($0.count)" }
    }

    /// For people: the violated invariants, or that all hold.
    package static func verdict(_ violations: [String], _ allHolds: String) -> [String] {
        violations.isEmpty ? [allHolds] : violations.map { "VIOLATED: \($0)" }
    }

    /// The table's rows.
    var rows: [(name: String, count: Int)] {
        [
            ("presented", presented), ("completed", completed), ("answered", answered),
            ("originDied", originDied),
        ] + faults
    }

    /// The violated invariants, a sentence each.
    ///
    /// - Parameter expected: The number of errors that had to be presented.
    package func violations(expected: Int, everyEndIsAnAnswer: Bool) -> [String] {
        var found: [String] = []
        if presented != expected { found.append("presented \(presented) of \(expected)") }
        for (name, count) in faults where count != 0 {
            found.append("\(name) is \(count), must be 0")
        }
        if everyEndIsAnAnswer, answered != completed {
            found.append("\(completed - answered) ended without an answer")
        }
        return found
    }
}

/// One line of a process's log, with the fields that the checks need.
package struct LedgerEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        // Events of the library.
        case report, present, decide, done, change, complete
        /// A life of a process began; the id has no meaning.
        case start
        /// The automatic presenter shows a prompt.
        case prompt
        /// The prompt ended.
        case gone
        /// An option's attempt began in its owner.
        case attempt
    }

    /// One life of a process.
    struct Life: Hashable, Sendable {
        let node: String
        let pid: Int64
    }

    package let kind: Kind
    package let id: String
    var life: Life
    /// Seconds of the day in UTC, for pictures.
    var time = 0.0
    var option = ""
    var answer = ""
    var reason = ""
    /// The options that a presentation offers to its presenter.
    var options: [String] = []
    /// The result of a decision.
    var result = ""
    var didRecover = false
    /// Whether it repeats a decision of an earlier life.
    var isRestored = false

    init(_ kind: Kind, _ id: String, _ life: Life) {
        self.kind = kind
        self.id = id
        self.life = life
    }

    /// Nil for a line that is not an event: cut off by the death of its writer, or of another sort.
    init?(line: some Collection<UInt8>) {
        guard case .object(let fields)? = try? JSONValue.parse(Array(line)),
            let kind = fields["event"]?.stringValue.flatMap(Kind.init),
            let id = fields["id"]?.stringValue, let node = fields["node"]?.stringValue,
            let pid = fields["pid"]?.integerValue
        else { return nil }
        self.init(kind, id, Life(node: node, pid: pid))
        time = fields["time"]?.stringValue.flatMap(Self.secondOfDay) ?? 0
        option = fields["option"]?.stringValue ?? ""
        answer = fields["answer"]?.stringValue ?? ""
        reason = fields["reason"]?.stringValue ?? ""
        options = fields["options"]?.stringValue?.split(separator: ",").map(String.init) ?? []
        result = fields["result"]?.stringValue ?? ""
        didRecover = fields["didRecover"]?.stringValue == "true"
        isRestored = fields["restored"] != nil
    }

    /// The second of the day in `2026-01-31T12:34:56.789Z`.
    private static func secondOfDay(_ text: String) -> Double? {
        let parts = text.dropFirst(11).dropLast().split(separator: ":").compactMap { Double($0) }
        return parts.count == 3 ? parts[0] * 3_600 + parts[1] * 60 + parts[2] : nil
    }
}
