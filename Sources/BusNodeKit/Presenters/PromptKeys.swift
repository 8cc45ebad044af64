package import ErrorBus
import Foundation

/// The keys of one prompt: the texts that choose each option. Keys are letters of the title where
/// possible, never those of help and details.
package struct PromptKeys: Hashable {
    package enum Choice: Hashable {
        case option(String)
        /// Help, which is not an answer: the same prompt is shown again.
        case help
        case unknown(String)
    }

    package struct Key: Hashable {
        package let key: String
        package let option: ErrorReport.Option
    }

    package let keys: [Key]
    /// Enough for all options of a report, beside the keys that a full screen has for itself.
    private static let singles = "abcdefghijklmnopqrstuvwxyz1234567890!#$%&*+=@".map(String.init)
    private let defaultOption: ErrorReport.Option?
    private let cancelOption: ErrorReport.Option?
    /// Why an option cannot be chosen here, in few words, by its id.
    private let marks: [String: String]

    /// - Parameters:
    ///   - reserved: The keys with another meaning on this screen.
    ///   - areSingle: Whether a key acts at once, so that it has one character; further options
    ///     have no key.
    ///   - marks: Why an option cannot be chosen here, in few words, by its id.
    init(
        _ options: [ErrorReport.Option], reserved: Set<String> = [], areSingle: Bool = false,
        marks: [String: String] = [:]
    ) {
        self.marks = marks
        var taken = reserved.union(["?"])
        var keys: [Key] = []
        for (index, option) in options.enumerated() {
            let letters = option.title.lowercased().unicodeScalars
                .filter { ("a"..."z").contains($0) }.map(String.init)
            var key = letters.first { !taken.contains($0) } ?? String(index + 1)
            if areSingle, key.count > 1 {
                key = Self.singles.first { !taken.contains($0) } ?? ""
            }
            taken.insert(key)
            keys.append(Key(key: key, option: option))
        }
        self.keys = keys
        // Return can only mean a single OK or Cancel.
        let only = options.count == 1 && options[0].role != .destructive ? options[0] : nil
        defaultOption = options.defaultOption ?? only
        cancelOption = options.first { $0.role == .cancel }
    }

    /// The meaning of a line: a key, an option's id, title or number; bare Return is the default.
    package func choice(_ line: String) -> Choice {
        let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if text == "?" { return .help }
        if text.isEmpty {
            if let defaultOption { return .option(defaultOption.id) }
            return .unknown("there is no default: name an option")
        }
        if text == "\u{1B}", let cancelOption { return .option(cancelOption.id) }
        let lowered = text.lowercased()
        if let key = keys.first(where: { $0.key == lowered }) { return .option(key.option.id) }
        let named = keys.filter {
            $0.option.id.lowercased() == lowered || $0.option.title.lowercased() == lowered
        }
        if named.count == 1 { return .option(named[0].option.id) }
        if let number = Int(text), keys.indices.contains(number - 1) {
            return .option(keys[number - 1].option.id)
        }
        return .unknown("\"\(text.escapedForTerminal(scalarLimit: 60))\" is not an option")
    }

    /// Whether a line is the word that confirms.
    package static func confirms(_ line: String) -> Bool {
        line.trimmingCharacters(in: .whitespaces).lowercased() == "yes"
    }

    /// Whether bare Return chooses the option.
    func isDefault(_ id: String) -> Bool { defaultOption?.id == id }

    /// The line of options, e.g. `[r] Retry (Return)   [a] Abort   [?] details`.
    package var line: String { texts().joined(separator: "   ") }

    /// Each option with its key, and the known facts about its results.
    func texts(with results: [String: String] = [:]) -> [String] {
        keys.map { key in
            let result = results[key.option.id].map { ", \($0)" } ?? ""
            return text(of: key, default: "Return") + result
        } + ["[?] details"]
    }

    /// An option with its key and its marks.
    package func text(of key: Key, default word: String) -> String {
        var text = "[\(key.key.isEmpty ? "-" : key.key)] \(Self.shownTitle(of: key.option))"
        let marks =
            (key.option.role == .destructive ? ["destructive"] : [])
            + [self.marks[key.option.id]].compactMap(\.self)
        if !marks.isEmpty { text += " (\(marks.joined(separator: ", ")))" }
        if key.option.id == defaultOption?.id { text += " (\(word))" }
        return text
    }

    /// The title, or the id if the title is empty. Quoted if it could be mistaken for several
    /// options, or for a text of this program.
    static func shownTitle(of option: ErrorReport.Option) -> String {
        let isBlank = option.title.allSatisfy(\.isWhitespace)
        let title = (isBlank ? option.id : option.title).escapedForTerminal(scalarLimit: 80)
        let brackets = "[]()".unicodeScalars
        guard
            title.unicodeScalars.contains(where: { brackets.contains($0) })
                || title.contains("  ")
        else {
            return title
        }
        return "\"\(title.replacingScalars(["\"": "'"]))\""
    }
}
