/// The code in a document.
enum CodeBlocks {
    /// The blocks marked `swift`, without indentation.
    static func swift(in document: String) -> [String] {
        var blocks: [[String]] = []
        var isInside = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```swift" {
                isInside = true
                blocks.append([])
            } else if line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(String(line))
            }
        }
        return blocks.map { unindented($0).joined(separator: "\n") }
    }

    /// The files that a document shows whole: `This is [PATH](...)` above a block with its text.
    static func files(in document: String) -> [(path: String, text: String)] {
        document.matches(of: /This is \[([^\]]+)\](?s:.*?)\n```[a-z]+\n((?s:.*?))```\n/)
            .map { (String($0.1), String($0.2)) }
    }

    /// Indentation depends on where a piece was cut out.
    static func unindented(_ lines: [String]) -> [String] {
        lines.map { String($0.drop { $0 == " " }) }
    }
}
