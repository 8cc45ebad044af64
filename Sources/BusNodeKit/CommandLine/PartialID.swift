/// A presentation's id as a person types it: whole, its beginning, or its end. Ids made in the same
/// minute begin alike; their ends differ.
package struct PartialID {
    /// The shortest end accepted: shorter ones are ambiguous.
    static let endCountMin = 4
    /// The number of an id's characters in a table at a terminal.
    static let shownCount = 8
    /// The most ids that a message lists.
    static let listedMax = 5

    package let text: String

    package init(_ text: String) { self.text = text.lowercased() }

    /// Whether the id begins or ends with the text. An empty one, as of a variable that is not set,
    /// matches no id.
    package func matches(_ id: String) -> Bool {
        guard !text.isEmpty else { return false }
        return id.hasPrefix(text) || (text.count >= Self.endCountMin && id.hasSuffix(text))
    }

    /// The end of an id, which distinguishes it from others.
    static func short(_ id: String) -> String { String(id.suffix(shownCount)) }

    /// The refusal of a text that matches no id of this place. Escaped.
    package static func unknown(_ text: String, in place: String) -> String {
        let advice =
            text.count < endCountMin
            ? "; give the beginning of an id, or its last \(endCountMin) characters or more" : ""
        return "no presentation \(text.shown()) in \(place)\(advice)"
    }

    /// The refusal of a text that several ids match, with the latest of these ids, by their ends if
    /// these differ. Escaped.
    package static func ambiguity(_ text: String, _ ids: [String]) -> String {
        let all = Set(ids).sorted(by: >)
        let listed = Array(all.prefix(listedMax))
        let ends = listed.map(short)
        let names = Set(ends).count == ends.count ? ends : listed
        let isCut = all.count > listedMax
        let count = isCut ? "more than \(listedMax)" : "\(all.count)"
        let list = (isCut ? ", as " : ": ") + names.joined(separator: ", ").shown()
        return "\(text.shown()): \(count) presentations begin or end so\(list); "
            + "give more of it, or one of these"
    }
}
