import ErrorBus

/// The audit trail as a table: one row a presentation.
struct AuditTable {
    struct Row {
        var when = ""
        var origin = ""
        var what = ""
        var answer = ""
        var by = ""
        var outcome = ""
    }

    private static let titles = ["TIME", "ORIGIN", "WHAT", "ANSWER", "BY", "OUTCOME"]
    private static let widthMax = [12, 24, 64, 16, 32, 24]
    private static let deadTitles = ["UNANSWERED", "NODE", "ORIGIN", "WHAT", "REASON", "ID"]
    private static let deadWidthMax = [20, 24, 24, 64, 24, 36]

    let lines: [String]

    init(_ events: [LoggedEvent]) {
        var rows: [String: Row] = [:]
        var order: [String] = []
        for event in events {
            let id = event["id"]
            if rows[id] == nil { order.append(id) }
            rows[id, default: Row()].take(event)
        }
        let cells = order.compactMap { rows[$0] }.map {
            [$0.when, $0.origin, $0.what, $0.answer, $0.by, $0.outcome]
        }
        lines = TextTable.lines(cells, Self.titles, widthMax: Self.widthMax)
    }

    /// What ended without an answer, a row each; no line when there is none.
    static func deadLetters(_ events: [LoggedEvent]) -> [String] {
        guard !events.isEmpty else { return [] }
        let cells = events.map { event in
            [
                event["time"], event["node"], event["origin"], event["description"],
                event["reason"], event["id"],
            ]
        }
        return TextTable.lines(cells, deadTitles, widthMax: deadWidthMax)
    }
}

extension AuditTable.Row {
    /// Later events say more about the same presentation.
    fileprivate mutating func take(_ event: LoggedEvent) {
        if when.isEmpty { when = String(event["time"].dropFirst(11).prefix(12)) }
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
