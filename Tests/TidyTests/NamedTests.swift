import Foundation

/// The tests that docs/threat-model.md names, as `Suite.function`.
struct NamedTests {
    static let path = "docs/threat-model.md"

    let names: [(suite: String, function: String)]

    init(_ document: String) {
        names = document.matches(of: /`([A-Z][A-Za-z]*)\.([a-z][A-Za-z0-9]*)`/)
            .map { (String($0.1), String($0.2)) }
    }

    /// One for each name without a test: a file with both the suite and the function.
    func violations(in files: [SourceFile]) -> [Violation] {
        let texts = files.map { $0.lines.joined(separator: "\n") }
        return names.filter { name in
            !texts.contains { text in
                ["struct ", "class ", "extension EndToEnd."].contains { kind in
                    [" ", ":"].contains { text.contains("\(kind)\(name.suite)\($0)") }
                }
                    && text.contains("func \(name.function)(")
            }
        }.map { Violation(Self.path, "there is no test \($0.suite).\($0.function)") }
    }
}
