/// A pattern that a rule compares a text with: exact, with `*` for any run of characters, or
/// `/regex/`. Case-sensitive; `/regex/i` ignores the case of ASCII letters.
///
/// A backslash makes a `*`, a backslash or a leading `/` literal. Only the first
/// ``scalarCountMax`` Unicode scalars of a text are compared with a glob or a regular
/// expression, since reports come from other processes; exact comparison takes the whole text.
package enum TextPattern: Hashable, Sendable {
    case exact(String)
    case glob(GlobPattern)
    case regex(RegexPattern)

    /// The length of a text that is compared, in Unicode scalars.
    package static let scalarCountMax = 4096

    /// Reads a pattern.
    package init(_ text: String) throws(PatternError) {
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

    /// The pattern, as it is written, that matches this text and no other.
    package static func text(matching text: String) -> String {
        let escaped = text.replacingScalars(["\\": "\\\\", "*": "\\*"])
        return escaped.unicodeScalars.first == "/" ? "\\" + escaped : escaped
    }

    package func matches(_ text: String) -> Bool {
        switch self {
        case .exact(let wanted): wanted.unicodeScalars.elementsEqual(text.unicodeScalars)
        case .glob(let glob): glob.matches(text)
        case .regex(let regex): regex.matches(text)
        }
    }

    /// The steps that a comparison takes at most for each character; none for an exact text.
    package var stepCount: Int {
        switch self {
        case .exact: 0
        case .glob(let glob): glob.stepCount
        case .regex(let regex): regex.stepCount
        }
    }

    /// Whether the pattern certainly matches every text that `other` matches.
    package func covers(_ other: TextPattern) -> Bool {
        switch (self, other) {
        case (_, .exact(let text)): matches(text)
        case (.glob(let glob), .glob(let other)): glob.covers(other)
        case (.glob(let glob), .regex): glob.matchesEverything
        case (.regex(let regex), .regex(let other)): regex == other
        case (.regex, .glob), (.exact, _): false
        }
    }
}

/// The fault of a text that is not a pattern.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    package let found: String
    /// The form allowed in its place.
    package let allowed: String

    package var description: String { "pattern: found \"\(found)\", allowed: \(allowed)" }
}

/// A text with `*` for any run of characters, even an empty one.
package struct GlobPattern: Hashable, Sendable {
    /// The longest pattern, in Unicode scalars.
    package static let scalarCountMax = 256

    private enum Token: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case anything
    }

    private let tokens: [Token]

    init(_ text: String) throws(PatternError) {
        guard text.unicodeScalars.count <= Self.scalarCountMax else {
            throw PatternError(
                found: "\(text.cut(toScalars: 40)) (\(text.unicodeScalars.count) characters)",
                allowed: "at most \(Self.scalarCountMax) characters")
        }
        var tokens: [Token] = []
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                // Before any other character a backslash is literal, as in Windows paths.
                if scalar != "*", scalar != "\\", !(scalar == "/" && tokens.isEmpty) {
                    tokens.append(.scalar("\\"))
                }
                tokens.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "*" {
                if tokens.last != .anything { tokens.append(.anything) }
            } else {
                tokens.append(.scalar(scalar))
            }
        }
        if isEscaped { tokens.append(.scalar("\\")) }
        self.tokens = tokens
    }

    /// The text itself when there is no `*` in it.
    var literal: String? {
        var text = String.UnicodeScalarView()
        for token in tokens {
            guard case .scalar(let scalar) = token else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    var matchesEverything: Bool { tokens == [.anything] }

    var stepCount: Int { tokens.count }

    func matches(_ text: String) -> Bool {
        match(text.unicodeScalars.prefix(TextPattern.scalarCountMax).map(Token.scalar))
    }

    /// Whether the pattern matches every text that `other` matches. Correct because only a `*` here
    /// matches a `*` of the other.
    func covers(_ other: GlobPattern) -> Bool { match(other.tokens) }

    /// Whether the tokens match. Backtracks to the last `*` only, so the work is at most pattern
    /// times text.
    private func match(_ text: [Token]) -> Bool {
        var (position, place) = (0, 0)
        var retry: (position: Int, place: Int)?
        while position < text.count {
            if place < tokens.count, tokens[place] == .anything {
                retry = (position, place)
                place += 1
            } else if place < tokens.count, tokens[place] == text[position] {
                position += 1
                place += 1
            } else if let last = retry {
                retry = (last.position + 1, last.place)
                position = last.position + 1
                place = last.place + 1
            } else {
                return false
            }
        }
        return tokens[place...].allSatisfy { $0 == .anything }
    }
}
