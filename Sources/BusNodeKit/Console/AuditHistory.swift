import ErrorBus
import Foundation
import Synchronization

/// The last events of a node, for people to look at: what happened to a presentation, and how
/// much of what in the last hour. The ledger itself is a file.
final class AuditHistory: AuditLog {
    struct Event: Sendable {
        let time: Date
        let event: String
        let id: PresentationID
        let fields: [String: String]

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
        /// Those whose answer was to give up.
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
    /// Whether an option tells the caller of a presentation to give up.
    private let isCancel: @Sendable (PresentationID, _ option: String) -> Bool

    init(isCancel: @escaping @Sendable (PresentationID, String) -> Bool = { _, _ in false }) {
        self.isCancel = isCancel
    }

    func record(_ event: AuditEvent) {
        note(event.kind.rawValue, event.id, event.fields)
    }

    /// An event that is in no ledger: a claim, something undone.
    func note(
        _ event: String, _ id: PresentationID, _ fields: [String: String], at time: Date = .now
    ) {
        // The whole of them is in the ledger; here they are kept and searched by the thousand.
        let fields = fields.mapValues { $0.clipped(ConsoleLimits.auditFieldScalarMax) }
        let event = Event(time: time, event: event, id: id, fields: fields)
        let cancels = fields["option"].map { isCancel(id, $0) } ?? false
        state.withLock { state in
            state.events.append(event)
            let overflow = state.events.count - state.start - ConsoleLimits.auditEventMax
            if overflow > 0 { state.start += overflow }
            if state.start > ConsoleLimits.auditEventMax {
                state.events.removeFirst(state.start)
                state.start = 0
            }
            let minute = Self.minute(time)
            state.buckets[minute, default: Bucket()].count(event, cancels: cancels)
            if state.buckets.count > Self.bucketCount * 2 {
                state.buckets = state.buckets.filter { $0.key > minute - Self.bucketCount }
            }
        }
    }

    /// The latest that contain the text, newest first.
    func events(containing text: String?, limit: Int) -> [Event] {
        let events = state.withLock { $0.events[$0.start...] }.reversed()
        guard let text, !text.isEmpty else { return Array(events.prefix(limit)) }
        return Array(events.lazy.filter { $0.contains(text) }.prefix(limit))
    }

    /// What happened to one presentation, oldest first.
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

extension AuditHistory.Bucket {
    fileprivate mutating func count(_ event: AuditHistory.Event, cancels: Bool) {
        switch event.event {
        case AuditEvent.Kind.present.rawValue: presented += 1
        case AuditEvent.Kind.decide.rawValue: answered += 1
        case AuditEvent.Kind.done.rawValue:
            if event.fields["result"] == RecoveryResult.recovered.rawValue {
                recovered += 1
            } else if cancels {
                cancelled += 1
            } else {
                failed += 1
            }
        default: break
        }
    }
}

extension AuditHistory.Event {
    /// What happened, for people; an event that is not known here with all its fields. Not escaped.
    var sentence: String {
        let (by, option) = (fields["by"] ?? "", fields["option"] ?? "")
        let reason = fields["reason"] ?? ""
        switch event {
        case "report": return "Reported by its origin"
        case "present":
            let offered = fields["options"]?.split(separator: ",").joined(separator: ", ") ?? ""
            return "Presented" + (offered.isEmpty ? "" : ", offering \(offered)")
        case "decide":
            let restored = fields["restored"] == nil ? "" : ", restored from the journal"
            return "\(by) (\(fields["via"] ?? "")) chose \(option)\(restored)"
        case "done":
            let result = fields["result"] ?? ""
            return "\(option) by \(by): \(RecoveryResult(rawValue: result)?.words ?? result)"
        case "leaving": return "\(by) chose \(option), held back to undo"
        case "undo": return "Taken back by \(by)"
        case "claim": return "Claimed by \(by)"
        case "release": return "Released by \(by)"
        case "change" where reason == "expired":
            return "No answer came in time"
                + (option.isEmpty ? "" : "; its origin applies \(option)")
        case "change":
            return (reason.isEmpty ? "Changed" : reason) + (by.isEmpty ? "" : " by \(by)")
        case "complete": return "Completed at its origin: \(reason)"
        default:
            let words = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([event] + words).joined(separator: " ")
        }
    }
}
