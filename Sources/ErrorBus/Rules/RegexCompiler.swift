/// One step of a compiled ``RegexPattern``.
enum RegexInstruction: Hashable, Sendable {
    /// Takes one character of the set and goes on behind itself.
    case scalar(ScalarSet)
    /// Goes on in two places at once.
    case split(Int, Int)
    case jump(Int)
    /// Goes on only where the text begins or ends.
    case start, end
    case match
}

/// Turns an expression into instructions, within the limit.
struct RegexCompiler {
    private var program: [RegexInstruction] = []
    private let source: String

    static func compile(
        _ expression: RegexExpression, of source: String
    ) throws(PatternError) -> [RegexInstruction] {
        var compiler = RegexCompiler(source: source)
        try compiler.add(expression)
        try compiler.append(.match)
        return compiler.program
    }

    private init(source: String) { self.source = source }

    private mutating func append(_ instruction: RegexInstruction) throws(PatternError) {
        guard program.count < RegexPattern.instructionCountMax else {
            throw PatternError(
                found: "/\(source)/",
                allowed: "an expression of at most \(RegexPattern.instructionCountMax) steps, "
                    + "repetitions counted")
        }
        program.append(instruction)
    }

    private mutating func add(_ expression: RegexExpression) throws(PatternError) {
        switch expression {
        case .set(let set): try append(.scalar(set))
        case .start: try append(.start)
        case .end: try append(.end)
        case .sequence(let parts): for part in parts { try add(part) }
        case .alternatives(let parts): try add(alternatives: parts[...])
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try add(part) }
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
            let split = program.count
            try append(.jump(0))
            try add(part)
            ends.append(program.count)
            try append(.jump(0))
            program[split] = .split(split + 1, program.count)
        }
        for end in ends { program[end] = .jump(program.count) }
    }

    private mutating func addOptional(_ part: RegexExpression) throws(PatternError) {
        let split = program.count
        try append(.jump(0))
        try add(part)
        program[split] = .split(split + 1, program.count)
    }

    private mutating func addLoop(_ part: RegexExpression) throws(PatternError) {
        let split = program.count
        try append(.jump(0))
        try add(part)
        try append(.jump(split))
        program[split] = .split(split + 1, program.count)
    }
}
