import Foundation

/// The links of a document to files and headings of this repository.
enum MarkdownLinks {
    /// - Parameter read: The text of a path from the root, nil when there is no such file; the
    ///   empty text for a folder.
    static func violations(
        path: String, text: String, read: (String) -> String?
    ) -> [Violation] {
        let folder = path.split(separator: "/").dropLast().map(String.init)
        return proseLines(of: text).flatMap { number, line in
            targets(in: line).compactMap { target -> Violation? in
                guard !target.contains("://"), !target.hasPrefix("mailto:") else { return nil }
                let halves = target.split(
                    separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let file = String(halves[0])
                let full = file.isEmpty ? path : resolved(file, in: folder)
                guard let other = file.isEmpty ? text : read(full) else {
                    return Violation(path, line: number, "links to \(target): no file \(full)")
                }
                guard halves.count == 2, !anchors(of: other).contains(String(halves[1])) else {
                    return nil
                }
                return Violation(path, line: number, "links to \(target): no such heading")
            }
        }
    }

    /// Lines outside fenced code, with their numbers.
    private static func proseLines(of text: String) -> [(number: Int, line: String)] {
        var isCode = false
        var found: [(Int, String)] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
            } else if !isCode {
                found.append((index + 1, String(line)))
            }
        }
        return found
    }

    /// What stands in `](...)`.
    private static func targets(in line: String) -> [String] {
        line.components(separatedBy: "](").dropFirst().compactMap { piece in
            piece.firstIndex(of: ")").map { String(piece[..<$0]) }
        }
    }

    private static func resolved(_ file: String, in folder: [String]) -> String {
        var parts = folder
        for part in file.split(separator: "/") {
            if part == ".." {
                _ = parts.popLast()
            } else if part != "." {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    /// The headings as GitHub addresses them.
    private static func anchors(of text: String) -> Set<String> {
        Set(
            proseLines(of: text).filter { $0.line.hasPrefix("#") }.map { _, line in
                line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                    .replacing(" ", with: "-")
            })
    }
}
