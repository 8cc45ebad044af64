import ErrorBus
import Foundation

/// Silences as a table: one row each.
struct SilenceRows {
    private static let titles = ["NO", "MATCH", "BY", "ENDS", "ANSWERED", "WITHHELD", "COMMENT"]
    private static let widthMax = [8, 60, 24, 40, 10, 10, 80]

    let lines: [String]

    /// - Parameter columns: The terminal's, whose lines are cut to it; nil where no terminal is.
    init(_ silences: [JSONValue], now: Date = Date(), columns: Int? = nil) {
        let rows = silences.map { silence in
            [
                Self.count(silence, "number"), Self.match(silence), silence.text("by"),
                Self.end(silence, now), Self.count(silence, "answered"),
                Self.count(silence, "withheld"), silence.text("comment"),
            ]
        }
        lines = TextTable.lines(
            rows, Self.titles, widthMax: Self.widthMax, flexible: [1, 2, 3, 6], columns: columns)
    }

    private static func count(_ silence: JSONValue, _ key: String) -> String {
        silence[key]?.integerValue.map(String.init) ?? ""
    }

    /// Conditions as `silence add` takes them, and the option that is chosen.
    private static func match(_ silence: JSONValue) -> String {
        var fields = silence["match"]?.objectValue ?? [:]
        for (key, value) in fields.removeValue(forKey: "userInfo")?.objectValue ?? [:] {
            fields["userInfo.\(key)"] = value
        }
        let conditions = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(words($0.value))" }
        let option = silence.text("option")
        return (conditions + (option.isEmpty ? [] : ["-> \(option)"])).joined(separator: " ")
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let values): values.map(words).joined(separator: "|")
        default: String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    private static func end(_ silence: JSONValue, _ now: Date) -> String {
        let by = silence.text("endedBy")
        guard silence.text("stage") == "ended" else {
            return TimeText.text(silence.text("endsAt"), now: now)
        }
        return by.isEmpty ? "ended" : "ended by \(by)"
    }
}
