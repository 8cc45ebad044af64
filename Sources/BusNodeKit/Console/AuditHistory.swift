import ErrorBus
import Foundation
import Synchronization

/// The latest events of a node for the console, and their counts in the last hour. The ledger
/// itself is a file.
final class AuditHistory: AuditLog {
    struct Event: Sendable {
        let time: Date
        let event: String
        let id: PresentationID
        let fields: [String: String]
        /// What happened, for people. Not escaped.
        let sentence: String

        var view: EventView {
            var view = EventView()
            view.time = TimeText.text(time)
            view.event = event
            view.id = id.description
            view.fields = fields
            view.sentence = sentence
            return view
        }

        func contains(_ text: String) -> Bool {
            event.localizedStandardContains(text) || id.description.localizedStandardContains(text)
                || fields.contains {
                    $0.key.localizedStandardContains(text)
                        || $0.value.localizedStandardContains(text)
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
    }

    static let bucketCount = 60

    private struct State {
        var events: [Event] = []
        var start = 0
        /// By minutes since 1970.
        var buckets: [Int: Bucket] = [:]
    }

    private let state = Mutex(State())
    /// Whether an option has the role cancel in that presentation.
    private let isCancel: @Sendable (PresentationID, _ option: String) -> Bool

    init(isCancel: @escaping @Sendable (PresentationID, String) -> Bool = { _, _ in false }) {
        self.isCancel = isCancel
    }

    func record(_ event: PresentationEvent) { record(event, at: .now) }

    func record(_ event: PresentationEvent, at time: Date) {
        let count: WritableKeyPath<Bucket, Int>? =
            switch event.what {
            case .presented: \.presented
            case .decided: \.answered
            case .settled(.recovered, _): \.recovered
            case .settled(_, let answer):
                isCancel(event.id, answer.option) ? \.cancelled : \.failed
            case .reported, .ended, .completed: nil
            }
        add(event.word, event.id, event.fields, event.sentence, at: time, count)
    }

    /// Adds an act of a person, which is in no ledger.
    func note(_ act: PersonalAct, _ id: PresentationID, by person: String) {
        add(act.word, id, act.fields(person), act.sentence(person), at: .now, nil)
    }

    private func add(
        _ event: String, _ id: PresentationID, _ fields: [String: String], _ sentence: String,
        at time: Date, _ count: WritableKeyPath<Bucket, Int>?
    ) {
        // The ledger has them whole; here they are kept and searched by the thousand.
        let event = Event(
            time: time, event: event, id: id,
            fields: fields.mapValues { $0.clipped(ConsoleLimits.auditFieldScalarMax) },
            sentence: sentence.clipped(ConsoleLimits.auditFieldScalarMax))
        state.withLock { state in
            state.events.append(event)
            let overflow = state.events.count - state.start - ConsoleLimits.auditEventMax
            if overflow > 0 { state.start += overflow }
            if state.start > ConsoleLimits.auditEventMax {
                state.events.removeFirst(state.start)
                state.start = 0
            }
            let minute = Self.minute(time)
            if let count { state.buckets[minute, default: Bucket()][keyPath: count] += 1 }
            if state.buckets.count > Self.bucketCount * 2 {
                state.buckets = state.buckets.filter { $0.key > minute - Self.bucketCount }
            }
        }
    }

    /// The latest events that contain the text, newest first.
    func events(containing text: String?, limit: Int) -> [Event] {
        let events = state.withLock { $0.events[$0.start...] }.reversed()
        guard let text, !text.isEmpty else { return Array(events.prefix(limit)) }
        return Array(events.lazy.filter { $0.contains(text) }.prefix(limit))
    }

    /// The events of one presentation, oldest first.
    func events(of id: PresentationID) -> [Event] {
        state.withLock { $0.events[$0.start...] }.filter { $0.id == id }
    }

    /// The last hour, oldest minute first.
    func chart(at now: Date = .now) -> [(at: Date, bucket: Bucket)] {
        let last = Self.minute(now)
        let buckets = state.withLock(\.buckets)
        return ((last - Self.bucketCount + 1)...last).map { minute in
            (Date(timeIntervalSince1970: TimeInterval(minute * 60)), buckets[minute] ?? Bucket())
        }
    }

    private static func minute(_ time: Date) -> Int {
        Int((time.timeIntervalSince1970 / 60).rounded(.down))
    }
}

/// What a person does to a presentation at a console.
enum PersonalAct: Hashable, Sendable {
    case claim, release, undo
    /// Chose an option, which is held back to undo.
    case leaving(option: String)

    var word: String {
        switch self {
        case .claim: "claim"
        case .release: "release"
        case .undo: "undo"
        case .leaving: "leaving"
        }
    }

    func fields(_ person: String) -> [String: String] {
        guard case .leaving(let option) = self else { return ["by": person] }
        return ["by": person, "option": option]
    }

    fileprivate func sentence(_ person: String) -> String {
        switch self {
        case .claim: "Claimed by \(person)"
        case .release: "Released by \(person)"
        case .undo: "Taken back by \(person)"
        case .leaving(let option): "\(person) chose \(option), held back to undo"
        }
    }
}

extension PresentationEvent {
    /// What happened, for people. Not escaped.
    var sentence: String {
        switch what {
        case .reported: return "Reported by its origin"
        case .presented(let report, _, _):
            let offered = report.options.map(\.id).joined(separator: ", ")
            return "Presented" + (offered.isEmpty ? "" : ", offering \(offered)")
        case .decided(let answer, let isRestored):
            let restored = isRestored ? ", restored from the journal" : ""
            return "\(answer.by) (\(answer.via.rawValue)) chose \(answer.option)\(restored)"
        case .settled(let result, let answer):
            return "\(answer.option) by \(answer.by): \(result.words)"
        case .ended(_, .expired, _, _, let applied):
            return "No answer came in time" + (applied.map { "; its origin applies \($0)" } ?? "")
        case .ended(_, let reason, _, let decider, _): return "\(reason) by \(decider)"
        case .completed(let outcome): return "Completed at its origin: \(outcome.reason)"
        }
    }
}
