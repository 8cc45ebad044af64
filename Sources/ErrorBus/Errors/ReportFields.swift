/// The members of one JSON object while a report is read from it. Each field is taken out once;
/// what remains are the keys this version does not know.
struct ReportFields {
    private(set) var remaining: [String: JSONValue]

    init(_ value: JSONValue) throws(ReportError) {
        guard case .object(let members) = value else {
            throw ReportError("", found: value.kind, allowed: "an object")
        }
        remaining = members
    }

    /// The field; nil where it is missing or null.
    private mutating func take(_ key: String) -> JSONValue? {
        guard let value = remaining.removeValue(forKey: key), value != .null else { return nil }
        return value
    }

    mutating func string(
        _ key: String, scalarLimit: Int? = nil
    ) throws(ReportError) -> String? {
        guard let value = take(key) else { return nil }
        guard case .string(let text) = value else {
            throw ReportError(key, found: value.kind, allowed: "a string")
        }
        guard let limit = scalarLimit, text.utf8.count > limit else { return text }
        let count = text.unicodeScalars.count
        guard count <= limit else {
            throw ReportError(key, found: "\(count) scalars", allowed: "at most \(limit)")
        }
        return text
    }

    mutating func requiredString(
        _ key: String, scalarLimit: Int? = nil
    ) throws(ReportError) -> String {
        guard let text = try string(key, scalarLimit: scalarLimit) else {
            throw ReportError(key, found: "missing", allowed: "a string")
        }
        return text
    }

    mutating func optionID(_ key: String) throws(ReportError) -> String? {
        guard let id = try string(key) else { return nil }
        guard ErrorReport.Option.isID(id) else {
            throw ReportError(
                key, found: "\"\(id.escapedForTerminal(scalarLimit: 64))\"",
                allowed: ErrorReport.Option.allowedID)
        }
        return id
    }

    mutating func integer(_ key: String) throws(ReportError) -> Int? {
        guard let value = take(key) else { return nil }
        guard case .integer(let number) = value, let number = Int(exactly: number) else {
            throw ReportError(key, found: value.kind, allowed: "a 64-bit integer")
        }
        return number
    }

    mutating func bool(_ key: String) throws(ReportError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard case .bool(let flag) = value else {
            throw ReportError(key, found: value.kind, allowed: "true or false")
        }
        return flag
    }

    mutating func array(_ key: String) throws(ReportError) -> [JSONValue] {
        guard let value = take(key) else { return [] }
        guard case .array(let elements) = value else {
            throw ReportError(key, found: value.kind, allowed: "an array")
        }
        return elements
    }

    mutating func object(_ key: String) throws(ReportError) -> [String: JSONValue] {
        guard let value = take(key) else { return [:] }
        guard case .object(let members) = value else {
            throw ReportError(key, found: value.kind, allowed: "an object")
        }
        return members
    }

    mutating func strings(_ key: String) throws(ReportError) -> [String] {
        var texts: [String] = []
        for (index, element) in try array(key).enumerated() {
            guard case .string(let text) = element else {
                throw ReportError("\(key)[\(index)]", found: element.kind, allowed: "a string")
            }
            texts.append(text)
        }
        return texts
    }

    /// A word from a closed list. An unknown one is refused, not guessed: a choice whose role is
    /// misread could be taken by Return.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, of type: Word.Type
    ) throws(ReportError) -> Word? {
        guard let text = try string(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw ReportError(
                key, found: "\"\(text.escapedForTerminal(scalarLimit: 64))\"",
                allowed: Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }
}
