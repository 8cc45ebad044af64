/// A regular expression whose reading and matching time is bounded, whatever the text.
///
/// Swift's Regex backtracks: `(a+)+b` against a text that a child sends could occupy a node for
/// ever, and every error beneath it with it. This one runs all alternatives side by side
/// (Thompson), so at each of at most ``TextPattern/scalarCountMax`` characters a match takes at
/// most ``instructionCountMax`` steps and looks once at each range of each set that is written in
/// the expression. The price is no back-references and no look-around.
///
/// Syntax: literals, `.`, `[a-z]`, `[^a-z]`, `\d \w \s` and their capitals (ASCII), `\t \n \r`,
/// `( )`, `(?: )`, `|`, `* + ? {n} {n,} {n,m}`, `^`, `$`; a backslash takes punctuation
/// literally. It is searched for anywhere in the text: `^` and `$` tie it to the ends.
public struct RegexPattern: Hashable, Sendable {
    /// The longest expression, in Unicode scalars.
    public static let scalarCountMax = 256
    /// The largest compiled expression; repetitions count as often as they repeat.
    public static let instructionCountMax = 2000
    /// The deepest nesting of groups.
    public static let depthMax = 32

    let source: String
    let ignoresCase: Bool
    private let program: RegexProgram

    init(_ source: String, ignoresCase: Bool) throws(PatternError) {
        var parser = try RegexParser(source)
        program = try RegexCompiler.compile(try parser.parse(), of: source)
        self.source = source
        self.ignoresCase = ignoresCase
    }

    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars.prefix(TextPattern.scalarCountMax))
        var current = RegexThreads(capacity: program.instructions.count)
        for position in 0...scalars.count {
            follow(0, in: &current, at: position, of: scalars.count)
            if current.hasMatched { return true }
            guard position < scalars.count else { return false }
            var membership = RegexMembership(
                of: scalars[position], in: program.sets, ignoringCase: ignoresCase)
            var following = RegexThreads(capacity: program.instructions.count)
            for place in current.places {
                if case .scalar(let set) = program.instructions[place], membership.isIn(set) {
                    follow(place + 1, in: &following, at: position + 1, of: scalars.count)
                }
            }
            current = following
            if current.hasMatched { return true }
        }
        return false
    }

    /// Adds what can be reached from `start` without taking a character; each place once.
    private func follow(
        _ start: Int, in threads: inout RegexThreads, at position: Int, of count: Int
    ) {
        var open = [start]
        while let place = open.popLast() {
            guard threads.insert(place) else { continue }
            switch program.instructions[place] {
            case .scalar: threads.places.append(place)
            case .jump(let target): open.append(target)
            case .split(let one, let other): open += [other, one]
            case .start: if position == 0 { open.append(place + 1) }
            case .end: if position == count { open.append(place + 1) }
            case .match: threads.hasMatched = true
            }
        }
    }
}

/// The places in a program that are alive at one position of the text.
private struct RegexThreads {
    var places: [Int] = []
    var hasMatched = false
    private var seen: [Bool]

    init(capacity: Int) { seen = Array(repeating: false, count: capacity) }

    mutating func insert(_ place: Int) -> Bool {
        if seen[place] { return false }
        seen[place] = true
        return true
    }
}

/// Which sets one character is in, each found out when it is first asked.
private struct RegexMembership {
    private let scalar: Unicode.Scalar
    private let sets: [ScalarSet]
    private let ignoresCase: Bool
    private var known: [Bool?]

    init(of scalar: Unicode.Scalar, in sets: [ScalarSet], ignoringCase: Bool) {
        self.scalar = scalar
        self.sets = sets
        ignoresCase = ignoringCase
        known = Array(repeating: nil, count: sets.count)
    }

    mutating func isIn(_ index: Int) -> Bool {
        if let isIn = known[index] { return isIn }
        let isIn = sets[index].contains(scalar, ignoringCase: ignoresCase)
        known[index] = isIn
        return isIn
    }
}
