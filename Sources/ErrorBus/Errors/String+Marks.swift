extension String {
    /// Whether more than `limit` combining marks stand in a row.
    func hasMarks(inARowAbove limit: Int) -> Bool {
        // A mark takes at least two bytes, the first of them from 0xCC (U+0300) on.
        guard utf8.count > 2 * limit, utf8.contains(where: { $0 >= 0xCC }) else { return false }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            if run > limit { return true }
        }
        return false
    }

    /// The text without the marks that a report must not hold.
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
    /// Wider than "is reordered": some marks decompose into those that are.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
