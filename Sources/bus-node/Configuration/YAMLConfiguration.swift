import ErrorBus
import Yams

/// Reads YAML, and JSON as the part of YAML that it is, into a ``ConfigurationNode``.
///
/// Anchors and aliases work within ``valueCountMax``. One document a file; keys are scalars.
struct YAMLConfiguration {
    /// The most values in one file, aliases counted as what they stand for.
    static let valueCountMax = 20_000
    /// The deepest nesting.
    static let depthMax = 32

    private let file: String
    private var valueCount = 0

    /// Reads a file.
    static func read(_ path: String) throws(ConfigurationFailure) -> ConfigurationNode {
        try read(try ConfigurationFile.read(path), file: path)
    }

    /// Reads bytes; `file` is what messages call them.
    static func read(
        _ bytes: [UInt8], file: String
    ) throws(ConfigurationFailure) -> ConfigurationNode {
        var reader = YAMLConfiguration(file: file)
        do throws(ConfigurationProblem) {
            return try reader.read(bytes)
        } catch {
            throw .invalid([error], warnings: [])
        }
    }

    private init(file: String) { self.file = file }

    private mutating func read(_ bytes: [UInt8]) throws(ConfigurationProblem) -> ConfigurationNode {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw problem(found: "bytes that are not UTF-8", allowed: "UTF-8 text")
        }
        let precheck = YAMLPrecheck(text)
        guard precheck.isBounded else {
            throw problem(
                line: precheck.lineOfLastAlias, found: "aliases that could grow without measure",
                allowed: "aliases that stay below 4 MiB when they are written out")
        }
        let root: Yams.Node?
        do {
            root = try Parser(yaml: text).singleRoot()
        } catch let error as YamlError {
            throw problem(error)
        } catch {
            throw problem(found: "\(error)", allowed: "YAML or JSON")
        }
        guard let root else { throw problem(found: "an empty file", allowed: "a mapping") }
        return try node(root, at: location(1, 1), depth: 0)
    }

    private mutating func node(
        _ node: Yams.Node, at place: ConfigurationLocation, depth: Int
    ) throws(ConfigurationProblem) -> ConfigurationNode {
        let place = node.mark.map(location) ?? place
        valueCount += 1
        guard valueCount <= Self.valueCountMax else {
            throw problem(
                place, found: "more than \(Self.valueCountMax) values",
                allowed: "at most \(Self.valueCountMax), aliases counted as what they stand for")
        }
        guard depth <= Self.depthMax else {
            throw problem(
                place, found: "values more than \(Self.depthMax) deep",
                allowed: "at most \(Self.depthMax) levels")
        }
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style != .plain && scalar.style != .any
            return ConfigurationNode(
                .scalar(scalar.string, isQuoted: isQuoted), at: place)
        case .sequence(let sequence):
            var elements: [ConfigurationNode] = []
            for element in sequence {
                elements.append(try self.node(element, at: place, depth: depth + 1))
            }
            return ConfigurationNode(.sequence(elements), at: place)
        case .mapping(let mapping):
            var entries: [ConfigurationNode.Entry] = []
            for (key, value) in mapping {
                entries.append(try entry(key, value, at: place, depth: depth + 1))
            }
            return ConfigurationNode(.mapping(entries), at: place)
        case .alias:
            throw problem(place, found: "an alias", allowed: "the value itself")
        }
    }

    private mutating func entry(
        _ key: Yams.Node, _ value: Yams.Node, at place: ConfigurationLocation, depth: Int
    ) throws(ConfigurationProblem) -> ConfigurationNode.Entry {
        let place = key.mark.map(location) ?? place
        guard case .scalar(let name) = key else {
            throw problem(
                place, found: "a key that is a list or a mapping", allowed: "a text as key")
        }
        return ConfigurationNode.Entry(
            key: name.string, keyLocation: place,
            value: try node(value, at: place, depth: depth))
    }

    // MARK: Problems

    private func location(_ line: Int, _ column: Int) -> ConfigurationLocation {
        ConfigurationLocation(file: file, line: line, column: column)
    }

    private func location(_ mark: Mark) -> ConfigurationLocation {
        location(mark.line, mark.column)
    }

    private func problem(
        _ place: ConfigurationLocation, found: String, allowed: String, hint: String? = nil
    ) -> ConfigurationProblem {
        ConfigurationProblem(at: place, field: "", found: found, allowed: allowed, hint: hint)
    }

    private func problem(line: Int = 1, found: String, allowed: String) -> ConfigurationProblem {
        problem(location(line, 1), found: found, allowed: allowed)
    }

    private func problem(_ error: YamlError) -> ConfigurationProblem {
        switch error {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
            .composer(_, let text, let mark, _):
            let hint =
                text.contains("alphabetic or numeric")
                ? "a text that begins with * or & needs quotes" : nil
            return problem(
                location(mark), found: "what is not YAML (\(text))", allowed: "YAML or JSON",
                hint: hint)
        case .reader(let text, _, _, _):
            return problem(found: "what is not YAML (\(text))", allowed: "YAML or JSON")
        case .duplicatedKeysInMapping(let keys, let context):
            let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
            return problem(
                location(context.mark), found: "the key \(names) more than once",
                allowed: "each key once")
        default:
            return problem(found: "what cannot be read as YAML", allowed: "YAML or JSON")
        }
    }
}
