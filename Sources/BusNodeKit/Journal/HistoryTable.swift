import ErrorBus
package import Foundation

/// Presentations of the past, or events of the audit, as a table, one row each.
package struct HistoryTable {
    private static let titles = ["TIME", "ORIGIN", "WHAT", "ANSWER", "BY", "OUTCOME", "ID"]
    private static let widthMax = [36, 64, 64, 64, 64, 36, 36]
    private static let eventTitles = ["TIME", "ID", "EVENT", "WHAT"]
    private static let eventWidthMax = [36, 36, 36, 64]

    package let lines: [String]

    /// - Parameter columns: The terminal's width, to which lines are cut, with short times and only
    ///   the ends of ids; nil without a terminal.
    package init(_ entries: [HistoryEntry], now: Date = Date(), columns: Int? = nil) {
        let rows = entries.map { entry in
            [
                Self.time(entry.openedAt, now, columns), entry.originName ?? "", entry.description,
                entry.optionShown.map { $0 + entry.valueText } ?? "", entry.authors,
                entry.ending ?? entry.stage, Self.id(entry.id, columns),
            ]
        }
        lines = TextTable.lines(
            rows, Self.titled(Self.titles, columns), widthMax: Self.widthMax,
            flexible: [1, 2, 3, 4, 5], columns: columns)
    }

    /// - Parameter columns: As for presentations.
    package init(_ events: [EventView], now: Date = Date(), columns: Int? = nil) {
        let rows = events.map { event in
            [
                Self.time(event.time, now, columns), Self.id(event.id, columns), event.event,
                event.sentenceOfError,
            ]
        }
        lines = TextTable.lines(
            rows, Self.titled(Self.eventTitles, columns), widthMax: Self.eventWidthMax,
            flexible: [2, 3], columns: columns)
    }

    /// The titles, the first with the zone of short times: whole times have it themselves.
    private static func titled(_ titles: [String], _ columns: Int?) -> [String] {
        columns == nil ? titles : ["\(titles[0]) (UTC)"] + titles.dropFirst()
    }

    private static func time(_ text: String, _ now: Date, _ columns: Int?) -> String {
        columns == nil ? text : TimeText.text(text, now: now, hasFraction: false)
    }

    private static func id(_ text: String, _ columns: Int?) -> String {
        columns == nil ? text : PartialID.short(text)
    }
}
