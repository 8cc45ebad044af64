import Glibc

/// The command line and the environment as bytes: neither has to be UTF-8, and a command that is
/// run gets both unchanged.
package enum RawArguments {
    /// The arguments to parse, with only the first word of the command of `exec`: the parser takes
    /// quadratic time, a minute for 10,000 words.
    package static func toParse(_ arguments: [String]) -> [String] {
        let arguments = arguments.dropFirst()
        guard arguments.first == "exec", let end = arguments.firstIndex(of: "--") else {
            return Array(arguments)
        }
        return Array(arguments[...end] + arguments[(end + 1)...].prefix(1))
    }

    /// The words after the first `--` of this process's command line.
    package static var command: [[UInt8]] {
        var words: [[UInt8]] = []
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index] else { break }
            words.append(Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        }
        return Array(words.drop { $0 != Array("--".utf8) }.dropFirst())
    }

    /// The environment of this process, `NAME=VALUE` each; nil when it cannot be read. Entries
    /// without a valid name are left out: a command could not be started with them.
    package static var environment: [[UInt8]]? {
        let descriptor = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes.split(separator: 0).map(Array.init).filter { entry in
            guard let first = entry.first else { return false }
            return !(0x30...0x39).contains(first) && entry.contains(UInt8(ascii: "="))
        }
    }
}
