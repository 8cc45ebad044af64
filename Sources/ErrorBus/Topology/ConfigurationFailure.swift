/// Why a configuration could not be loaded.
public enum ConfigurationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is missing or may not be read.
    case unreadable(path: String, reason: String)
    /// Everything that is wrong with it, and what is merely doubtful.
    case invalid([ConfigurationProblem], warnings: [ConfigurationWarning])

    /// One line for each problem.
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .invalid(let problems, _): problems.map(\.description).joined(separator: "\n")
        }
    }
}
