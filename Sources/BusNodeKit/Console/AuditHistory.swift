import ErrorBus
import Foundation
import Synchronization

/// The latest events of a node for the console, and their counts in the last hour. The ledger
/// itself is a file.
final class AuditHistory: AuditLog {
    struct Event: Sendable {
        let time: Date
        let event: String
        /// The presentation; nil for an act that concerns none.
        let id: PresentationID?
        let fields: [String: String]
        /// The event in words for people. Not escaped.
        let sentence: String
        /// The count of the chart that the event adds to; nil for most events.
        let count: Count?
        /// The origin of the presentation; empty for this process, and if it is not known.
        var origin = ""
        /// What goes first when there is too much.
        var rank = HistoryRank.byPeople

        var view: EventView {
            var view = EventView()
            view.time = TimeText.text(time)
            view.event = event
            view.id = id?.description ?? ""
            view.fields = fields
            view.sentence = sentence
            let origin = fields["origin"] ?? ""
            view.originName = origin.isEmpty ? nil : NodeName.words(of: origin)
            return view
        }

        func contains(_ search: TextSearch) -> Bool {
            search.isFound(in: event) || search.isFound(in: sentence)
                || id.map { search.isFound(in: $0.description) } ?? false
                || fields.contains { search.isFound(in: $0.key) || search.isFound(in: $0.value) }
        }
    }

    /// The count of the chart that an event adds to.
    enum Count: String {
        case presented, answered, recovered, failed, cancelled, unknown

        var property: WritableKeyPath<Bucket, Int> {
            switch self {
            case .presented: \.presented
            case .answered: \.answered
            case .recovered: \.recovered
            case .failed: \.failed
            case .cancelled: \.cancelled
            case .unknown: \.unknown
            }
        }
    }

    /// One minute of the chart.
    struct Bucket: Hashable, Sendable {
        var presented = 0
        var answered = 0
        var recovered = 0
        var failed = 0
        /// Presentations answered with a cancel option.
        var cancelled = 0
        /// Answers whose result never came.
        var unknown = 0
    }

    static let bucketCount = 60

    fileprivate struct State {
        /// The events with their numbers, oldest first.
        var events: [(number: Int, event: Event)] = []
        var start = 0
        /// Whether a journal has the events as well: then the oldest ones go.
        var isStored = false
        /// The origins of presentations, for the events that do not have them.
        var origins: [PresentationID: String] = [:]
        /// The number of events, with events that are no longer here.
        var total = 0
        /// The buckets by minutes since 1970.
        var buckets: [Int: Bucket] = [:]
        /// The answers that were given in this life of the node.
        var answers: [Answer.Via: Int] = [:]
    }

    private let state = Mutex(State())
    /// A presentation; nil if it is not known.
    private let known: @Sendable (PresentationID) -> InboxItem?

    /// A signal that wakes the keeper when the journal lacks events.
    private let added: AsyncStream<Void>.Continuation
    let additions: AsyncStream<Void>

