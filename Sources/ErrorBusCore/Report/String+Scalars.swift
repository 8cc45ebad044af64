extension String {
    /// The text with other texts in place of some scalars.
    ///
    /// The standard library replaces characters, and a scalar that a combining mark follows is
    /// another character: a quotation mark with an accent would stay, and end what it is quoted in.
    package func replacingScalars(_ others: [Unicode.Scalar: String]) -> String {
        guard unicodeScalars.contains(where: { others[$0] != nil }) else { return self }
        var output = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let other = others[scalar] {
                output.append(contentsOf: other.unicodeScalars)
            } else {
                output.append(scalar)
            }
        }
        return String(output)
    }
}
