import ErrorBus
import Glibc

/// The expansion of environment variables in a text: `${NAME}`, and `${NAME:-default}` for a
/// variable that is unset or empty. `$${` stands for `${`; any other `$` is literal.
enum EnvironmentExpansion {
    /// The longest result, in bytes.
    static let byteCountMax = 64 * 1024

    struct Problem: Error, Hashable {
        let found: String
        let allowed: String
        var hint: String?
    }

    static func expand(
        _ text: String, _ environment: [String: String]
    ) throws(Problem) -> String {
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                result += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Problem(
                        found: "\"\(text.cut(toScalars: 80).escapedForMessage)\"",
                        allowed: "${NAME} with its closing brace, or $${ for ${ itself")
                }
                result += try value(
                    rest[rest.index(rest.startIndex, offsetBy: 2)..<end], environment)
                rest = rest[rest.index(after: end)...]
            } else {
                result += "$"
                rest = rest.dropFirst()
            }
            guard result.utf8.count <= byteCountMax else {
                throw Problem(
                    found: "more than \(byteCountMax) bytes", allowed: "a shorter text")
            }
        }
        return result + rest
    }

    private static func value(
        _ inside: Substring, _ environment: [String: String]
    ) throws(Problem) -> String {
        var name = inside
        var otherwise: Substring?
        if let mark = inside.firstRange(of: ":-") {
            name = inside[..<mark.lowerBound]
            otherwise = inside[mark.upperBound...]
        }
        let shown = "\"${\(String(inside).cut(toScalars: 80).escapedForMessage)}\""
        guard let first = name.utf8.first, !(0x30...0x39).contains(first),
            name.utf8.allSatisfy(isNameByte)
        else {
            throw Problem(
                found: shown, allowed: "${NAME} with a name of A-Z a-z 0-9 _",
                hint: "write $${ for ${ itself")
        }
        // The first brace ends it, so the rest of a variable would be taken for text.
        guard otherwise?.contains("${") != true else {
            throw Problem(
                found: shown, allowed: "${NAME:-otherwise} without a variable in otherwise")
        }
        let value = environment[String(name)]
        if let otherwise { return value.flatMap { $0.isEmpty ? nil : $0 } ?? String(otherwise) }
        guard let value else {
            throw Problem(
                found: shown, allowed: "an environment variable that is set, or ${NAME:-otherwise}",
                hint: "\(name) is not set")
        }
        return value
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}

/// Paths in configuration files, relative to the folder of the file that names them.
package enum FilePath {
    /// The folder part of a path; empty without one.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The normal form of a path: the same for all its spellings, as far as the text shows.
    static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    package static func resolve(_ path: String, in folder: String) -> String {
        if path.hasPrefix("/") || folder.isEmpty || folder == "." { return path }
        let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return folder.hasSuffix("/") ? folder + rest : folder + "/" + rest
    }

    /// The reason why a file cannot be written or created; nil if it seems possible. Missing
    /// folders count as creatable.
    static func hindrance(to file: String) -> String? {
        if FileStatus(file) != nil {
            return access(file, W_OK) == 0 ? nil : String(cString: strerror(errno))
        }
        var folder = file
        repeat {
            guard errno == ENOENT else { return String(cString: strerror(errno)) }
            folder = Self.folder(of: folder)
            if folder.isEmpty { folder = "." }
        } while FileStatus(folder) == nil
        guard access(folder, W_OK | X_OK) == 0 else {
            return "\(folder.shown()): \(String(cString: strerror(errno)))"
        }
        return nil
    }
}
