/// A presentation's id as a person gives it: whole, its beginning, or its end. Ids that were made
/// in the same minute begin alike; their ends differ.
package struct PartialID {
    /// Shorter ends are none: too much would end so.
    static let endCountMin = 4
    /// How much of an id a table has at a terminal.
    static let shownCount = 8

    package let text: String

    package init(_ text: String) { self.text = text.lowercased() }

    package func matches(_ id: String) -> Bool {
        id.hasPrefix(text) || (text.count >= Self.endCountMin && id.hasSuffix(text))
    }

    /// The end of an id, which tells it from others.
    static func short(_ id: String) -> String { String(id.suffix(shownCount)) }
}
