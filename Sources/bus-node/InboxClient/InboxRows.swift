import ErrorBus
import Foundation

/// A list of presentations as a table: one row each.
struct InboxRows {
    private static let titles = [
        "ID", "STAGE", "SEVERITY", "FROM", "AGE", "GROUP", "ERROR", "OPTIONS",
    ]
    private static let widthMax = [36, 40, 8, 24, 8, 8, 64, 60]

    let lines: [String]

    init(_ items: [JSONValue], now: Date) {
        let rows = items.map { item in
            [
                item.text("id"), Self.stage(item), item.text("severity"), item.text("origin"),
                Self.age(item.text("openedAt"), now),
                item["group"]?.integerValue.map(String.init)
                    ?? "",
                item.text("description"), item.optionIDs.joined(separator: " "),
            ]
        }
        lines = TextTable.lines(rows, Self.titles, widthMax: Self.widthMax)
    }

    /// The stage, with who has it or what came of it.
    static func stage(_ item: JSONValue) -> String {
        let stage = item.text("stage")
        switch stage {
        case "claimed": return "claimed by \(item.text("claimedBy"))"
        case "settled": return item.text("result")
        case "closed": return item.text("reason")
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
    /// The text of a field; empty where there is none.
    func text(_ key: String) -> String { self[key]?.stringValue ?? "" }

    /// The texts of a list; empty where there is none.
    func texts(_ key: String) -> [String] {
        self[key]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    var optionIDs: [String] {
        self["options"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }
}
