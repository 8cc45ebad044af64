/// A compiled ``RegexPattern``.
struct RegexProgram: Hashable, Sendable {
    var instructions: [RegexInstruction] = []
    /// What its instructions ask about, each once, however often repetitions ask.
    var sets: [ScalarSet] = []
}

/// One step of a compiled ``RegexPattern``.
enum RegexInstruction: Hashable, Sendable {
    /// Takes one character of the set of that index and goes on behind itself.
    case scalar(Int)
    /// Goes on in two places at once.
    case split(Int, Int)
    case jump(Int)
    /// Goes on only where the text begins or ends.
    case start, end
    case match
}

/// Turns an expression into instructions, within the limit: each round of a repetition adds at
/// least one, so the limit ends the work as well as the program.
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
