import Foundation

/// The mistakes that `make mutants` plants, and whether each still has its place in the sources.
enum Mutants {
    static let path = "Tests/NodeSimulation/mutants.txt"

    /// - Parameter source: The text of a file of the library; nil when it is missing.
    static func violations(
        list: String, source: (_ path: String) -> String?
    ) -> [Violation] {
        var violations: [Violation] = []
        var names: Set<String> = []
        var block: [String] = []
        for (index, line) in (list.components(separatedBy: "\n") + [""]).enumerated()
        where !line.hasPrefix("#") {
            if !line.allSatisfy(\.isWhitespace) {
                block.append(line)
                continue
            }
            if block.isEmpty { continue }
            let name = String(block[0].prefix { $0 != ":" })
            if !names.insert(name).inserted {
                violations.append(Violation(path, line: index, "\(name) is there twice"))
            }
            if let problem = problem(block, source) {
                violations.append(Violation(path, line: index, "\(name): \(problem)"))
            }
            block = []
        }
        return violations
    }

    /// Why a block cannot be planted; nil when it can.
    private static func problem(
        _ block: [String], _ source: (_ path: String) -> String?
    ) -> String? {
        guard block.count > 2, block[0].contains(": ") else { return "not understood" }
        guard
            let text = source("Sources/ErrorBusCore/" + block[1])
                ?? source("Sources/ErrorBus/" + block[1])
        else { return "no \(block[1])" }
        let old = block.dropFirst(2).filter { $0.hasPrefix("-") }.map { trimmed($0.dropFirst()) }
        let lines = text.components(separatedBy: "\n").map { trimmed($0[...]) }
        guard !old.isEmpty else { return "no old text" }
        let count =
            lines.joined(separator: "\n").components(separatedBy: old.joined(separator: "\n"))
            .count - 1
        return count == 1
            ? nil
            : "its old text is in \(block[1]) \(count) times, not once. Give the mutant the text "
                + "that the mistake is in now"
    }

    private static func trimmed(_ line: Substring) -> String {
        line.trimmingCharacters(in: .whitespaces)
    }
}
