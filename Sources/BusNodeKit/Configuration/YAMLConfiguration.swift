import ErrorBus
import Glibc
import Yams

/// A reader of YAML, of which JSON is a subset, into a ``ConfigurationNode``.
///
/// Anchors and aliases work within ``valueCountMax``. One document a file; keys are scalars.
package struct YAMLConfiguration {
    /// The most values in one file; each alias counts as the values that it stands for.
    package static let valueCountMax = 20_000
    /// The deepest nesting.
    static let depthMax = 32

    private let file: String
    private let valueCountMax: Int
    private var valueCount = 0

    /// Reads a file.
    package static func read(_ path: String) throws(ConfigurationFailure) -> ConfigurationNode {
        try read(try ConfigurationFile.read(path), file: path)
    }

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - file: The name of the bytes in messages.
    ///   - valueCountMax: The most values, if fewer are allowed than in a file of one's own.
    package static func read(
        _ bytes: [UInt8], file: String, upTo valueCountMax: Int = Self.valueCountMax
    ) throws(ConfigurationFailure) -> ConfigurationNode {
        var reader = YAMLConfiguration(file: file, valueCountMax: valueCountMax)
        do throws(ConfigurationProblem) {
            return try reader.read(bytes)
        } catch {
            throw .invalid([error], warnings: [])
        }
    }

    private init(file: String, valueCountMax: Int) {
        self.file = file
        self.valueCountMax = valueCountMax
    }

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
        guard valueCount <= valueCountMax else {
            throw problem(
                place, found: "more than \(valueCountMax) values",
                allowed: "at most \(valueCountMax), aliases counted as what they stand for")
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

    /// The remedy, if libyaml's text does not say it.
    private static func hint(for text: String) -> String? {
        if text.contains("alphabetic or numeric") {
            "a text that begins with * or & needs quotes"
        } else if text.contains("cannot start any token") {
            "indent with spaces, not with tabs; a text that begins with @ or ` needs quotes"
        } else if text.contains("expected") || text.contains("not allowed") {
            "look at the indentation, colons and quotes of this line and the line before"
        } else {
            nil
        }
    }

    private func problem(_ error: YamlError) -> ConfigurationProblem {
        switch error {
        case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
            .composer(_, let text, let mark, _):
            return problem(
                location(mark), found: "invalid YAML (\(text))", allowed: "YAML or JSON",
                hint: Self.hint(for: text))
        case .reader(let text, _, _, _):
            return problem(found: "invalid YAML (\(text))", allowed: "YAML or JSON")
        case .duplicatedKeysInMapping(let keys, let context):
            // The mark is the first place of the first of the keys.
            let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
            return problem(
                location(context.mark),
                found: "the key \(names) more than once, here for the first time",
                allowed: "each key once")
        default:
            return problem(found: "invalid YAML", allowed: "YAML or JSON")
        }
    }
}

/// The check that bounds the work of the YAML parser before it reads the text.
///
/// Yams expands aliases into full trees and hashes every key, so a few lines of aliases of aliases
/// (the "billion laughs") would keep it busy for years before anything could be counted. So the
/// worst case of the anchors and aliases in the text is computed first: n aliases of one anchor
/// enlarge a text at most n + 1 times. Quotes and comments are counted too, so the bound may be too
/// high and is never too low.
struct YAMLPrecheck {
    /// The longest text that aliases may expand to, in bytes.
    static let expandedByteCountMax = 4 * 1024 * 1024

    fileprivate struct Uses {
        var anchors = 0
        var aliases = 0
    }

    private var uses: [Substring: Uses] = [:]
    private let byteCount: Int
    /// The line of the last alias, from 1.
    private(set) var lineOfLastAlias = 1

    init(_ text: String) {
        byteCount = text.utf8.count
        var line = 1
        var rest = text[...]
        while let index = rest.utf8.firstIndex(where: { [0x0A, 0x26, 0x2A].contains($0) }) {
            let byte = rest.utf8[index]
            rest = rest[rest.utf8.index(after: index)...]
            guard byte != 0x0A else {
                line += 1
                continue
            }
            let name = Substring(rest.utf8.prefix(while: Self.isNameByte))
            if name.isEmpty { continue }
            if byte == 0x26 {
                uses[name, default: Uses()].anchors += 1
            } else {
                uses[name, default: Uses()].aliases += 1
                lineOfLastAlias = line
            }
        }
    }

    /// Whether the text cannot expand beyond the limit.
    var isBounded: Bool {
        var size = Double(byteCount)
        for use in uses.values where use.anchors > 0 {
            // An anchor may be redefined: the worst case is an even distribution of the aliases.
            for _ in 0..<min(use.anchors, 64) {
                size *= Double(use.aliases) / Double(use.anchors) + 1
            }
            if use.anchors > 64, use.aliases > 0 { return false }
        }
        return size <= Double(Self.expandedByteCountMax) || uses.values.allSatisfy(\.isHarmless)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}

extension YAMLPrecheck.Uses {
    /// Whether the text has no aliases to expand. Without an anchor an alias is an error, and
    /// without an alias an anchor has no effect.
    fileprivate var isHarmless: Bool { anchors == 0 || aliases == 0 }
}

/// The reader of a whole configuration file, within a limit.
enum ConfigurationFile {
    /// The largest file, in bytes.
    static let byteCountMax = 1024 * 1024

    static func read(_ path: String) throws(ConfigurationFailure) -> [UInt8] {
        guard !path.utf8.contains(0) else {
            throw .unreadable(path: path.replacingScalars(["\0": "\\0"]), reason: "not a path")
        }
        // Not blocking: opening a named pipe without a writer would never return.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor) else { throw failure(path) }
        guard status.isFile else {
            throw .unreadable(path: path, reason: "not a file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= byteCountMax {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
        let problem = ConfigurationProblem(
            at: ConfigurationLocation(file: path, line: 1, column: 1), field: "",
            found: "more than \(byteCountMax) bytes", allowed: "a file of at most 1 MiB")
        throw .invalid([problem], warnings: [])
    }

    private static func failure(_ path: String) -> ConfigurationFailure {
        let number = errno
        return .unreadable(path: path, reason: String(cString: strerror(number)))
    }
}
