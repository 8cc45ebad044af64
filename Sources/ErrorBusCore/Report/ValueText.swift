import Foundation

/// Any value as bounded text. Walks the structure itself: `String(describing:)` of a value that
/// holds an NSError asks that error for its text, which can trap and can be endless.
enum ValueText {
    private static let depthMax = 4
    private static let childCountMax = 16

    static func text(of value: Any, scalarLimit: Int) -> String {
        text(of: value, depth: 0).cut(toScalars: scalarLimit)
    }

    private static func text(of value: Any, depth: Int) -> String {
        // Foundation describes these through the values that they hold.
        if let error = value as? any Error,
            NSError.made(error) != nil || error is any CustomNSError
        {
            let identity = ErrorIdentity(error)
            return "\(identity.domain) error \(identity.code ?? 0)"
        }
        if let text = value as? String { return depth == 0 ? text : "\"\(text)\"" }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let wrapped = mirror.children.first else { return "nil" }
            return text(of: wrapped.value, depth: depth)
        case .collection, .set, .dictionary:
            return "[" + list(mirror.children.lazy.map(\.value), depth: depth) + "]"
        case .tuple: return String(fields(of: mirror, depth: depth).dropFirst())
        default: break
        }
        if let value = value as? any CustomStringConvertible { return value.description }
        if mirror.displayStyle == .enum {
            guard let child = mirror.children.first else { return "\(value)" }
            return (child.label ?? shortTypeName(of: value)) + payload(child.value, depth: depth)
        }
        if mirror.displayStyle == .struct {
            return shortTypeName(of: value) + fields(of: mirror, depth: depth)
        }
        // A class may refer back to itself, and a function has no text.
        return ErrorIdentity.typeName(of: value)
    }

    /// The associated values of an enum's case: ` (path: "/x", 3)`.
    static func payload(_ value: Any, depth: Int) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .tuple else {
            guard depth < depthMax else { return "" }
            return " (" + text(of: value, depth: depth + 1) + ")"
        }
        return fields(of: mirror, depth: depth)
    }

    /// The fields of a struct or a tuple; empty when there are none.
    static func fields(of mirror: Mirror, depth: Int) -> String {
        guard depth < depthMax, !mirror.children.isEmpty else { return "" }
        let fields = mirror.children.prefix(childCountMax).map { child in
            let text = text(of: child.value, depth: depth + 1)
            // A tuple's unnamed elements are called .0, .1.
            guard let label = child.label, !label.hasPrefix(".") else { return text }
            return "\(label): \(text)"
        }
        return " (" + fields.joined(separator: ", ") + ")"
    }

    private static func list(_ values: some Sequence<Any>, depth: Int) -> String {
        guard depth < depthMax else { return "…" }
        var texts: [String] = []
        for value in values {
            guard texts.count < childCountMax else {
                texts.append("…")
                break
            }
            texts.append(text(of: value, depth: depth + 1))
        }
        return texts.joined(separator: ", ")
    }

    /// The type's name without module and generic arguments.
    static func shortTypeName(of value: Any) -> String {
        let name = ErrorIdentity.typeName(of: value).prefix { $0 != "<" }
        return name.split(separator: ".").last.map(String.init) ?? String(name)
    }
}

extension NSError {
    /// The value as an NSError if it is one, even inside `Any`.
    static func made(_ value: Any) -> NSError? {
        guard type(of: value) is NSError.Type else { return nil }
        return value as? NSError
    }
}

extension String {
    /// The text without floods of marks, cut with an ellipsis to at most `limit` scalars.
    package func cut(toScalars limit: Int) -> String {
        let whole = withoutMarkFloods
        guard whole.utf8.count > limit, whole.unicodeScalars.count > limit else { return whole }
        var text = String.UnicodeScalarView(whole.unicodeScalars.prefix(max(0, limit - 1)))
        text.append("…")
        return String(text)
    }
}

/// A reader that turns values of userInfo into JSON: exactly if JSON can express them, else as
/// bounded text.
struct ValueReader {
    /// The number of values that may still be made.
    private(set) var valuesLeft: Int
    /// Whether a value had to be described as text, or was cut.
    private(set) var isLossy = false

    init(valuesLeft: Int) { self.valuesLeft = valuesLeft }