    init(known: @escaping @Sendable (PresentationID) -> InboxItem? = { _ in nil }) {
        self.known = known
        (additions, added) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Restores the events of an earlier life of the node, oldest first; once, before any other.
    ///
    /// - Parameter chart: The counts of the last hour, in which more may have happened than the
    ///   events here tell.
    func restore(_ events: [Event], _ chart: [(at: Date, bucket: Bucket)] = []) {
        state.withLock { state in
            state.isStored = true
            state.total = -events.count
            for event in events { state.append(event) }
            for (time, bucket) in chart { state.buckets[Self.minute(time)] = bucket }
        }
    }

    func record(_ event: PresentationEvent) { record(event, at: .now) }

    func record(_ event: PresentationEvent, at time: Date) {
        let item = event.report == nil ? known(event.id) : nil
        let report = event.report ?? item?.report
        let count: Count? =
            switch event.what {
            case .presented: .presented
            // One that is delivered again was counted when it was given.
            case .decided(_, let isRestored): isRestored ? nil : .answered
            case .settled(.recovered, _): .recovered
            case .settled(.unknown, _): .unknown
            case .settled(_, let answer):
                report?.isCancel(answer.option) == true ? .cancelled : .failed
            case .reported, .ended, .completed: nil
            }
        if case .decided(let answer, isRestored: false) = event.what {
            state.withLock { $0.answers[answer.via, default: 0] += 1 }
        }
        let sentence = event.sentence(of: report)
        add(
            event.word, event.id, event.fields, sentence, of: report, from: item?.origin, at: time,
            count, event.historyRank)
    }

    /// Adds an act of a person.
    func note(_ act: PersonalAct, _ id: PresentationID?, by person: String) {
        let item = id.flatMap(known)
        let sentence = act.sentence(person, of: item?.report)
        add(act.word, id, act.fields(person), sentence, of: item?.report, from: item?.origin, nil)
    }

    private func add(
        _ event: String, _ id: PresentationID?, _ fields: [String: String], _ sentence: String,
        of report: ErrorReport?, from origin: NodeName?, at time: Date = .now, _ count: Count?,
        _ rank: HistoryRank = .byPeople
    ) {
        // Each event says what it is about, and is found by it.
        var about: [String: String] = [:]
        about["description"] = report?.description
        about["domain"] = report?.domain
        about["origin"] = origin?.description
        let fields = fields.merging(about) { own, _ in own }
        // The ledger has them whole; here they are kept and searched by the thousand.
        var event = Event(
            time: time, event: event, id: id,
            fields: fields.mapValues { $0.clipped(ConsoleLimits.auditFieldScalarMax) },
            sentence: sentence.clipped(ConsoleLimits.auditFieldScalarMax), count: count, rank: rank)
        state.withLock { state in
            event.origin = state.origin(of: event)
            state.append(event)
        }
        added.yield()
    }

    /// The events after the first `seen` ones, oldest first, at most `limit`, and the number of
    /// earlier events that are no longer here.
    func events(after seen: Int, limit: Int) -> (events: [Event], lostCount: Int) {
        state.withLock { state in
            let events = state.events[state.start...]
            let fresh = min(state.total - seen, events.count)
            let found = events.suffix(fresh).prefix(limit).map(\.event)
            return (found, state.total - seen - fresh)
        }
    }

    /// The number of events of this life of the node, with events that are no longer here.
    var total: Int { state.withLock(\.total) }

    /// The number of answers given in this life of the node, by the way in which they were made. An
    /// answer that an earlier life decided and this one delivers does not count.
    var answers: [Answer.Via: Int] { state.withLock(\.answers) }

    /// The events with their numbers, oldest first.
    var numbered: [(number: Int, event: Event)] {
        state.withLock { Array($0.events[$0.start...]) }
    }

    /// The events of one presentation, oldest first.
    func events(of id: PresentationID) -> [Event] {
        numbered.map(\.event).filter { $0.id == id }
    }

    /// The time of the oldest event.
    var start: Date? { state.withLock { $0.events[$0.start...].first?.event.time } }

    /// The last hour, oldest minute first.
    func chart(at now: Date = .now) -> [(at: Date, bucket: Bucket)] {
        let last = Self.minute(now)
        let buckets = state.withLock(\.buckets)
        return ((last - Self.bucketCount + 1)...last).map { minute in
            (Date(timeIntervalSince1970: TimeInterval(minute * 60)), buckets[minute] ?? Bucket())
        }
    }

    fileprivate static func minute(_ time: Date) -> Int {
        Int((time.timeIntervalSince1970 / 60).rounded(.down))
    }
}

extension AuditHistory.State {
    mutating func append(_ event: AuditHistory.Event) {
        total += 1
        events.append((total, event))
        let overflow = events.count - start - ConsoleLimits.auditEventMax
        if overflow > 0, isStored { start += overflow }
        if overflow > 0, !isStored { thin() }
        if start > ConsoleLimits.auditEventMax {
            events.removeFirst(start)
            start = 0
        }
        let minute = AuditHistory.minute(event.time)
        if let count = event.count {
            buckets[minute, default: AuditHistory.Bucket()][keyPath: count.property] += 1
        }
        if buckets.count > AuditHistory.bucketCount * 2 {
            buckets = buckets.filter { $0.key > minute - AuditHistory.bucketCount }
        }
    }
}

extension AuditHistory.State {
    /// The origin that an event names, or an earlier one of its presentation.
    fileprivate mutating func origin(of event: AuditHistory.Event) -> String {
        guard let id = event.id else { return "" }
        guard let named = event.fields["origin"] else { return origins[id] ?? "" }
        if origins.count >= 2 * ConsoleLimits.auditEventMax { origins = [:] }
        origins[id] = named
        return named
    }

