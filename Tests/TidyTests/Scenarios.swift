import Foundation

/// The codes of docs/scenarios.md (`A07`, `F13`, `C5`) and those in the titles of tests.
struct Scenarios {
    static let path = "docs/scenarios.md"

    /// The codes that have a row.
    let known: [String]
    /// The codes that the end of the page lists as without a test of that name.
    let untested: [String]

    init(_ document: String) {
        let parts = document.components(separatedBy: "\n## Without a test of that name\n")
        known = parts[0].split(separator: "\n").compactMap { line in
            line.prefixMatch(of: /\| ([AFC][0-9]{1,2}) \|/).map { String($0.1) }
        }
        untested = parts.count > 1 ? Self.codes(in: parts[1]) : []
    }

    /// The codes in the titles of a file's tests and suites.
    static func codes(inTitlesOf file: String) -> [String] {
        file.matches(of: /@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"/)
            .flatMap { codes(in: String($0.1)) }
    }

    private static func codes(in text: String) -> [String] {
        text.matches(of: /\b[AFC][0-9]{1,2}\b/).map { String($0.0) }
    }

    func violations(tested: Set<String>) -> [Violation] {
        let unknown = tested.subtracting(known).sorted()
            .map { "a test names \($0), which is not here" }
        let missing = known.filter { !tested.contains($0) }
        let wrong =
            missing == untested
            ? [] : ["without a test of that name are: \(missing.joined(separator: ", "))"]
        return (unknown + wrong).map { Violation(Self.path, $0) }
    }
}
