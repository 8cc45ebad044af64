import ErrorBus
package import Foundation

/// The audit trail as a table, one row for each presentation.
package struct AuditTable {
    struct Row {
        var when = ""
        var origin = ""
        var what = ""
        var answer = ""
        var by = ""
        var outcome = ""
        var id = ""
        /// The options that mean to give up.
        var cancels: Set<Substring> = []
        /// The answer whose result is known; nil without one.
        var settled: String?
    }

    private static let titles = ["TIME (UTC)", "ORIGIN", "WHAT", "ANSWER", "BY", "OUTCOME", "ID"]
    private static let widthMax = [24, 24, 64, 64, 32, 24, 36]
    private static let deadTitles = ["UNANSWERED (UTC)", "NODE", "ORIGIN", "WHAT", "REASON", "ID"]
    private static let deadWidthMax = [24, 24, 24, 64, 24, 36]

    package let lines: [String]
    /// The presentations that ended without an answer, one row each under a title; empty without
    /// such presentations.
    package let deadLines: [String]

    /// - Parameters:
    ///   - dead: The dead letters of the journals, which appear only in `deadLines`.
    ///   - columns: The terminal's width, to which lines are cut, with only the ends of ids; nil
    ///     without a terminal.
    ///   - limit: The most rows of each table; the last rows are shown.
    package init(
        _ events: [LoggedEvent], dead: [LoggedEvent] = [], now: Date = Date(),
        columns: Int? = nil, limit: Int? = nil
    ) {
        var rows: [String: Row] = [:]
        var order: [String] = []
        // First, since the clocks of nodes may differ.
        let cancels = Self.cancels(in: events)
        for event in events {
            let id = event["id"]
            // A silence, which is no presentation.
            if id.isEmpty { continue }
            if rows[id] == nil { order.append(id) }
            rows[id, default: Row(id: id, cancels: cancels[id] ?? [])].take(event)
            // The attempt went well, and then the operation failed again.
            if rows[event["retryOf"]]?.outcome == RecoveryResult.recovered.words {
                rows[event["retryOf"]]?.outcome = RecoveryResult.failedAgainWord
            }
        }
        // A presentation answered at another node is not a dead letter, whatever this journal has.
        let dead = dead.filter { rows[$0["id"]]?.answer.isEmpty ?? true }
        let deadIDs = Set(dead.map { $0["id"] })
        let listed = order.filter { !deadIDs.contains($0) }
        let cells = listed.suffix(limit ?? listed.count).compactMap { rows[$0] }.map {
            [
                TimeText.text($0.when, now: now), NodeName.words(of: $0.origin), $0.what, $0.answer,
                $0.by, $0.outcome, columns == nil ? $0.id : PartialID.short($0.id),
            ]
        }
        lines = TextTable.lines(
            cells, Self.titles, widthMax: Self.widthMax, flexible: [1, 2, 3, 4, 5],
            columns: columns)
        deadLines = Self.deadLines(
            dead.suffix(limit ?? dead.count), outcomes: rows.mapValues(\.outcome), now, columns)
    }

    /// The options that mean to give up, by presentation.
    private static func cancels(in events: [LoggedEvent]) -> [String: Set<Substring>] {
        var cancels: [String: Set<Substring>] = [:]
        for event in events where !event["cancel"].isEmpty {
            cancels[event["id"], default: []].formUnion(event["cancel"].split(separator: ","))
        }
        return cancels
    }

    private static func deadLines(
        _ events: [LoggedEvent], outcomes: [String: String], _ now: Date, _ columns: Int?
    ) -> [String] {
        guard !events.isEmpty else { return [] }
        let cells = events.map { event in
            // The ledger may have more than the reason: the option applied on expiry, for instance.
            let outcome = outcomes[event["id"]] ?? ""
            return [
                TimeText.text(event["time"], now: now), event["node"],
                NodeName.words(of: event["origin"]), event["description"],
                outcome.isEmpty ? event.reason.words : outcome,
                columns == nil ? event["id"] : PartialID.short(event["id"]),
            ]
        }
        return TextTable.lines(
            cells, deadTitles, widthMax: deadWidthMax, flexible: [1, 2, 3, 4], columns: columns)
    }
}

