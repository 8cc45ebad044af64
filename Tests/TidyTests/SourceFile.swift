/// A Swift file as the rules see it.
struct SourceFile {
    /// From the repository's root, with `/`.
    let path: String
    let lines: [String]
    let tokens: [Token]
    let declarations: [Declaration]
    /// The lines of ``CodeOnly``.
    let codeLines: [String]

    init(path: String, text: String) {
        self.path = path
        let code = CodeOnly.of(text)
        lines = Self.split(text)
        codeLines = Self.split(code)
        tokens = Token.all(in: code)
        declarations = Declaration.all(in: tokens)
    }

    /// Lines without the empty piece after the last line's end.
    private static func split(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    var name: Substring { path.split(separator: "/").last ?? "" }

    /// The name without `.swift`, and without `+Aspect`.
    var stem: Substring { name.split(separator: ".").first?.split(separator: "+").first ?? "" }

    /// The modules that it imports, and on which line.
    var imports: [(module: String, line: Int)] {
        tokens.indices.compactMap { index in
            guard tokens[index].text == "import", index + 1 < tokens.count else { return nil }
            let line = tokens[index].line
            var words = tokens[(index + 1)...].prefix { $0.line == line && $0.isWord }
            if words.count > 1, let kind = words.first, Self.importKinds.contains(kind.text) {
                words.removeFirst()
            }
            return words.first.map { ($0.text, line) }
        }
    }

    private static let importKinds: Set = ["struct", "class", "enum", "protocol", "func", "var"]

    /// The folder of the library or its core that it lies in; nil for a file elsewhere.
    var role: String? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 3, parts[0] == "Sources",
            ["ErrorBus", "ErrorBusCore"].contains(parts[1])
        else { return nil }
        return parts[2]
    }
}
