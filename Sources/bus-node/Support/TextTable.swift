import ErrorBus

/// Cells in columns, with titles above. Cells are escaped: they may hold what a peer sent.
enum TextTable {
    /// - Parameter widthMax: The most characters of a cell, for each column.
    static func lines(
        _ rows: [[String]], _ titles: [String], widthMax: [Int]
    ) -> [String] {
        let rows =
            [titles]
            + rows.map { row in
                zip(row, widthMax).map { $0.isEmpty ? "-" : $0.escapedForTerminal(scalarLimit: $1) }
            }
        let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            // Nothing behind the last word of a line, where it would only be copied along.
            var line = zip(row, widths).map { $0.padding(toLength: $1) }.joined(separator: "  ")
            line.removeLast(line.reversed().prefix { $0 == " " }.count)
            return line
        }
    }
}
