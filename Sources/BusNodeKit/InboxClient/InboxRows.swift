package import ErrorBus
package import Foundation

/// A list of presentations as a table, one row each.
package struct InboxRows {
    private static let titles = [
        "ID", "STAGE", "SEVERITY", "FROM", "AGE", "GROUP", "EXPIRES", "ERROR", "OPTIONS",
    ]
    private static let widthMax = [36, 40, 8, 24, 8, 8, 40, 64, 60]
    private static let expiryColumn = 6

    package let lines: [String]

    /// - Parameter columns: The terminal's width, to which lines are cut, with only the ends of
    ///   ids; nil without a terminal.
    package init(_ items: [PresentationView], now: Date, columns: Int? = nil) {
        var titles = Self.titles
        var widthMax = Self.widthMax
        var rows = items.map { item in
            [
                columns == nil ? item.id : PartialID.short(item.id), item.stageShown,
                item.severity, item.originShown ?? "",
                TimeText.date(item.openedAt).map { AgeText.short(since: $0, at: now) } ?? "",
                item.group < 0 ? "" : "\(item.group)", item.expiryShown, item.description,
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
}

extension PresentationView {
    /// The time left for an answer, and the option applied after it; empty if it does not expire.
    var expiryShown: String {
        guard ["open", "claimed"].contains(stage), let left = deadlineInMilliseconds
        else { return "" }
        return "in \(AgeText.short(seconds: Int(max(0, left / 1_000))))"
            + (onExpiry.map { ": \($0)" } ?? "")
    }

    /// The stage, with the claimant or the result; or the proposal.
    package var stageShown: String {
        if let proposal { return "\(proposal.by) proposes \(proposal.option)" }
        return switch stage {
        case "claimed": "claimed by \(claimedBy ?? "")"
        case "settled", "closed": endingShown
        case "answered" where ending != nil:
            "answered \(answer?.option ?? ""), \(endingShown)"
        case "answered", "leaving": "\(stage) \(answer?.option ?? "")"
        default: stage
        }
    }

    /// The end in words. Made here for a console of an earlier version, which sends none.
    var endingShown: String { ending ?? (stage == "closed" ? reason : result) ?? "" }

    /// The origin for people; nil for the console's own. Made here for a console of an earlier
    /// version, which sends none.
    package var originShown: String? { originName ?? origin.map(NodeName.words(of:)) }

    package var optionIDs: [String] { options.map(\.id) }
}

/// Hooks and dead letters as two tables, one row each.
package enum HookRows {
    /// - Parameter columns: The terminal's width, to which lines are cut; nil without a terminal.
    package static func lines(_ list: JSONValue, columns: Int? = nil) -> [String] {
        func count(_ value: JSONValue, _ key: String) -> String {
            "\(value[key]?.integerValue ?? 0)"
        }
        func rows(_ key: String, _ cells: (JSONValue) -> [String]) -> [[String]] {
            (list[key]?.arrayValue ?? []).map(cells)
        }
        let hooks = rows("hooks") { hook in
            [
                hook.text("name"), hook.text("address"), hook.text("body"), count(hook, "sent"),
                count(hook, "waiting"), hook.text("problem"),
            ]
        }
        let dead = rows("dead") { letter in
            [
                count(letter, "number"), letter.text("hook"), letter.text("at"),
                letter.text("problem"), letter.text("title"),
            ]
        }
        let letters =
            dead.isEmpty
            ? []
            : [""]
                + TextTable.lines(
                    dead, ["NO", "HOOK", "AT", "PROBLEM", "MESSAGE"],
                    widthMax: [8, 24, 24, 60, 200], flexible: [3, 4], columns: columns)
        return TextTable.lines(
            hooks, ["HOOK", "ADDRESS", "BODY", "SENT", "WAITING", "PROBLEM"],
            widthMax: [24, 60, 12, 10, 10, 60], flexible: [1, 5], columns: columns) + letters
    }
}

/// Silences as a table, one row each.
package struct SilenceRows {
    private static let titles = [
        "NO", "MATCH", "BY", "ENDS (UTC)", "ANSWERED", "WITHHELD", "COMMENT",
    ]
    private static let widthMax = [8, 60, 24, 40, 10, 10, 80]

    package let lines: [String]

    /// - Parameter columns: The terminal's width, to which lines are cut; nil without a terminal.
    package init(_ silences: [SilenceView], now: Date = Date(), columns: Int? = nil) {
        let rows = silences.map { silence in
            [
                "\(silence.number)", Self.match(silence), silence.by, Self.end(silence, now),
                "\(silence.answered)", "\(silence.withheld)", silence.comment,
            ]
        }
        lines = TextTable.lines(
            rows, Self.titles, widthMax: Self.widthMax, flexible: [1, 2, 3, 6], columns: columns)
    }

    /// The conditions in the form of `silence add`, and the option.
    static func match(_ silence: SilenceView) -> String {
        var fields = silence.match.objectValue ?? [:]
        for (key, value) in fields.removeValue(forKey: "userInfo")?.objectValue ?? [:] {
            fields["userInfo.\(key)"] = value
        }
        let conditions = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(words($0.value))" }
        return (conditions + (silence.option.map { ["-> \($0)"] } ?? [])).joined(separator: " ")
    }

    private static func words(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .array(let values): values.map(words).joined(separator: "|")
        default: String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    private static func end(_ silence: SilenceView, _ now: Date) -> String {
        guard silence.stage == "ended" else {
            return TimeText.text(silence.endsAt, now: now, hasFraction: false)
        }
        return "ended" + (silence.endedBy.map { " by \($0)" } ?? "")
    }
}

extension JSONValue {
    /// The text of a field; empty if it is missing.
    package func text(_ key: String) -> String { self[key]?.stringValue ?? "" }

    /// The texts of a list; empty if it is missing.
    package func texts(_ key: String) -> [String] { [String](json: self[key] ?? .null) ?? [] }

    /// The reason of a console's refusal, in the words of its client; nil without a reason.
    ///
    /// - Parameter takeOver: The way to take a claim over there.
    package func refusal(takeOver: String) -> String? {
        guard text("error") == "claimed", let until = self["until"]?.stringValue else {
            return self["message"]?.stringValue
        }
        return "claimed by \(text("by")) until \(until): \(takeOver)"
    }

    /// The list of a console: presentations or silences.
    package func views<View: JSONObject>(_ key: String, of type: View.Type = View.self) -> [View] {
        [View](json: self[key] ?? .null) ?? []
    }
}
