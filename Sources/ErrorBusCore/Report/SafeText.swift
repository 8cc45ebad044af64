/// A writer that makes text from elsewhere safe to show: the text cannot move a cursor, recolour,
/// reorder, hide or forge a line.
struct SafeText {
    /// The treatment of line breaks.
    enum LineBreaks: Hashable, Sendable {
        /// Each is written as `\n`: for a log line or a table cell.
        case escaped
        /// Each is kept, up to so many lines; CR LF becomes LF, a lone CR is escaped.
        case kept(lineLimit: Int)
    }

    /// The most marks on one character; more are a flood and are escaped.
    private static let markCountMax = 4
    private static let cut: Unicode.Scalar = "…"
    private static let joiner: Unicode.Scalar = "\u{200D}"

    private let lineBreaks: LineBreaks
    private let scalarLimit: Int
    private var output = String.UnicodeScalarView()
    private var count = 0
    private var lineCount = 1
    /// The number of marks since the last character that can carry marks; nil before the first
    /// character.
    private var markCount: Int?

    init(lineBreaks: LineBreaks, scalarLimit: Int) {
        self.lineBreaks = lineBreaks
        self.scalarLimit = max(0, scalarLimit)
    }

    mutating func escape(_ text: String) -> String {
        var scalars = text.unicodeScalars.makeIterator()
        var pending = scalars.next()
        while let scalar = pending {
            pending = scalars.next()
            if scalar == "\r", pending == "\n", lineBreaks != .escaped { continue }
            guard append(scalar, before: pending) else {
                output.append(Self.cut)
                break
            }
        }
        return String(output)
    }

    /// Appends a scalar; false when a limit is reached.
    private mutating func append(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        if scalar == "\n", case .kept(let lineLimit) = lineBreaks {
            guard lineCount < lineLimit, count < scalarLimit else { return false }
            lineCount += 1
            count += 1
            markCount = nil
            output.append(scalar)
            return true
        }
        if isShown(scalar) || (scalar == Self.joiner && joinsEmoji(next)) {
            guard count < scalarLimit else { return false }
            count += 1
            output.append(scalar)
            return true
        }
        let escape = Self.escape(scalar).unicodeScalars
        guard count + escape.count <= scalarLimit else { return false }
        count += escape.count
        output.append(contentsOf: escape)
        markCount = nil
        return true
    }

    /// Whether a joiner at the end joins two emoji into one visible character.
    private func joinsEmoji(_ next: Unicode.Scalar?) -> Bool {
        guard let next, Self.isEmoji(next) else { return false }
        let last = output.last == "\u{FE0F}" ? output.dropLast().last : output.last
        return last.map(Self.isEmoji) ?? false
    }

    /// Whether the scalar is an emoji. Digits and other text that has an emoji form are none here.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x2000 && scalar.properties.isEmoji
    }

    private mutating func isShown(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            guard scalar.value >= 0x20, scalar.value != 0x7F else { return false }
            markCount = 0
            return true
        }
        // The choice between text and emoji form is harmless behind a visible character.
        let isMark: Bool
        if scalar == "\u{FE0E}" || scalar == "\u{FE0F}" {
            isMark = true
        } else {
            if scalar.properties.isDefaultIgnorableCodePoint { return false }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse,
                .surrogate:
                return false
            case .nonspacingMark, .enclosingMark: isMark = true
            default: isMark = false
            }
        }
        guard isMark else {
            markCount = 0
            return true
        }
        guard let count = markCount, count < Self.markCountMax else { return false }
        markCount = count + 1
        return true
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }
}

extension String {
    /// The text with control characters and escape sequences, bidi overrides, zero-width and
    /// unassigned characters, line and paragraph separators and floods of combining marks made
    /// visible; a joiner between two emoji stays. `\u{1B}` stands for ESC.
    ///
    /// - Parameters:
    ///   - keepingLines: The number of lines to keep; nil writes a line break as `\n`.
    ///   - scalarLimit: The most Unicode scalars returned, before the ellipsis of a cut.
    public func escapedForTerminal(keepingLines: Int? = nil, scalarLimit: Int = 4096) -> String {
        if utf8.count <= scalarLimit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
        let lineBreaks = keepingLines.map(SafeText.LineBreaks.kept) ?? .escaped
        var safe = SafeText(lineBreaks: lineBreaks, scalarLimit: scalarLimit)
        return safe.escape(self)
    }
}

extension String {
    /// Whether more than `limit` combining marks stand in a row.
    func hasMarks(inARowAbove limit: Int) -> Bool {
        // A mark takes at least two bytes, the first of them 0xCC (U+0300) or above.
        guard utf8.count > 2 * limit, utf8.contains(where: { $0 >= 0xCC }) else { return false }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > limit { return true }
        }
        return false
    }

    /// The text without the combining marks above a report's limit.
    package var withoutMarkFloods: String {
        let limit = JSONLimits.report.markRunCount
        guard hasMarks(inARowAbove: limit) else { return self }
        var text = String.UnicodeScalarView()
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run <= limit { text.append(scalar) }
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a mark. Wider than "is reordered": some marks decompose into reordered
    /// ones.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal, two digits for each, in lower case.
    package var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
