/// A presentation's id as a person types it: whole, its beginning, or its end. Ids made in the same
/// minute begin alike; their ends differ.
package struct PartialID {
    /// The shortest end accepted: shorter ones are ambiguous.
    static let endCountMin = 4
    /// The number of an id's characters in a table at a terminal.
    static let shownCount = 8

    package let text: String

    package init(_ text: String) { self.text = text.lowercased() }

    package func matches(_ id: String) -> Bool {
        id.hasPrefix(text) || (text.count >= Self.endCountMin && id.hasSuffix(text))
    }

    /// The end of an id, which distinguishes it from others.
    static func short(_ id: String) -> String { String(id.suffix(shownCount)) }
}
