/// A regular expression with bounded time to parse and match, whatever the text.
///
/// Swift's Regex backtracks: `(a+)+b` against a text that a child sends could occupy a node without
/// end, and hold up every error beneath it. A `RegexPattern` runs all alternatives side by side
/// (Thompson), so at each of at most ``TextPattern/scalarCountMax`` characters a match takes at
/// most ``instructionCountMax`` steps and tests each range of each set in the expression once. The
/// price is no back-references and no look-around.
///
/// Syntax: literals, `.`, `[a-z]`, `[^a-z]`, `\d \w \s` and their capitals (ASCII), `\t \n \r`,
/// `( )`, `(?: )`, `|`, `* + ? {n} {n,} {n,m}`, `^`, `$`; a backslash makes punctuation literal. It
/// matches anywhere in the text: `^` and `$` anchor it to the ends.
package struct RegexPattern: Hashable, Sendable {
    /// The longest expression, in Unicode scalars.
    package static let scalarCountMax = 256
    /// The largest compiled expression; repetitions count as often as they repeat.
    static let instructionCountMax = 2000
    /// The deepest nesting of groups.
    package static let depthMax = 32

    let source: String
    let ignoresCase: Bool
    private let program: RegexProgram

    init(_ source: String, ignoresCase: Bool) throws(PatternError) {
        var parser = try RegexParser(source)
        program = try RegexCompiler.compile(try parser.parse(), of: source)
        self.source = source
        self.ignoresCase = ignoresCase
    }

    /// The steps that a match takes at most for each character.
    var stepCount: Int { program.instructions.count }

    func matches(_ text: String) -> Bool {
        var run = RegexRun(of: program, ignoringCase: ignoresCase)
        return run.matches(Array(text.unicodeScalars.prefix(TextPattern.scalarCountMax)))
    }
}

/// One comparison of a program with a text: all alternatives side by side, in memory that is taken
/// once for the whole text.
private struct RegexRun {
    private let program: RegexProgram
    private let ignoresCase: Bool
    /// The instructions that are active at the current position, and the ones to follow.
    private var places: [Int] = []
    private var active: [Int] = []
    private var open: [Int] = []
    /// The position at which each instruction was last reached.
    private var reachedAt: [Int]
    /// The position whose character each set was last compared with, and the result.
    private var comparedAt: [Int]
    private var contains: [Bool]

    init(of program: RegexProgram, ignoringCase: Bool) {
        self.program = program
        ignoresCase = ignoringCase
        reachedAt = Array(repeating: -1, count: program.instructions.count)
        comparedAt = Array(repeating: -1, count: program.sets.count)
        contains = Array(repeating: false, count: program.sets.count)
    }

    mutating func matches(_ scalars: [Unicode.Scalar]) -> Bool {
        for position in 0...scalars.count {
            if follows(0, at: position, of: scalars.count) { return true }
            guard position < scalars.count else { return false }
            swap(&places, &active)
            places.removeAll(keepingCapacity: true)
            for index in active.indices {
                guard case .scalar(let set) = program.instructions[active[index]],
                    isIn(set, scalars[position], at: position)
                else { continue }
                if follows(active[index] + 1, at: position + 1, of: scalars.count) { return true }
            }
        }
        return false
    }

    /// Adds the instructions reachable from `start` without consuming a character, each once.
    ///
    /// - Returns: Whether the end of the program is among them.
    private mutating func follows(_ start: Int, at position: Int, of count: Int) -> Bool {
        open.append(start)
        while let place = open.popLast() {
            guard reachedAt[place] != position else { continue }
            reachedAt[place] = position
            switch program.instructions[place] {
            case .scalar: places.append(place)
            case .jump(let target): open.append(target)
            case .split(let one, let other):
                open.append(one)
                open.append(other)
            case .start: if position == 0 { open.append(place + 1) }
            case .end: if position == count { open.append(place + 1) }
            case .match: return true
            }
        }
        return false
    }

    private mutating func isIn(_ set: Int, _ scalar: Unicode.Scalar, at position: Int) -> Bool {
        if comparedAt[set] != position {
            comparedAt[set] = position
            contains[set] = program.sets[set].contains(scalar, ignoringCase: ignoresCase)
        }
        return contains[set]
    }
}

/// A compiled ``RegexPattern``.
struct RegexProgram: Hashable, Sendable {
    var instructions: [RegexInstruction] = []
    /// The sets of its instructions, each once, however often repetitions use it.
    var sets: [ScalarSet] = []
}

/// One step of a compiled ``RegexPattern``.
enum RegexInstruction: Hashable, Sendable {
    /// Consumes one character of the set with that index and continues with the next instruction.
    case scalar(Int)
    /// Continues at two instructions.
    case split(Int, Int)
    case jump(Int)
    /// Continues only at the beginning or the end of the text.
    case start, end
    case match
}

/// The compiler of an expression into instructions, within the limit: each round of a repetition
/// adds at least one, so the limit bounds the work as well as the program.
struct RegexCompiler {
    private var program = RegexProgram()
    private let source: String

    static func compile(
        _ expression: RegexExpression, of source: String
    ) throws(PatternError) -> RegexProgram {
        var compiler = RegexCompiler(source: source)
        try compiler.add(expression)
        try compiler.append(.match)
        return compiler.program
    }

    private init(source: String) { self.source = source }

    private mutating func append(_ instruction: RegexInstruction) throws(PatternError) {
        guard program.instructions.count < RegexPattern.instructionCountMax else {
            throw PatternError(
                found: "/\(source)/",
                allowed: "an expression of at most \(RegexPattern.instructionCountMax) steps, "
                    + "repetitions counted")
        }
        program.instructions.append(instruction)
    }

    private var count: Int { program.instructions.count }

    private mutating func index(of set: ScalarSet) -> Int {
        if let index = program.sets.firstIndex(of: set) { return index }
        program.sets.append(set)
        return program.sets.count - 1
    }

    private mutating func add(_ expression: RegexExpression) throws(PatternError) {
        switch expression {
        case .set(let set): try append(.scalar(index(of: set)))
        case .start: try append(.start)
        case .end: try append(.end)
        case .sequence(let parts): for part in parts { try add(part) }
        case .alternatives(let parts): try add(alternatives: parts[...])
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try addRound(of: part) }
            if let most {
                for _ in least..<most { try addOptional(part) }
            } else {
                try addLoop(part)
            }
        }
    }

    private mutating func add(
        alternatives parts: ArraySlice<RegexExpression>
    ) throws(PatternError) {
        var ends: [Int] = []
        for (index, part) in parts.enumerated() {
            guard index < parts.count - 1 else {
                try add(part)
                break
            }
            let split = count
            try append(.jump(0))
            try add(part)
            ends.append(count)
            try append(.jump(0))
            program.instructions[split] = .split(split + 1, count)
        }
        for end in ends { program.instructions[end] = .jump(count) }
    }

    private mutating func addRound(of part: RegexExpression) throws(PatternError) {
        let start = count
        try add(part)
        guard count > start else {
            throw PatternError(
                found: "/\(source)/", allowed: "repetitions (* + ? {n,m}) of what is not empty")
        }
    }

    private mutating func addOptional(_ part: RegexExpression) throws(PatternError) {
        let split = count
        try append(.jump(0))
        try addRound(of: part)
        program.instructions[split] = .split(split + 1, count)
    }

    private mutating func addLoop(_ part: RegexExpression) throws(PatternError) {
        let split = count
        try append(.jump(0))
        try addRound(of: part)
        try append(.jump(split))
        program.instructions[split] = .split(split + 1, count)
    }
}
