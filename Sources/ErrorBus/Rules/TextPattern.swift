/// How a rule names a text: exactly, with `*` for any run of characters, or as `/regex/`.
/// Case counts; `/regex/i` ignores the case of ASCII letters.
///
/// A backslash takes a `*`, a backslash or a leading `/` literally. Only the first
/// ``scalarCountMax`` Unicode scalars of a text are compared with a glob or a regular
/// expression, since reports come from other processes; exact comparison takes the whole text.
public enum TextPattern: Hashable, Sendable {
    case exact(String)
    case glob(GlobPattern)
    case regex(RegexPattern)

    /// How much of a text is looked at, in Unicode scalars.
    public static let scalarCountMax = 4096

    /// Reads a pattern.
    public init(_ text: String) throws(PatternError) {
        if text.unicodeScalars.first == "/", text.unicodeScalars.count > 1,
            let end = text.unicodeScalars.lastIndex(of: "/"), end != text.unicodeScalars.startIndex
        {
            let flags = text[text.unicodeScalars.index(after: end)...]
            if flags.isEmpty || flags == "i" {
                let start = text.unicodeScalars.index(after: text.unicodeScalars.startIndex)
                let source = String(text.unicodeScalars[start..<end])
                self = .regex(try RegexPattern(source, ignoresCase: flags == "i"))
                return
            }
        }
        let glob = try GlobPattern(text)
        self = glob.literal.map(TextPattern.exact) ?? .glob(glob)
    }

    public func matches(_ text: String) -> Bool {
        switch self {
        case .exact(let wanted): wanted.unicodeScalars.elementsEqual(text.unicodeScalars)
        case .glob(let glob): glob.matches(text)
        case .regex(let regex): regex.matches(text)
        }
    }

    /// Whether this certainly matches every text that `other` matches.
    func covers(_ other: TextPattern) -> Bool {
        switch (self, other) {
        case (_, .exact(let text)): matches(text)
        case (.glob(let glob), .glob(let other)): glob.covers(other)
        case (.glob(let glob), .regex): glob.matchesEverything
        case (.regex(let regex), .regex(let other)): regex == other
        case (.regex, .glob), (.exact, _): false
        }
    }
}
