import ErrorBus
import Foundation

/// The audit trail as a table: one row a presentation.
struct AuditTable {
    struct Row {
        var when = ""
        var origin = ""
        var what = ""
        var answer = ""
        var by = ""
        var outcome = ""
        var id = ""
    }

    private static let titles = ["TIME", "ORIGIN", "WHAT", "ANSWER", "BY", "OUTCOME", "ID"]
    private static let widthMax = [24, 24, 64, 16, 32, 24, 36]
    private static let deadTitles = ["UNANSWERED", "NODE", "ORIGIN", "WHAT", "REASON", "ID"]
    private static let deadWidthMax = [24, 24, 24, 64, 24, 36]

    let lines: [String]

    /// - Parameters:
    ///   - columns: The terminal's, whose lines are cut to it and have the ends of the ids; nil
    ///     where no terminal is.
    ///   - limit: Only so many rows, the last ones.
    init(
        _ events: [LoggedEvent], now: Date = Date(), columns: Int? = nil, limit: Int? = nil
    ) {
        var rows: [String: Row] = [:]
        var order: [String] = []
        for event in events {
            let id = event["id"]
            if rows[id] == nil { order.append(id) }
            rows[id, default: Row(id: id)].take(event)
        }
        let cells = order.suffix(limit ?? order.count).compactMap { rows[$0] }.map {
            [
                TimeText.text($0.when, now: now), $0.origin, $0.what, $0.answer, $0.by, $0.outcome,
                columns == nil ? $0.id : PartialID.short($0.id),
            ]
        }
        lines = TextTable.lines(
            cells, Self.titles, widthMax: Self.widthMax, flexible: [1, 2, 3, 4, 5],
            columns: columns)
    }

    /// What ended without an answer, a row each; no line when there is none.
    static func deadLetters(
        _ events: [LoggedEvent], now: Date = Date(), columns: Int? = nil
    ) -> [String] {
        guard !events.isEmpty else { return [] }
        let cells = events.map { event in
            [
                TimeText.text(event["time"], now: now), event["node"], event["origin"],
                event["description"], event["reason"],
                columns == nil ? event["id"] : PartialID.short(event["id"]),
            ]
        }
        return TextTable.lines(
            cells, deadTitles, widthMax: deadWidthMax, flexible: [1, 2, 3, 4], columns: columns)
    }
}

extension AuditTable.Row {
    /// Later events say more about the same presentation.
    fileprivate mutating func take(_ event: LoggedEvent) {
        if when.isEmpty { when = event["time"] }
        if origin.isEmpty { origin = event["origin"] }
        if what.isEmpty { what = event["description"] }
        switch event["event"] {
        case "report":
            if origin.isEmpty { origin = event["node"] }
        case "decide":
            answer = event["option"]
            by = event["by"]
        case "done":
            outcome =
                event["result"] == "failed" && event["option"] == answer
                ? "not recovered" : event["result"]
        case "change" where event["reason"] == "withheld":
            by = event["by"]
            outcome = "withheld at \(event["node"])"
        case "complete":
            if outcome.isEmpty || outcome == "unknown" { outcome = event["reason"] }
        default: break
        }
    }
}
