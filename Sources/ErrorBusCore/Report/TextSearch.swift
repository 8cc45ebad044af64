/// A text that is looked for in others, in upper or lower case.
///
/// A search takes time in proportion to the text that is searched, whatever stands in it.
/// Foundation compares characters, and a character of many scalars, which a peer may write, costs
/// it the square of their number. Here the scalars are compared, so that the two forms of `é`
/// differ.
package struct TextSearch: Hashable, Sendable {
    package let text: String
    /// The text in lower case.
    private let wanted: [UInt8]
    /// For each place the length of the longest shorter beginning that ends there, too: how far a
    /// search has come when the next byte does not fit. So no byte is read twice.
    private let borders: [Int]

    package init(_ text: String) {
        self.text = text
        wanted = FoldedText(text).bytes
        var borders = [Int](repeating: 0, count: wanted.count)
        var length = 0
        for place in wanted.indices.dropFirst() {
            while length > 0, wanted[place] != wanted[length] { length = borders[length - 1] }
            if wanted[place] == wanted[length] { length += 1 }
            borders[place] = length
        }
        self.borders = borders
    }

    /// Whether a text contains this one. Every text contains the empty one.
    package func isFound(in text: String) -> Bool { isFound(in: FoldedText(text)) }

    package func isFound(in text: FoldedText) -> Bool {
        guard !wanted.isEmpty else { return true }
        var length = 0
        for byte in text.bytes {
            while length > 0, wanted[length] != byte { length = borders[length - 1] }
            if wanted[length] == byte { length += 1 }
            if length == wanted.count { return true }
        }
        return false
    }
}

/// A text in lower case, for many searches.
package struct FoldedText: Hashable, Sendable {
    /// UTF-8.
    fileprivate let bytes: [UInt8]

    package init(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                bytes.append(UInt8(scalar.value).lowercased)
            } else {
                bytes += scalar.properties.lowercaseMapping.utf8
            }
        }
        self.bytes = bytes
    }
}