    /// Forgets a tenth of the events: of those that led to no decision first, and of each rank the
    /// oldest of the origins that have the most.
    fileprivate mutating func thin() {
        var left = ConsoleLimits.auditEventMax / 10
        var surplus: [HistoryRank: [String: Int]] = [:]
        for rank in HistoryRank.allCases where left > 0 {
            var counts: [String: Int] = [:]
            for (_, event) in events where event.rank == rank {
                counts[event.origin, default: 0] += 1
            }
            let given = OriginShares.surplus(of: counts, excess: left)
            left -= given.values.reduce(0, +)
            surplus[rank] = given
        }
        events = events.filter { _, event in
            guard let more = surplus[event.rank]?[event.origin], more > 0 else { return true }
            surplus[event.rank]?[event.origin] = more - 1
            return false
        }
    }
}

extension PresentationEvent {
    /// The report in the event; nil in an event that has only the id of its presentation.
    fileprivate var report: ErrorReport? {
        switch what {
        case .reported(let report), .presented(let report, _, _), .ended(let report, _, _, _, _):
            report
        case .decided, .settled, .completed: nil
        }
    }

    /// What goes first of a history: what any process can cause.
    fileprivate var historyRank: HistoryRank {
        switch what {
        case .decided(let answer, _), .settled(_, let answer):
            answer.via == .person ? .byPeople : .automatic
        case .reported, .presented, .ended, .completed: .undecided
        }
    }

    /// The event in words for people. Not escaped.
    ///
    /// - Parameter report: The report of the presentation, if it is known.
    func sentence(of report: ErrorReport? = nil) -> String {
        func named(_ option: String) -> String { ErrorReport.name(of: option, in: report) }
        switch what {
        case .reported: return "Reported by its origin"
        case .presented(let report, _, _):
            let offered = report.options.map { named($0.id) }.joined(separator: ", ")
            return "Presented" + (offered.isEmpty ? "" : ", offering \(offered)")
        case .decided(let answer, let isRestored):
            let restored = isRestored ? ", restored from the journal" : ""
            let comment = answer.comment.map { ": \($0)" } ?? ""
            return "\(answer.authors) (\(answer.via.rawValue)) chose \(named(answer.option))"
                + restored + comment
        case .settled(let result, let answer):
            let isCancel = report?.isCancel(answer.option) ?? false
            let words = result.words(isCancel: isCancel)
            return "\(named(answer.option)) by \(answer.authors): \(words)"
        case .ended(_, .expired, _, _, let applied):
            return "\(Outcome.Reason.expired.capitalizedWords): \(RejectCode.noAnswer)"
                + (applied.map { "; its origin applies \(named($0))" } ?? "")
        case .ended(_, let reason, _, let decider, _): return "\(reason.words) by \(decider)"
        case .completed(let outcome):
            return "Completed at its origin: \(outcome.reason.words)"
        }
    }
}
