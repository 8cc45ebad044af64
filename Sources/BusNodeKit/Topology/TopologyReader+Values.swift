import ErrorBus
import OrderedCollections

// The fields of options that rules add, and the values of rules that answer.
extension TopologyReader {
    /// The fields of an added option, as a report has them.
    mutating func optionFields(_ field: ConfigurationField) -> [ErrorReport.Field]? {
        guard let elements = decoder.elements(field, allowed: "a list of fields") else {
            return nil
        }
        var fields: [ErrorReport.Field] = []
        for element in elements {
            guard let read = optionField(element) else { continue }
            if let other = fields.first(where: { $0.variable == read.variable }) {
                decoder.report(
                    element, found: "the name \(read.name) beside \(other.name)",
                    allowed: "names that differ also as environment variables (\(read.variable))")
                continue
            }
            fields.append(read)
        }
        guard elements.count <= ErrorReport.Limits.fieldCount else {
            decoder.report(
                field, found: "\(elements.count) fields",
                allowed: "at most \(ErrorReport.Limits.fieldCount)")
            return nil
        }
        return fields.count == elements.count ? fields : nil
    }

    private mutating func optionField(_ element: ConfigurationField) -> ErrorReport.Field? {
        guard let members = decoder.fields(element, keys: ErrorReport.Field.keys) else {
            return nil
        }
        let problemCount = decoder.problems.count
        let json = members.compactMapValues { self.json($0) }
        guard decoder.problems.count == problemCount else { return nil }
        do throws(ReportError) {
            return try ErrorReport.Field(
                json: .object(Dictionary(json.map { ($0.key, $0.value) }) { $1 }))
        } catch {
            let key = error.field.prefix { $0 != "[" }
            decoder.report(
                members[String(key)] ?? element,
                found: members[String(key)] == nil ? "\(error.field) \(error.found)" : error.found,
                allowed: error.allowed)
            return nil
        }
    }

    /// The values of a rule's answer.
    mutating func values(_ field: ConfigurationField) -> [String: JSONValue]? {
        guard let members = decoder.fields(field, allowed: "a mapping of names and values") else {
            return nil
        }
        var values: [String: JSONValue] = [:]
        for (name, member) in members {
            guard ErrorReport.Field.isName(name) else {
                decoder.report(
                    member, found: "the name \"\(name.cut(toScalars: 80).escapedForMessage)\"",
                    allowed: ErrorReport.Field.allowedName)
                continue
            }
            guard case .scalar = member.node.value else {
                decoder.report(member, allowed: "a text, a number, true or false")
                continue
            }
            values[name] = json(member)
        }
        return values
    }

    /// A value as JSON: numbers, `true` and `false` are text only in quotes.
    private mutating func json(_ field: ConfigurationField) -> JSONValue? {
        switch field.node.value {
        case .sequence:
            let elements = decoder.elements(field, allowed: "a list") ?? []
            return .array(elements.compactMap { element in json(element) })
        case .mapping:
            decoder.report(field, allowed: "a text, a number, true or false, or a list of them")
            return nil
        case .scalar(let raw, let isQuoted):
            guard let text = decoder.text(field, allowed: "a value", mayBeEmpty: true) else {
                return nil
            }
            // What a variable has is text, as a PIN of digits is; an option's field says otherwise.
            if isQuoted || raw.contains("${") { return .string(text) }
            if text == "true" || text == "false" { return .bool(text == "true") }
            guard let number = try? JSONValue.parse(Array(text.utf8)), number.numberValue != nil
            else { return .string(text) }
            return number
        }
    }
}
