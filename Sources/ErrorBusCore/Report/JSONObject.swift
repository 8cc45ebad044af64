/// A type whose values have one form in JSON, for every writer and reader.
package protocol JSONConvertible: SendableMetatype {
    var json: JSONValue { get }

    /// The value of this JSON; nil for JSON of another kind.
    init?(json: JSONValue)
}

/// A JSON object whose members are described once, for writers and readers. A reader ignores other
/// members, such as the members of a later version.
package protocol JSONObject: JSONConvertible {
    static var members: [JSONMember<Self>] { get }

    /// The value of an object without members.
    init()
}

extension JSONObject {
    /// Every member, null where there is no value.
    package var json: JSONValue {
        .object(Dictionary(Self.members.map { ($0.name, $0.write(self)) }) { first, _ in first })
    }

    /// The value of an object. A member that is missing or of another kind keeps its value from
    /// ``init()``; nil if that is a required member.
    package init?(json: JSONValue) {
        self.init()
        for member in Self.members where !member.read(&self, json[member.name] ?? .null) {
            return nil
        }
    }
}

/// One member of a JSON object, and the property that it stands for.
package struct JSONMember<Object>: Sendable {
    package let name: String
    package let write: @Sendable (Object) -> JSONValue
    /// Reads the member into the object; false when a required member is missing or of another
    /// kind.
    package let read: @Sendable (inout Object, JSONValue) -> Bool

    /// - Parameters:
    ///   - taken: Converts a value that was read.
    ///   - shown: Converts a value to write.
    package init<Value: JSONConvertible>(
        _ name: String, _ property: any WritableKeyPath<Object, Value> & Sendable,
        isRequired: Bool = false, taken: @escaping @Sendable (Value) -> Value = { $0 },
        shown: @escaping @Sendable (Value) -> Value = { $0 }
    ) {
        self.name = name
        write = { shown($0[keyPath: property]).json }
        read = { object, json in
            guard let value = Value(json: json) else { return !isRequired }
            object[keyPath: property] = taken(value)
            return true
        }
    }
}

extension JSONMember {
    /// A count: read as 0 when a peer writes a negative number.
    package static func count(
        _ name: String, _ property: any WritableKeyPath<Object, Int> & Sendable
    ) -> JSONMember {
        JSONMember(name, property, taken: { max(0, $0) })
    }
}

extension JSONValue: JSONConvertible {
    package var json: JSONValue { self }
    package init?(json: JSONValue) { self = json }
}

extension String: JSONConvertible {
    package var json: JSONValue { .string(self) }

    package init?(json: JSONValue) {
        guard let text = json.stringValue else { return nil }
        self = text
    }
}

extension Bool: JSONConvertible {
    package var json: JSONValue { .bool(self) }

    package init?(json: JSONValue) {
        guard let value = json.boolValue else { return nil }
        self = value
    }
}

extension JSONConvertible where Self: BinaryInteger {
    /// The integer, clamped to the largest integer of JSON here.
    package var json: JSONValue { .integer(Int64(clamping: self)) }

    package init?(json: JSONValue) {
        guard let number = json.integerValue else { return nil }
        self.init(clamping: number)
    }
}

extension Int: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt64: JSONConvertible {}

extension JSONConvertible where Self: RawRepresentable<String> {
    package var json: JSONValue { .string(rawValue) }

    package init?(json: JSONValue) {
        guard let text = json.stringValue else { return nil }
        self.init(rawValue: text)
    }
}

extension Severity: JSONConvertible {}

extension NodeName: JSONConvertible {
    package var json: JSONValue { .string(description) }

    package init?(json: JSONValue) {
        guard let text = json.stringValue else { return nil }
        self.init(text)
    }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    package var json: JSONValue { self?.json ?? .null }

    /// The value; a value of another kind becomes nil.
    package init?(json: JSONValue) { self = json.isNull ? nil : Wrapped(json: json) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package var json: JSONValue { .array(map(\.json)) }

    /// The elements, without those of another kind.
    package init?(json: JSONValue) {
        guard let elements = json.arrayValue else { return nil }
        self = elements.compactMap { Element(json: $0) }
    }
}

extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
    package var json: JSONValue { .object(mapValues(\.json)) }

    /// The values by name, without values of another kind.
    package init?(json: JSONValue) {
        guard let members = json.objectValue else { return nil }
        self = members.compactMapValues { Value(json: $0) }
    }
}
