/// Makes JSON safe to be looked at with `cat` and `tail`.
enum JSONEscapes {
    /// The same JSON with `\u` for everything that a terminal obeys or hides: C1 controls, bidi
    /// overrides, zero-width characters. (What is below U+0020 is escaped in any JSON.)
    static func escapingInvisible(in json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var output: [UInt8] = []
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            guard isInvisible(scalar) else {
                output += String(scalar).utf8
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                output += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            }
        }
        return output
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value == 0x7F }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
            return true
        default: return false
        }
    }
}
