/// A text with `*` for any run of characters, none included.
public struct GlobPattern: Hashable, Sendable {
    /// The longest pattern, in Unicode scalars.
    public static let scalarCountMax = 256

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
                // Before anything else a backslash is only a backslash: Windows paths.
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

    func matches(_ text: String) -> Bool {
        match(text.unicodeScalars.prefix(TextPattern.scalarCountMax).map(Token.scalar))
    }

    /// Sound because a `*` of the other is taken only by a `*` here.
    func covers(_ other: GlobPattern) -> Bool { match(other.tokens) }

    /// Goes back to the last `*` only, so the work is at most pattern times text.
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
