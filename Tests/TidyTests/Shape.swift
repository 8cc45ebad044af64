/// The size of files, lines and functions, and the names of files.
enum Shape {
    static let linesMax = 400
    static let medianMax = 150
    static let columnsMax = 100
    static let functionLinesMax = 70
    /// What is shorter has to be looked for, and is read with another file anyway.
    static let smallLines = 30
    static let smallPercentMax = 12

    static func violations(in file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        if file.lines.count > linesMax {
            found.append(
                Violation(file.path, "\(file.lines.count) lines, allowed are \(linesMax)"))
        }
        found += wideLines(path: file.path, lines: file.lines)
        return found + naming(of: file) + longFunctions(in: file)
    }

    static func wideLines(path: String, lines: [String]) -> [Violation] {
        lines.enumerated().filter { $0.element.count > columnsMax }.map { index, line in
            Violation(path, line: index + 1, "\(line.count) columns, allowed are \(columnsMax)")
        }
    }

    static func median(of files: [SourceFile]) -> Int {
        let sizes = files.map(\.lines.count).sorted()
        return sizes.isEmpty ? 0 : sizes[sizes.count / 2]
    }

    /// A file is named for a type that it declares or extends. A file of free test functions or of
    /// one free function declares none, and may be named for its subject.
    private static func naming(of file: SourceFile) -> [Violation] {
        let names = Set(file.declarations.filter { $0.depth == 0 }.map(\.name))
        guard !names.isEmpty, !names.contains(String(file.stem)) else { return [] }
        return [
            Violation(
                file.path,
                "named for \(file.stem), but declares or extends only "
                    + names.sorted().joined(separator: ", "))
        ]
    }

    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "static", "class", "final",
        "override", "mutating", "nonmutating", "nonisolated", "isolated", "consuming",
        "borrowing", "convenience", "required", "discardableResult", "Sendable", "MainActor",
        "Test",
    ]

    /// Whether a function's declaration begins on this line.
    private static func beginsFunction(_ line: String) -> Bool {
        let words = line.split { !$0.isLetter }
        let first = words.drop(while: modifiers.contains).first
        return !line.drop { $0 == " " }.hasPrefix(".")
            && (first == "func" || first == "init" || first == "deinit" || first == "subscript")
    }

    /// Functions by their indentation, which swift-format keeps right.
    private static func longFunctions(in file: SourceFile) -> [Violation] {
        var found: [Violation] = []
        var start: (line: Int, indentation: Int)?
        for (index, line) in file.codeLines.enumerated() where line.contains(where: { $0 != " " }) {
            let indentation = line.prefix { $0 == " " }.count
            if let function = start, indentation == function.indentation {
                let text = line.dropFirst(indentation)
                // The second half of a signature that was broken into lines.
                if text.hasPrefix(")") || text.hasPrefix("where ") || text == "{" { continue }
                let length = index - function.line + 1
                if text.hasPrefix("}"), length > functionLinesMax {
                    found.append(
                        Violation(
                            file.path, line: function.line + 1,
                            "a function of \(length) lines, allowed are \(functionLinesMax)"))
                }
                start = nil
            }
            if start == nil, beginsFunction(line) { start = (index, indentation) }
        }
        return found
    }
}
