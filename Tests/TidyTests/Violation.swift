/// A place that breaks one of the repository's own rules.
struct Violation: Hashable, CustomStringConvertible {
    let path: String
    /// From 1; nil when it is about the whole file.
    let line: Int?
    /// What was found and what is allowed.
    let text: String

    init(_ path: String, line: Int? = nil, _ text: String) {
        self.path = path
        self.line = line
        self.text = text
    }

    var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(text)" }
}
