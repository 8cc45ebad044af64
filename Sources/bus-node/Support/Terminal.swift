import Foundation
import Glibc

/// Writing to the person who runs this: whole lines, on standard error, escaped by the caller.
enum Terminal {
    /// Whether a person is at both ends: their keys and their screen.
    static var isInteractive: Bool { isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

    /// Whether a person can type an answer, or a program in their place; not so under a supervisor
    /// or with input from /dev/null.
    static var canBeAnswered: Bool {
        var status = stat()
        guard isatty(STDIN_FILENO) == 0 else { return true }
        return fstat(STDIN_FILENO, &status) == 0
            && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Whether a person reads what is said on standard error.
    static var isHeard: Bool { isatty(STDERR_FILENO) != 0 }

    /// Whether a program can have the whole screen.
    static var canFillScreen: Bool {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0
            && !["", "dumb"].contains(kind)
    }

    /// Colours, unless NO_COLOR (no-color.org) says otherwise.
    static var wantsColors: Bool {
        (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// One write a call, so that lines of two processes do not mix. A prompt is put below it again.
    static func say(_ text: String) { ErrorOutput.shared.say(text) }

    /// Text with a prompt below it. A question has a display, which tells when it is to be seen.
    static func ask(_ text: String, _ display: ErrorOutput.Display? = nil) {
        ErrorOutput.shared.ask(text, display)
    }

    /// The prompt is done with. True when the cursor still stands behind it.
    @discardableResult
    static func stopAsking() -> Bool { ErrorOutput.shared.stopAsking() }

    /// The columns that a line may take. Below `up`, which puts the node's name in front, they are
    /// not known: then few.
    static var columnCount: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 64 }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// The columns of the terminal that standard output is; nil where it is another thing.
    static var outputColumnCount: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// Returns, once it is written, nil; else the error number of what could not be. A descriptor
    /// that does not block is given a second to take something, or with `waits` for ever.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: CInt, waits: Bool = false) -> CInt? {
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
