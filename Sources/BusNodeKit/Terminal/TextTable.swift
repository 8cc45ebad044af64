import ErrorBus

/// Cells in columns, with titles above. Cells are escaped: they may hold text of a peer.
package enum TextTable {
    /// The minimum width of a column that may be cut.
    private static let leastWidth = 5

    /// - Parameters:
    ///   - widthMax: The most characters of a cell, for each column.
    ///   - flexible: The columns to cut, the widest first, when a line is longer than `columns`.
    ///   - columns: The terminal's width; nil without a terminal: then no line is cut.
    package static func lines(
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
            // No spaces at the end of a line, which would be copied along.
            var line = zip(row, widths).map { cell, width in
                let text = TextWidth.clipped(cell, to: width)
                return text + String(repeating: " ", count: width - TextWidth.columns(of: text))
            }.joined(separator: "  ")
            line.removeLast(line.reversed().prefix { $0 == " " }.count)
            return line
        }
    }

    /// Narrows the widest flexible columns until the line fits, or all are at their minimum.
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

/// The columns of a terminal that text takes. Terminals differ on rare characters: drawings put
/// each field at a fixed column, so that a difference stays within one field.
enum TextWidth {
    /// East Asian Width W and F without emoji, which have a property of their own.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
        0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9, 0xFE10...0xFE19,
        0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
    private static let regionalIndicators: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    static func columns(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and finals that join the syllable before them.
        if (0x1160...0x11FF).contains(value) { return 0 }
        if wide.contains(where: { $0.contains(value) }) { return 2 }
        // Two of them make one flag.
        if regionalIndicators.contains(value) { return 1 }
        return scalar.properties.isEmojiPresentation ? 2 : 1
    }

    static func columns(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text, cut with an ellipsis to so many columns.
    static func clipped(_ text: String, to limit: Int) -> String {
        guard limit > 0 else { return "" }
        guard columns(of: text) > limit else { return text }
        return prefix(text.unicodeScalars[...], limit - 1) + "…"
    }

    private static func prefix(_ text: Substring.UnicodeScalarView, _ limit: Int) -> String {
        var width = 0
        return String(
            String.UnicodeScalarView(
                text.prefix { scalar in
                    width += columns(of: scalar)
                    return width <= limit
                }))
    }

    /// One line as several of at most so many columns, broken between words if these are short
    /// enough.
    static func pieces(_ text: String, columns limit: Int) -> [String] {
        var pieces: [String] = []
        var rest = text.unicodeScalars[...]
        while true {
            var width = 0
            let fitting = rest.prefix { scalar in
                width += columns(of: scalar)
                return width <= limit
            }
            guard fitting.endIndex < rest.endIndex else { return pieces + [String(rest)] }
            // Not even one character fits: a line that is too wide instead of an endless loop.
            guard !fitting.isEmpty else { return pieces + [String(rest)] }
            // Between words, unless that leaves most of the line empty.
            let space = fitting.lastIndex(of: " ").map { fitting[...$0] }
            let piece = space.flatMap { $0.count > limit / 2 ? $0 : nil } ?? fitting
            pieces.append(String(piece))
            rest = rest[piece.endIndex...]
        }
    }
}

extension String {
    /// The text as one escaped line of at most 400 scalars.
    package func shown() -> String { escapedForTerminal(scalarLimit: 400) }

    /// The text as one escaped line, long enough for all text that a peer may send at once.
    func shownWhole() -> String {
        escapedForTerminal(scalarLimit: 4 * ErrorReport.Limits.payloadByteCount)
    }

    package func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
