import ErrorBus

/// The fields of a request's body. What is not asked for is refused, not skipped.
struct BodyFields {
    private let object: [String: JSONValue]

    init(_ bytes: [UInt8], allowing names: String...) throws(APIProblem) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            throw .badRequest("body: \(error)")
        }
        guard case .object(let object) = value else {
            throw .badRequest("body: allowed: a JSON object")
        }
        if let other = object.keys.sorted().first(where: { !names.contains($0) }) {
            throw .badRequest(
                "body: found \(other.shown()); allowed: " + names.joined(separator: ", "))
        }
        self.object = object
    }

    /// Whether it is there and not null.
    func has(_ name: String) -> Bool { object[name].map { !$0.isNull } ?? false }

    /// Whatever it is.
    func value(_ name: String) throws(APIProblem) -> JSONValue {
        guard let value = object[name] else { throw .badRequest("\(name): found nothing") }
        return value
    }

    /// A text of at least one character, for people to read.
    func text(
        _ name: String, upTo limit: Int = ConsoleLimits.nameScalarMax
    ) throws(APIProblem) -> String {
        guard case .string(let text)? = object[name],
            text.unicodeScalars.contains(where: Self.isVisible), text.unicodeScalars.count <= limit
        else {
            throw .badRequest("\(name): allowed: a text of 1 to \(limit) characters")
        }
        return text
    }

    /// A text of one line that looks like what it is: it stands in logs, and beside other words.
    func name(_ name: String) throws(APIProblem) -> String {
        let text = try text(name)
        guard !text.unicodeScalars.contains(where: Self.isTrick) else {
            throw .badRequest(
                "\(name): found \(text.shown()); allowed: no control characters, and none that "
                    + "turn the direction of text")
        }
        return text
    }

    private static func isTrick(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isBidiControl
            || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }

    /// One of these words; nil when it is not there.
    func word(_ name: String, among words: [String]) throws(APIProblem) -> String? {
        guard has(name) else { return nil }
        guard case .string(let text)? = object[name], words.contains(text) else {
            throw .badRequest("\(name): allowed: \(words.joined(separator: ", "))")
        }
        return text
    }

    /// A name that cannot be seen says nothing of who it was.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && ![.control, .format, .unassigned].contains(properties.generalCategory)
    }

    func id(_ name: String) throws(APIProblem) -> UniqueID? {
        guard let value = object[name], !value.isNull else { return nil }
        guard case .string(let text) = value, let id = UniqueID(text) else {
            throw .badRequest("\(name): allowed: a UUID")
        }
        return id
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIProblem) -> Int64? {
        guard let value = object[name], !value.isNull else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            throw .badRequest(
                "\(name): allowed: a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool(_ name: String) throws(APIProblem) -> Bool? {
        guard let value = object[name], !value.isNull else { return nil }
        guard case .bool(let bool) = value else {
            throw .badRequest("\(name): allowed: true or false")
        }
        return bool
    }
}
