import Foundation

/// Any value as bounded text. Walks structure itself, since `String(describing:)` of a value that
/// holds an NSError asks that error for its text, which can trap, and can be endless.
enum ValueText {
    private static let depthMax = 4
    private static let childCountMax = 16

    static func text(of value: Any, scalarLimit: Int) -> String {
        text(of: value, depth: 0).cut(toScalars: scalarLimit)
    }

    private static func text(of value: Any, depth: Int) -> String {
        // Foundation's own text for these goes through what they hold.
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
        // A class may refer back to itself; a function has nothing to say.
        return ErrorIdentity.typeName(of: value)
    }

    /// What stands behind the name of an enum's case: ` (path: "/x", 3)`.
    static func payload(_ value: Any, depth: Int) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .tuple else {
            guard depth < depthMax else { return "" }
            return " (" + text(of: value, depth: depth + 1) + ")"
        }
        return fields(of: mirror, depth: depth)
    }

    /// The fields of a struct or a tuple; empty where there are none.
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
    /// The value as an NSError if it is one, also inside `Any`.
    static func made(_ value: Any) -> NSError? {
        guard type(of: value) is NSError.Type else { return nil }
        return value as? NSError
    }
}

extension String {
    /// The text without floods of marks, or its beginning and an ellipsis, in at most `limit`
    /// scalars: what a peer takes.
    func cut(toScalars limit: Int) -> String {
        let whole = withoutMarkFloods
        guard whole.utf8.count > limit, whole.unicodeScalars.count > limit else { return whole }
        var text = String.UnicodeScalarView(whole.unicodeScalars.prefix(max(0, limit - 1)))
        text.append("…")
        return String(text)
    }
}
