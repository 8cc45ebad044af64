import Glibc

/// Finds a program as a shell does, so that what is wrong with it can be said as a shell does.
/// Names and paths are bytes: they need not be UTF-8.
enum ProgramSearch {
    enum Result: Hashable {
        case found([UInt8])
        /// What is in the way, and the exit code of a shell for it.
        case missing(String, exitCode: Int32)
    }

    /// - Parameter path: The directories of `PATH`; an empty one is the current.
    static func find(_ program: [UInt8], path: [[UInt8]]) -> Result {
        guard !program.contains(UInt8(ascii: "/")) else { return look(at: program) }
        var hindrance: Result?
        for folder in path {
            let folder = folder.isEmpty ? Array(".".utf8) : folder
            let result = look(at: folder + [UInt8(ascii: "/")] + program)
            switch result {
            case .found: return result
            case .missing(_, exitCode: 126): hindrance = hindrance ?? result
            case .missing: continue
            }
        }
        return hindrance ?? .missing("command not found", exitCode: 127)
    }

    /// The directories of the `PATH` in an environment.
    static func path(in environment: [[UInt8]]) -> [[UInt8]] {
        let name = Array("PATH=".utf8)
        let value = environment.first { $0.starts(with: name) }?.dropFirst(name.count)
        return (value ?? ArraySlice("/usr/local/bin:/usr/bin:/bin".utf8))
            .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map(Array.init)
    }

    private static func look(at path: [UInt8]) -> Result {
        var status = stat()
        let name = path.map { CChar(bitPattern: $0) } + [0]
        guard stat(name, &status) == 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            return .missing(String(cString: strerror(errno)), exitCode: isMissing ? 127 : 126)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            return .missing("Is a directory", exitCode: 126)
        }
        guard access(name, X_OK) == 0 else {
            return .missing(String(cString: strerror(errno)), exitCode: 126)
        }
        return .found(path)
    }
}
