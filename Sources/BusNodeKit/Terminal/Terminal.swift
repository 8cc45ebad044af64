package import ErrorBus
import Foundation
import Glibc

/// Writing to the person who runs this: whole lines, on standard error, escaped by the caller.
package enum Terminal {
    /// Whether a person is at both ends: their keys and their screen.
    package static var isInteractive: Bool {
        isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0
    }

    /// Whether a person can type an answer, or a program in their place; not so under a supervisor
    /// or with input from /dev/null.
    package static var canBeAnswered: Bool {
        isatty(STDIN_FILENO) != 0
            || FileStatus(descriptor: STDIN_FILENO)?.isPipeOrSocket == true
    }

    /// Whether a person reads what is said on standard error.
    package static var isHeard: Bool { isatty(STDERR_FILENO) != 0 }

    /// Whether a program can have the whole screen.
    package static var canFillScreen: Bool {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
            && !["", "dumb"].contains(kind)
    }

    /// Colours, unless NO_COLOR (no-color.org) says otherwise.
    static var wantsColors: Bool {
        (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// One write a call, so that lines of two processes do not mix. A prompt is put below it again.
    package static func say(_ text: String) { ErrorOutput.shared.say(text) }

    /// Text with a prompt below it. A question has a display, which tells when it is to be seen.
    static func ask(_ text: String, _ display: ErrorOutput.Display?) {
        ErrorOutput.shared.ask(text, display)
    }

    /// Text with a prompt below it.
    package static func ask(_ text: String) { ask(text, nil) }

    /// The prompt is done with. True when the cursor still stands behind it.
    @discardableResult
    package static func stopAsking() -> Bool { ErrorOutput.shared.stopAsking() }

    /// The columns that a line may take. Below `up`, which puts the node's name in front, they are
    /// not known: then few.
    package static var columnCount: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 64 }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// The columns of the terminal that standard output is; nil where it is another thing.
    package static var outputColumnCount: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// Returns, once it is written, nil; else the error number of what could not be. A descriptor
    /// that does not block is given a second to take something, or with `waits` for ever.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: CInt, waits: Bool = false) -> CInt? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let problem = errno
                if problem == EINTR { continue }
                if problem == EAGAIN {
                    var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&item, 1, waits ? -1 : 1_000) > 0 { continue }
                }
                return problem
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}

/// Data for scripts. What cannot be written fails the command: a lost answer is no answer.
package enum StandardOutput {
    /// - Throws: When it cannot be written whole.
    package static func print(_ line: String) throws(Failure) {
        try write(Array((line + "\n").utf8))
    }

    /// JSON as one line, with nothing in it that a terminal obeys or hides.
    package static func print(_ json: JSONValue) throws(Failure) { try print(json.encoded()) }

    /// The same of JSON that is encoded.
    package static func print(_ json: [UInt8]) throws(Failure) { try write(line(json)) }

    package static func print(_ lines: [String]) throws(Failure) {
        try write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Prints a list for people. Its reader may stop after the first lines, as `head` does:
    /// that ends the command without a word, with the status of a broken pipe.
    ///
    /// - Throws: When it cannot be written whole.
    package static func show(_ lines: [String]) throws {
        try show(bytes: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// The same of a list as JSON.
    package static func show(_ json: JSONValue) throws { try show(bytes: line(json.encoded())) }

    private static func line(_ json: [UInt8]) -> [UInt8] {
        JSONEscapes.escapingInvisible(in: json) + [UInt8(ascii: "\n")]
    }

    private static func show(bytes: [UInt8]) throws {
        switch Terminal.write(bytes, to: STDOUT_FILENO) {
        case nil: return
        case EPIPE: throw Interrupted(signal: SIGPIPE)
        case let problem?: throw failure(problem)
        }
    }

    private static func write(_ bytes: [UInt8]) throws(Failure) {
        guard let problem = Terminal.write(bytes, to: STDOUT_FILENO) else { return }
        throw failure(problem)
    }

    private static func failure(_ problem: CInt) -> Failure {
        Failure(
            .outputFailed, "standard output: not written: \(String(cString: strerror(problem)))")
    }
}

/// Makes JSON safe to be looked at with `cat` and `tail`.
enum JSONEscapes {
    /// The same JSON with `\u` for everything that a terminal obeys or hides: C1 controls, bidi
    /// overrides, zero-width characters. (What is below U+0020 is escaped in any JSON.)
    static func escapingInvisible(in json: [UInt8]) -> [UInt8] {
        guard json.contains(where: { $0 >= 0x7F }) else { return json }
        var output: [UInt8] = []
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            guard isInvisible(scalar) else {
                output += String(scalar).utf8
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                output += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            }
        }
        return output
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value == 0x7F }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
            return true
        default: return false
        }
    }
}

/// Standard input, output and error, which a parent may have closed.
package enum StandardDescriptors {
    /// Takes the numbers that are free, so that no socket of ours becomes an output. To be
    /// called before anything is opened.
    ///
    /// Opened the wrong way round: reading or writing fails, as it would on the closed one, here
    /// and in every command that inherits it.
    package static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one: those below it are taken.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
