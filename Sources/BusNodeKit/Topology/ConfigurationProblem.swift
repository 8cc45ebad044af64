/// A problem that makes a configuration unusable: the place, the value found, the values allowed.
package struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let location: ConfigurationLocation
    /// The path to the value, as in `nodes.relay.responders[0].match.code`; empty for the file.
    package let field: String
    /// The value there, in words; texts are quoted.
    package let found: String
    /// The values allowed there; empty where ``found`` is the whole text.
    package let allowed: String
    /// A suggestion, such as `did you mean "central"?`.
    package let hint: String?
    /// Whether the value is valid and the file that it names is missing or unreadable.
    package let isUnreadableFile: Bool

    package init(
        at location: ConfigurationLocation, field: String, found: String, allowed: String,
        hint: String? = nil, isUnreadableFile: Bool = false
    ) {
        self.location = location
        self.field = field
        self.found = found
        self.allowed = allowed
        self.hint = hint
        self.isUnreadableFile = isUnreadableFile
    }

    /// A problem whose text says itself what was found, what is allowed, and what to do.
    package init(at location: ConfigurationLocation, field: String, saying text: String) {
        self.init(at: location, field: field, found: text, allowed: "")
    }

    /// The problem in one line.
    package var description: String {
        let place = "\(location.file):\(location.line): \(field.isEmpty ? "" : field + ": ")"
        guard !allowed.isEmpty else { return place + found }
        return place + "found \(found), allowed: \(allowed)\(hint.map { "; \($0)" } ?? "")"
    }
}

/// A part of a configuration that is valid, but is probably a mistake.
package struct ConfigurationWarning: Hashable, Sendable, CustomStringConvertible {
    package let location: ConfigurationLocation
    /// The path to the value.
    package let field: String
    package let message: String

    package init(at location: ConfigurationLocation, field: String, message: String) {
        self.location = location
        self.field = field
        self.message = message
    }

    /// The warning in one line.
    package var description: String {
        "\(location.file):\(location.line): \(field): warning: \(message)"
    }
}

/// The reason why a configuration could not be loaded.
package enum ConfigurationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is missing or unreadable.
    case unreadable(path: String, reason: String)
    /// All problems, and the warnings.
    case invalid([ConfigurationProblem], warnings: [ConfigurationWarning])

    /// The problems, one line each.
    package var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .invalid(let problems, _): problems.map(\.description).joined(separator: "\n")
        }
    }
}

/// A place in a configuration file. Lines and columns count from 1.
package struct ConfigurationLocation: Hashable, Sendable {
    /// The file, as it was named.
    package let file: String
    package let line: Int
    package let column: Int

    package init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// Whether a message about this place comes before one about another place: those of the
    /// topology's file are first, then those of each other file, in the order of its lines.
    func precedes(_ other: ConfigurationLocation, startingWith first: String) -> Bool {
        if file != other.file {
            return file == first || (other.file != first && file < other.file)
        }
        return (line, column) < (other.line, other.column)
    }
}