extension AuditTable.Row {
    /// Adds the facts of a later event of the same presentation.
    fileprivate mutating func take(_ event: LoggedEvent) {
        if when.isEmpty { when = event["time"] }
        if origin.isEmpty { origin = event["origin"] }
        if what.isEmpty { what = event["description"] }
        switch event["event"] {
        case "report":
            if origin.isEmpty { origin = event["node"] }
        case "decide":
            answer = event["option"] + event.valueText
            by = [event["by"], event["second"]].filter { !$0.isEmpty }.joined(separator: " and ")
        case "done":
            let isCancel = cancels.contains(event["option"][...])
            let result = RecoveryResult(rawValue: event["result"])
            // A delivery that is given up may be recorded just after the result that came.
            if result == .unknown, settled == event["answer"] { return }
            if result != .unknown { settled = event["answer"] }
            outcome = result?.words(isCancel: isCancel) ?? event["result"]
        case "change" where event.reason == .withheld:
            by = event["by"]
            outcome = "\(Outcome.Reason.withheld.words) at \(event["node"])"
        case "change" where event.reason == .expired:
            let applied = event["option"]
            outcome = Outcome.Reason.expired.words(applying: applied.isEmpty ? nil : applied)
        case "complete":
            if outcome.isEmpty || outcome == RecoveryResult.unknown.words {
                outcome = event.reason.words
            }
        default: break
        }
    }
}

/// One line of a ledger, as written by ``EventLog``.
package struct LoggedEvent {
    /// The limits of a line, which has the whole description of a report, with up to six bytes of
    /// an escape for each of its bytes.
    private static let limits = JSONLimits(
        byteCount: 8 * ErrorReport.Limits.payloadByteCount, depth: JSONLimits.report.depth,
        valueCount: JSONLimits.report.valueCount)

    private let fields: [String: JSONValue]
    /// The line as it is in the file.
    package let line: String
    package let position: Int

    private init(fields: [String: JSONValue], line: String, position: Int) {
        self.fields = fields
        self.line = line
        self.position = position
    }

    /// An event that is in no log.
    init(_ fields: [String: String]) {
        let fields = fields.mapValues { JSONValue.string($0) }
        let line = String(decoding: JSONValue.object(fields).encoded(), as: UTF8.self)
        self.init(fields: fields, line: line, position: 0)
    }

    /// The reason of the presentation's end; an empty one if the event does not say it.
    fileprivate var reason: Outcome.Reason { Outcome.Reason(rawValue: self["reason"]) }

    /// The values of an answer, as the history shows them; empty without any.
    fileprivate var valueText: String {
        let values = (try? JSONValue.parse(Array(self["values"].utf8)))?.objectValue ?? [:]
        return GivenText.text(values, self["secrets"].split(separator: ",").map(String.init))
    }

    /// A field as text; empty if the event does not have it.
    package subscript(name: String) -> String {
        switch fields[name] {
        case .string(let text): text
        case .integer(let number): String(number)
        default: ""
        }
    }

    /// The events of a file, in order, and the number of its invalid lines. Both are empty for a
    /// missing file.
    package static func read(_ path: String) throws -> (events: [LoggedEvent], unreadable: Int) {
        guard FileManager.default.fileExists(atPath: path) else { return ([], 0) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(path): cannot be read")
        }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        let events = lines.enumerated().compactMap { index, line -> LoggedEvent? in
            let json = try? JSONValue.parse(Array(line), limits: Self.limits)
            guard case .object(let fields)? = json, case .string? = fields["event"] else {
                return nil
            }
            // Written by an earlier version, or by hand.
            let bytes = JSONEscapes.escapingInvisible(in: Array(line))
            return LoggedEvent(
                fields: fields, line: String(decoding: bytes, as: UTF8.self), position: index)
        }
        return (events, lines.count - events.count)
    }

    /// The event for a person.
    package var sentence: String {
        let known = ["time", "node", "event", "id", "pid", "sequence"]
        let rest = fields.keys.filter { !known.contains($0) && !self[$0].isEmpty }.sorted()
            .map { "\($0)=\(self[$0].shown())" }.joined(separator: " ")
        return "\(self["time"]) \(self["node"].shown()) \(self["event"].shown()) \(rest)"
    }
}

extension [LoggedEvent] {
    /// The events of presentations with an event at this time or later. An act of a person that
    /// concerns no presentation has no id, and counts by its own time.
    package func recent(since start: String) -> [LoggedEvent] {
        let ids = Set(filter { $0["time"] >= start }.map { $0["id"] })
        return filter { event in
            event["id"].isEmpty ? event["time"] >= start : ids.contains(event["id"])
        }
    }
}
