import ErrorBus
import Glibc

/// Reads a configuration file whole, within a limit.
enum ConfigurationFile {
    /// The largest file, in bytes.
    static let byteCountMax = 1024 * 1024

    static func read(_ path: String) throws(ConfigurationFailure) -> [UInt8] {
        guard !path.utf8.contains(0) else {
            throw .unreadable(path: path.replacing("\0", with: "\\0"), reason: "not a path")
        }
        // Not blocking: a named pipe without a writer would keep us here for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
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
