/// Calls that compare text by character, and what they cost a text of a peer. A character of many
/// scalars, as marks and joiners make it, is compared with the square of their number; and a scalar
/// with a mark after it is another character, which a replacement leaves as it is.
enum TextCost {
    /// Files that call them all the same, and the reason.
    static let exceptions = [
        "Sources/BusNodeKit/Console/ConsolePage.swift": "replaces paths in its own page",
        "Sources/BusNodeKit/Console/ConsoleToken.swift":
            "replaces a token in a line of a log, where a token with a mark is another text",
        "Sources/BusNodeKit/Console/ConsoleUsers.swift":
            "replaces what may be a token in a line of a log",
        "Sources/BusNodeKit/Explaining/RuleProposal.swift":
            "names of nodes are ASCII; a variable is found by character, too",
        "Sources/BusNodeKit/Journal/JournalCopy.swift": "replaces the path of a file",
        "Sources/BusNodeKit/Notify/AnswerLink.swift": "writes the digits of an id",
        "Sources/BusNodeKit/Processes/CommandTree.swift": "searches bytes",
        "Sources/BusNodeKit/Topology/ProviderAddress.swift": "reads a setting",
    ]

    private static let folders = ["ErrorBus", "ErrorBusCore", "BusNodeKit"].map {
        "Sources/\($0)/"
    }

    private static let searches: Set = [
        "caseInsensitive", "caseInsensitiveCompare", "commonPrefix", "components", "folding",
        "localizedCaseInsensitiveCompare", "localizedCaseInsensitiveContains", "localizedCompare",
        "localizedStandardCompare", "localizedStandardContains", "localizedStandardRange", "range",
        "applyingTransform",
    ]

    private static let replacements: Set = [
        "replacing", "replacingOccurrences", "replacingCharacters",
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        guard folders.contains(where: file.path.hasPrefix), exceptions[file.path] == nil else {
            return []
        }
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard index > 0, tokens[index - 1].text == "." else { return nil }
            let next = tokens.dropFirst(index + 1).prefix(2).map(\.text)
            let remedy: String
            switch tokens[index].text {
            case "range" where next != ["(", "of"], "components" where next.first != "(":
                return nil
            case let word where searches.contains(word): remedy = "TextSearch"
            case let word where replacements.contains(word): remedy = "replacingScalars"
            default: return nil
            }
            return Violation(
                file.path, line: tokens[index].line,
                "\(tokens[index].text) compares characters, at any cost; use \(remedy), or name "
                    + "the file in TextCost.exceptions with its reason")
        }
    }
}
