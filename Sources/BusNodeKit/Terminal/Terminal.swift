package import ErrorBus
import Foundation
import Glibc

/// Text for the person who runs this process: whole lines on standard error, escaped by the caller.
package enum Terminal {
    /// Whether a person is at both ends: keys and screen.
    package static var isInteractive: Bool {
        isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0
    }

    /// Whether a person or a program can type an answer; false under a supervisor or with input
    /// from /dev/null.
    package static var canBeAnswered: Bool {
        isatty(STDIN_FILENO) != 0
            || FileStatus(descriptor: STDIN_FILENO)?.isPipeOrSocket == true
    }

    /// Whether a person reads standard error.
    package static var isHeard: Bool { isatty(STDERR_FILENO) != 0 }

    /// Whether a program can use the whole screen.
    package static var canFillScreen: Bool {
        isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && canMoveCursor
    }

    /// Whether the kind of terminal understands more than lines.
    static var canMoveCursor: Bool {
        !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")
    }

    /// Whether to use colours: not with NO_COLOR (no-color.org).
    static var wantsColors: Bool {
        (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// Writes lines in one piece, so that lines of two processes do not mix, and the prompt again
    /// below.
    package static func say(_ text: String) { ErrorOutput.shared.say(text) }

    /// Writes a new prompt. The display records when it became visible.
    static func ask(
        _ text: String, _ display: ErrorOutput.Display?, foot: PromptFoot.Content
    ) {
        ErrorOutput.shared.ask(text, display, foot: foot)
    }

    /// Writes text with a prompt below it.
    package static func ask(_ text: String) { ErrorOutput.shared.ask(text, nil) }

    /// Changes the line about the other prompts that wait.
    static func change(status: String) { ErrorOutput.shared.change(status: status) }

    /// Ends the prompt; true if the cursor is still behind it.
    @discardableResult
    package static func stopAsking() -> Bool { ErrorOutput.shared.stopAsking() }

    /// The columns of a line. The number is unknown below `up`, which puts the node's name in
    /// front: then a small one.
    package static var columnCount: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 64 }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// The columns of standard output; nil if it is not a terminal.
    package static var outputColumnCount: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// Writes bytes; returns nil, or the error number of a failure. A non-blocking descriptor gets
    /// a second to accept something, or with `waits` any time.
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

/// Output for scripts. A failed write fails the command: a lost answer must not look given.
package enum StandardOutput {
    /// - Throws: When the line cannot be written whole.
    package static func print(_ line: String) throws(Failure) {
        try write(Array((line + "\n").utf8))
    }

    /// JSON as one line, with characters escaped that a terminal would interpret or hide.
    package static func print(_ json: JSONValue) throws(Failure) { try print(json.encoded()) }

    /// Prints encoded JSON in the same way.
    package static func print(_ json: [UInt8]) throws(Failure) { try write(line(json)) }

    package static func print(_ lines: [String]) throws(Failure) {
        try write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Prints a list for people. Its reader may stop after the first lines, as `head` does: that
    /// ends the command silently, with the status of a broken pipe.
    ///
    /// - Throws: When the list cannot be written whole.
    package static func show(_ lines: [String]) throws {
        try show(bytes: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Prints text with its own line breaks in the same way.
    package static func show(text: String) throws { try show(bytes: Array(text.utf8)) }

    /// Prints a list as JSON in the same way.
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

/// The escapes that make JSON safe to read with `cat` and `tail`.
enum JSONEscapes {
    /// The same JSON with `\u` escapes for characters that a terminal would interpret or hide: C1
    /// controls, bidi overrides, zero-width characters. (JSON itself escapes those below U+0020.)
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
    /// Opens the numbers that are free, so that no socket becomes an output. Call it before
    /// anything is opened.
    ///
    /// Each is opened in the wrong direction: reading or writing fails, as on a closed descriptor,
    /// here and in every command that inherits it.
    package static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one: those below it are taken.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
