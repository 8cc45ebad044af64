import ErrorBus
import Foundation

/// A list of presentations as a table: one row each.
struct InboxRows {
    private static let titles = [
        "ID", "STAGE", "SEVERITY", "FROM", "AGE", "GROUP", "EXPIRES", "ERROR", "OPTIONS",
    ]
    private static let widthMax = [36, 40, 8, 24, 8, 8, 40, 64, 60]
    private static let expiryColumn = 6

    let lines: [String]

    /// - Parameter columns: The terminal's, whose lines are cut to it and have the ends of the ids;
    ///   nil where no terminal is.
    init(_ items: [JSONValue], now: Date, columns: Int? = nil) {
        var titles = Self.titles
        var widthMax = Self.widthMax
        var rows = items.map { item in
            [
                columns == nil ? item.text("id") : PartialID.short(item.text("id")),
                Self.stage(item), item.text("severity"), item.text("origin"),
                Self.age(item.text("openedAt"), now),
                item["group"]?.integerValue.map(String.init)
                    ?? "",
                Self.expiry(item), item.text("description"),
                item.optionIDs.joined(separator: " "),
            ]
        }
        var flexible: Set = [1, 3, 6, 7, 8]
        if rows.allSatisfy({ $0[Self.expiryColumn].isEmpty }) {
            for index in rows.indices { rows[index].remove(at: Self.expiryColumn) }
            titles.remove(at: Self.expiryColumn)
            widthMax.remove(at: Self.expiryColumn)
            flexible = [1, 3, 6, 7]
        }
        lines = TextTable.lines(
            rows, titles, widthMax: widthMax, flexible: flexible, columns: columns)
    }

    /// How long it can still be answered, and what applies then.
    private static func expiry(_ item: JSONValue) -> String {
        guard ["open", "claimed"].contains(item.text("stage")),
            let left = item["deadlineInMilliseconds"]?.integerValue
        else { return "" }
        let then = item.text("onExpiry")
        return "in \(span(Int(max(0, left / 1_000))))" + (then.isEmpty ? "" : ": \(then)")
    }

    /// The stage, with who has it or what came of it.
    static func stage(_ item: JSONValue) -> String {
        let stage = item.text("stage")
        switch stage {
        case "claimed": return "claimed by \(item.text("claimedBy"))"
        case "settled", "closed": return item.ending
        case "answered", "leaving":
            return "\(stage) \(item["answer"]?.text("option") ?? "")"
        default: return stage
        }
    }

    private static func age(_ opened: String, _ now: Date) -> String {
        date(opened).map { age($0, now) } ?? ""
    }

    static func date(_ text: String) -> Date? {
        try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    static func age(_ date: Date, _ now: Date) -> String {
        span(Int(max(0, min(now.timeIntervalSince(date), 1e9))))
    }

    static func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7_200: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3_600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}

extension JSONValue {
    /// The text of a field; empty where it is missing.
    func text(_ key: String) -> String { self[key]?.stringValue ?? "" }

    /// The texts of a list; empty where it is missing.
    func texts(_ key: String) -> [String] {
        self[key]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// What a presentation offers.
    var offeredOptions: [ErrorReport.Option] {
        (self["options"]?.arrayValue ?? []).map { option in
            ErrorReport.Option(
                id: option.text("id"), title: option.text("title"),
                role: ErrorReport.Option.Role(rawValue: option.text("role")))
        }
    }

    /// What came of a presentation, in words. A console of an earlier version has none: its own.
    var ending: String {
        let ending = text("ending")
        guard ending.isEmpty else { return ending }
        if text("stage") == "closed" { return text("reason") }
        return RecoveryResult(rawValue: text("result"))?.words ?? text("reason")
    }

    var optionIDs: [String] {
        self["options"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }
}
