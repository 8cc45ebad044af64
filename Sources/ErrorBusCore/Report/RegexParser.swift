/// The parser of the syntax of ``RegexPattern``.
struct RegexParser {
    private let source: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ source: String) throws(PatternError) {
        self.source = source
        scalars = Array(source.unicodeScalars)
        guard !scalars.isEmpty else { throw error("an expression between the slashes") }
        guard scalars.count <= RegexPattern.scalarCountMax else {
            throw error("an expression of at most \(RegexPattern.scalarCountMax) characters")
        }
    }

    mutating func parse() throws(PatternError) -> RegexExpression {
        let expression = try alternatives()
        guard position == scalars.count else { throw error("a ( for each )") }
        return expression
    }

    private func error(_ allowed: String) -> PatternError {
        PatternError(found: "/\(source.cut(toScalars: 80))/", allowed: allowed)
    }

    private var current: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private mutating func alternatives() throws(PatternError) -> RegexExpression {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .alternatives(parts)
    }

    private mutating func sequence() throws(PatternError) -> RegexExpression {
        var parts: [RegexExpression] = []
        while let scalar = current, scalar != "|", scalar != ")" {
            parts.append(try repetition(of: try atom()))
        }
        return .sequence(parts)
    }

    private mutating func repetition(
        of part: RegexExpression
    ) throws(PatternError) -> RegexExpression {
        let result: RegexExpression
        if take("*") {
            result = .repeated(part, least: 0, most: nil)
        } else if take("+") {
            result = .repeated(part, least: 1, most: nil)
        } else if take("?") {
            result = .repeated(part, least: 0, most: 1)
        } else if take("{") {
            result = try counted(part)
        } else {
            return part
        }
        // A lazy form differs only in where a match ends, which is not asked.
        _ = take("?")
        if let scalar = current, ["*", "+", "?", "{"].contains(scalar) {
            throw error("one repetition (* + ? {n,m}) after a part")
        }
        return result
    }

    private mutating func counted(_ part: RegexExpression) throws(PatternError) -> RegexExpression {
        let allowed = "{n}, {n,} or {n,m} with n <= m, at most 1000"
        guard let least = number() else { throw error(allowed) }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}"), least <= 1000, most ?? 0 <= 1000, most ?? least >= least else {
            throw error(allowed)
        }
        return .repeated(part, least: least, most: most)
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let scalar = current, ("0"..."9").contains(scalar), digits.count < 5 {
            digits.unicodeScalars.append(scalar)
            position += 1
        }
        return Int(digits)
    }

    private mutating func atom() throws(PatternError) -> RegexExpression {
        guard let scalar = current else { throw error("a character") }
        position += 1
        switch scalar {
        case "^": return .start
        case "$": return .end
        case ".": return .set(.anything)
        case "[": return .set(try bracket())
        case "\\": return .set(try escape())
        case "(": return try group()
        case "*", "+", "?", "{": throw error("something to repeat before \(scalar)")
        default: return .set(ScalarSet(ranges: [scalar...scalar]))
        }
    }

    private mutating func group() throws(PatternError) -> RegexExpression {
        guard depth < RegexPattern.depthMax else {
            throw error("groups at most \(RegexPattern.depthMax) deep")
        }
        if take("?"), !take(":") { throw error("( ) and (?: ); no look-around, no options") }
        depth += 1
        let inner = try alternatives()
        depth -= 1
        guard take(")") else { throw error("a ) for each (") }
        return inner
    }

    private mutating func escape() throws(PatternError) -> ScalarSet {
        guard let scalar = current else { throw error("a character after \\") }
        position += 1
        switch scalar {
        case "d": return .digits
        case "w": return .word
        case "s": return .space
        case "D": return ScalarSet(ranges: ScalarSet.digits.ranges, isInverted: true)
        case "W": return ScalarSet(ranges: ScalarSet.word.ranges, isInverted: true)
        case "S": return ScalarSet(ranges: ScalarSet.space.ranges, isInverted: true)
        case "t": return ScalarSet(ranges: ["\t"..."\t"])
        case "n": return ScalarSet(ranges: ["\n"..."\n"])
        case "r": return ScalarSet(ranges: ["\r"..."\r"])
        case "0"..."9", "A"..."Z", "a"..."z":
            throw error("\\d \\w \\s \\D \\W \\S \\t \\n \\r; no back-references")
        default: return ScalarSet(ranges: [scalar...scalar])
        }
    }

    private mutating func bracket() throws(PatternError) -> ScalarSet {
        var set = ScalarSet(ranges: [], isInverted: take("^"))
        var isFirst = true
        while let scalar = current, scalar != "]" || isFirst {
            isFirst = false
            position += 1
            var low = scalar
            if scalar == "\\" {
                let escaped = try escape()
                guard !escaped.isInverted else { throw error("\\d \\w \\s in brackets") }
                guard let only = escaped.singleScalar else {
                    set.ranges += escaped.ranges
                    continue
                }
                low = only
            }
            set.ranges.append(low...(try rangeEnd(from: low)))
        }
        guard take("]") else { throw error("a ] for each [") }
        return set
    }

    private mutating func rangeEnd(from low: Unicode.Scalar) throws(PatternError) -> Unicode.Scalar
    {
        guard current == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
            return low
        }
        position += 1
        var high = scalars[position]
        position += 1
        if high == "\\" {
            let escaped = try escape()
            guard let only = escaped.singleScalar else {
                throw error("a character at the end of a range")
            }
            high = only
        }
        guard low <= high else { throw error("ranges that run upward, as a-z") }
        return high
    }
}

/// A regular expression as a tree.
indirect enum RegexExpression: Hashable, Sendable {
    case set(ScalarSet)
    case start, end
    case sequence([RegexExpression])
    case alternatives([RegexExpression])
    /// A repetition; without an upper bound when `most` is nil.
    case repeated(RegexExpression, least: Int, most: Int?)
}

/// A set of characters: ranges, or their complement.
struct ScalarSet: Hashable, Sendable {
    var ranges: [ClosedRange<Unicode.Scalar>]
    var isInverted = false

    static let digits = ScalarSet(ranges: ["0"..."9"])
    static let word = ScalarSet(ranges: ["0"..."9", "A"..."Z", "_"..."_", "a"..."z"])
    static let space = ScalarSet(ranges: ["\t"..."\r", " "..." "])
    static let anything = ScalarSet(ranges: [], isInverted: true)

    /// The only character of the set; nil when there are more or the set is inverted.
    var singleScalar: Unicode.Scalar? {
        guard !isInverted, ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound else {
            return nil
        }
        return ranges[0].lowerBound
    }

    func contains(_ scalar: Unicode.Scalar, ignoringCase: Bool) -> Bool {
        var isIn = ranges.contains { $0.contains(scalar) }
        if !isIn, ignoringCase, scalar.isASCII, scalar.properties.isAlphabetic {
            let other = Unicode.Scalar(UInt8(scalar.value) ^ 0x20)
            isIn = ranges.contains { $0.contains(other) }
        }
        return isIn != isInverted
    }
}
