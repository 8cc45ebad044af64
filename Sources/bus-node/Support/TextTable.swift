import ErrorBus

/// Cells in columns, with titles above. Cells are escaped: they may hold what a peer sent.
enum TextTable {
    /// A column that may be cut keeps this much.
    private static let leastWidth = 5

    /// - Parameters:
    ///   - widthMax: The most characters of a cell, for each column.
    ///   - flexible: The columns that are cut, the widest first, where a line would be longer than
    ///     `columns`.
    ///   - columns: The terminal's; nil where no terminal is, and nothing is cut for it.
    static func lines(
        _ rows: [[String]], _ titles: [String], widthMax: [Int], flexible: Set<Int> = [],
        columns: Int? = nil
    ) -> [String] {
        let rows =
            [titles]
            + rows.map { row in
                zip(row, widthMax).map { $0.isEmpty ? "-" : $0.escapedForTerminal(scalarLimit: $1) }
            }
        var widths = titles.indices.map { column in
            rows.map { TextWidth.columns(of: $0[column]) }.max() ?? 0
        }
        if let columns { fit(&widths, flexible, into: columns) }
        return rows.map { row in
            // Nothing behind the last word of a line, where it would only be copied along.
            var line = zip(row, widths).map { cell, width in
                let text = TextWidth.clipped(cell, to: width)
                return text + String(repeating: " ", count: width - TextWidth.columns(of: text))
            }.joined(separator: "  ")
            line.removeLast(line.reversed().prefix { $0 == " " }.count)
            return line
        }
    }

    /// Takes from the widest of those that may be cut until the line fits, or all are at their
    /// least.
    private static func fit(
        _ widths: inout [Int], _ flexible: Set<Int>, into columns: Int
    ) {
        var surplus = widths.reduce(2 * (widths.count - 1), +) - columns
        while surplus > 0 {
            let widest = flexible.filter { widths[$0] > leastWidth }
                .max { (widths[$0], $1) < (widths[$1], $0) }
            guard let widest else { return }
            widths[widest] -= 1
            surplus -= 1
        }
    }
}