    mutating func json(_ value: Any, depth: Int = 0) -> JSONValue {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { return text("…") }
        // The usual types first: each cast to a protocol is slow.
        if type(of: value) == String.self, let text = value as? String { return string(text) }
        if type(of: value) == Int.self, let number = value as? Int { return integer(number) }
        if let optional = value as? any OptionalValue {
            return optional.wrappedValue.map { json($0, depth: depth) } ?? .null
        }
        // By type: a cast would also turn Swift's numbers into objects, and booleans too.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return json(number) }
        switch value {
        case let value as any StringProtocol: return string(String(value))
        case let value as any BinaryInteger: return integer(value)
        case let value as any BinaryFloatingPoint: return double(Double(value))
        case let value as String.Encoding: return integer(value.rawValue)
        case let value as JSONValue: return nested(value, depth: depth)
        case is NSNull: return .null
        case is any Error: return described(value)
        default: break
        }
        if type(of: value) == Bool.self, let flag = value as? Bool { return .bool(flag) }
        switch value {
        case let value as NSString: return string(value as String)
        case let value as Date: return date(value)
        case let value as URL: return string(value.absoluteString)
        case let value as UUID: return .string(value.uuidString)
        default: return container(value, depth: depth)
        }
    }

    private mutating func container(_ value: Any, depth: Int) -> JSONValue {
        let isDeep = depth >= ErrorReport.Limits.Local.userInfoDepth
        if let elements = value as? [Any] {
            if isDeep { return described(value) }
            var result: [JSONValue] = []
            for element in elements {
                guard valuesLeft > 0 else {
                    isLossy = true
                    break
                }
                result.append(json(element, depth: depth + 1))
            }
            return .array(result)
        }
        guard let members = value as? [String: Any], !isDeep else { return described(value) }
        var result: [String: JSONValue] = [:]
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            let limit = ErrorReport.Limits.Local.keyScalarCount
            guard valuesLeft > 0, key.utf8.count <= limit || key.unicodeScalars.count <= limit
            else {
                isLossy = true
                continue
            }
            result[key] = json(member, depth: depth + 1)
        }
        return .object(result)
    }

    /// A JSON value unchanged, unless it is deeper than a report may be.
    private mutating func nested(_ value: JSONValue, depth: Int) -> JSONValue {
        switch value {
        case .array(let elements): container(elements, depth: depth)
        case .object(let members): container(members, depth: depth)
        case .string(let text): string(text)
        case .number(let number): double(number)
        default: value
        }
    }

    private mutating func json(_ number: NSNumber) -> JSONValue {
        // The two booleans are singletons; their type encoding equals that of an 8-bit integer.
        if number === NSNumber(value: true) { return .bool(true) }
        if number === NSNumber(value: false) { return .bool(false) }
        if number is NSDecimalNumber { return text(number.stringValue) }
        switch String(cString: number.objCType) {
        case "d", "f": return double(number.doubleValue)
        case "Q": return integer(number.uint64Value)
        default: return .integer(number.int64Value)
        }
    }

    private mutating func integer(_ value: some BinaryInteger) -> JSONValue {
        Int64(exactly: value).map(JSONValue.integer) ?? text(String(value))
    }

    private mutating func double(_ value: Double) -> JSONValue {
        value.isFinite ? .number(value) : text(String(value))
    }

    /// The text of the date: RFC 3339 with milliseconds, within the format's range of years.
    private mutating func date(_ date: Date) -> JSONValue {
        let seconds = date.timeIntervalSince1970
        guard seconds >= -62_135_596_800, seconds < 253_402_300_799 else {
            return text("\(seconds) seconds since 1970")
        }
        return .string(date.ISO8601Format(.init(includingFractionalSeconds: true)))
    }

    private mutating func string(_ text: String) -> JSONValue {
        let cut = text.cut(toScalars: ErrorReport.Limits.Local.textScalarCount)
        return cut.utf8.count == text.utf8.count ? .string(text) : self.text(cut)
    }

    private mutating func described(_ value: Any) -> JSONValue {
        let limit = ErrorReport.Limits.Local.valueTextScalarCount
        return text(ValueText.text(of: value, scalarLimit: limit))
    }

    private mutating func text(_ text: String) -> JSONValue {
        isLossy = true
        return .string(text)
    }
}

/// A protocol to unwrap an optional inside `Any`.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { self }
}
