import Foundation

/// The tables of the node simulator's map, against the scenes, checkers and files that there are.
struct SimulationMap {
    static let path = "Tests/NodeSimulation/README.md"
    static let folder = "Tests/NodeSimulation/Simulator/"

    /// Rows of a situation, its scenes, the file that makes it, and its checkers.
    private let situations: [[String]]
    /// Rows of a checker, what it rejects, and which worlds it judges.
    private let checkers: [[String]]
    /// The files that any table names.
    private let files: Set<String>

    init(_ document: String) {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        situations = Self.rows(under: "| situation |", in: lines)
        checkers = Self.rows(under: "| checker |", in: lines)
        let tables = lines.filter { $0.hasPrefix("|") }.joined(separator: "\n")
        files = Set(Self.names(in: tables).filter { $0.hasSuffix(".swift") })
    }

    func violations(in all: [SourceFile]) -> [Violation] {
        let own = all.filter { $0.path.hasPrefix(Self.folder) }
        let scenes = Set(own.filter { $0.name == "Scene.swift" }.flatMap(Self.sceneNames))
        let judges = Set(own.flatMap(Self.checkerNames))
        let found = [
            compare(
                "file", required: Set(own.filter(Self.makesWorlds).map { String($0.name) }),
                allowed: Set(own.map { String($0.name) }), with: files),
            compare(
                "scene", required: scenes, allowed: scenes,
                with: Set(situations.flatMap { Self.names(in: $0[1]) })),
            compare(
                "scene", required: [], allowed: scenes,
                with: Set(checkers.flatMap { Self.names(in: $0.last ?? "") })),
            compare(
                "checker", required: judges, allowed: judges,
                with: Set(checkers.flatMap { Self.names(in: $0[0]) })),
            compare(
                "checker", required: [], allowed: judges,
                with: Set(situations.flatMap { Self.names(in: $0.last ?? "") })),
        ]
        return found.flatMap(\.self)
    }

    private func compare(
        _ kind: String, required: Set<String>, allowed: Set<String>, with named: Set<String>
    ) -> [Violation] {
        let missing = required.subtracting(named).sorted()
            .map { "no row names the \(kind) \($0)" }
        let unknown = named.subtracting(allowed).sorted()
            .map { "a row names the \(kind) \($0), which does not exist" }
        return (missing + unknown).map { Violation(Self.path, $0) }
    }

    /// The cells of all tables that begin with a header, without the header and the line below it.
    private static func rows(under header: String, in lines: [Substring]) -> [[String]] {
        var found: [[String]] = []
        var isInside = false
        for line in lines {
            if line.hasPrefix(header) {
                isInside = true
            } else if !line.hasPrefix("|") {
                isInside = false
            } else if isInside, !line.hasPrefix("| ---") {
                let cells = line.split(separator: "|").map(String.init)
                if cells.count > 1 { found.append(cells) }
            }
        }
        return found
    }

    /// What stands between backticks.
    private static func names(in text: String) -> [String] {
        text.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    /// Whether a file is of a plan or a world, or makes the plan of a scene.
    private static func makesWorlds(_ file: SourceFile) -> Bool {
        file.stem == "Plan" || file.stem == "World"
            || file.codeLines.contains { $0.contains("mutating func stage") }
    }

    /// The cases of the enum of scenes, without the values that they have.
    private static func sceneNames(in file: SourceFile) -> [String] {
        file.codeLines.filter { $0.hasPrefix("    case ") }.flatMap { line in
            line.dropFirst(9).split(separator: ",").map { name in
                String(name.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber })
            }
        }
    }

    /// The names of the checkers that a file declares.
    private static func checkerNames(in file: SourceFile) -> [String] {
        file.lines.joined(separator: "\n")
            .matches(of: /\bChecker\(\s*name: "([a-z\-]+)"/).map { String($0.1) }
    }
}
