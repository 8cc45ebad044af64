/// A type declared or extended in a file.
struct Declaration: Hashable {
    let name: String
    /// 0 at the top of the file.
    let depth: Int
    let isExtension: Bool
    /// Declared `private` or `fileprivate`: no other file can mean it.
    let isPrivate: Bool

    private static let keywords: Set = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "extension",
        "associatedtype",
    ]

    static func all(in tokens: [Token]) -> [Declaration] {
        var found: [Declaration] = []
        var depth = 0
        for (index, token) in tokens.enumerated() {
            if token.text == "{" { depth += 1 }
            if token.text == "}" { depth -= 1 }
            guard keywords.contains(token.text) else { continue }
            // `.extension`, `class func` and `extension:` are no declarations of a type.
            let before = index > 0 ? tokens[index - 1].text : ""
            let rest = tokens[(index + 1)...].drop { $0.text == "[" || $0.text == "any" }
            guard before != ".", let name = rest.first, name.isWord,
                name.text.first?.isLetter == true, !["func", "var", "let"].contains(name.text)
            else { continue }
            let modifiers = tokens[..<index].reversed().prefix {
                $0.isWord && $0.line == token.line
            }
            found.append(
                Declaration(
                    name: name.text, depth: depth, isExtension: token.text == "extension",
                    isPrivate: modifiers.contains { ["private", "fileprivate"].contains($0.text) }))
        }
        return found
    }
}
