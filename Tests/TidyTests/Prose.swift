/// The lines of documents outside code. Tables and pictures may be wide: their rows cannot be
/// broken.
enum Prose {
    /// Each change is one line of it, in the words of its time.
    static let changes = "CHANGELOG.md"

    static func violations(path: String, text: String) -> [Violation] {
        guard path != changes else { return [] }
        var isCode = false
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            // Their numbers stay.
            lines.append(isFence || isCode || line.hasPrefix("    ") ? "" : String(line))
        }
        let broken = lines.map { $0.hasPrefix("|") || $0.hasPrefix("![") ? "" : $0 }
        var found = Shape.wideLines(path: path, lines: broken)
        found += Wording.persons(path: path, lines: lines)
        found += Wording.dialect(path: path, prose: lines.map(withoutCode))
        for (index, line) in lines.enumerated()
        where !line.count(where: { $0 == "`" }).isMultiple(of: 2) {
            found.append(
                Violation(path, line: index + 1, "code that does not end on its line"))
        }
        return found
    }

    /// A line without the names between its backticks, which are those of the code.
    private static func withoutCode(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: " ")
    }
}
