import ErrorBus

/// What happened to a presentation, as sentences. Not escaped.
enum InboxHistory {
    /// An event of the audit; one that is not known here with all its fields.
    static func sentence(_ event: JSONValue) -> String {
        let fields = event["fields"] ?? .null
        let (by, option) = (fields.text("by"), fields.text("option"))
        switch event.text("event") {
        case "report": return "reported by its origin"
        case "present": return "presented, offering \(fields.text("options"))"
        case "decide": return "\(by) (\(fields.text("via"))) chose \(option)"
        case "done": return "\(option) by \(by): \(Self.words(fields.text("result")))"
        case "leaving": return "\(by) chose \(option), held back to undo"
        case "undo": return "taken back by \(by)"
        case "claim": return "claimed by \(by)"
        case "release": return "released by \(by)"
        case "change" where fields.text("reason") == "expired":
            let applied = option.isEmpty ? "" : "; its origin applies \(option)"
            return "no answer came in time\(applied)"
        case "change" where !by.isEmpty: return "\(fields.text("reason")) by \(by)"
        case "complete": return "completed at its origin: \(fields.text("reason"))"
        default:
            let words = (fields.objectValue ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.stringValue ?? "")" }
            return ([event.text("event")] + words).joined(separator: " ")
        }
    }

    private static func words(_ result: String) -> String {
        RecoveryResult(rawValue: result)?.words ?? result
    }
}
