import Foundation
import Glibc
import Synchronization

/// Writing to the person who runs this: whole lines, on standard error, escaped by the caller.
enum Terminal {
    /// Whether a person is at both ends: their keys and their screen.
    static var isInteractive: Bool { isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

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

    /// What stands at the beginning of the line that a person types.
    private static let prompt = "> "
    /// The prompt is on the screen, and the cursor behind it.
    private static let isAsking = Mutex(false)

    /// One write a call, so that lines of two processes do not mix. A prompt is put below it again.
    static func say(_ text: String) {
        isAsking.withLock { isAsking in
            let text = isAsking ? "\n\(text)\n\(prompt)" : text + "\n"
            _ = write(Array(text.utf8), to: STDERR_FILENO)
        }
    }

    /// Text with a prompt below it.
    static func ask(_ text: String) {
        isAsking.withLock { isAsking in
            isAsking = true
            _ = write(Array((text + "\n" + prompt).utf8), to: STDERR_FILENO)
        }
    }

    /// The prompt is done with. True when the cursor still stands behind it.
    @discardableResult
    static func stopAsking() -> Bool {
        isAsking.withLock { isAsking in
            defer { isAsking = false }
            return isAsking
        }
    }

    /// The columns that a line may take. Below `up`, which puts the node's name in front, they are
    /// not known: then few.
    static var columnCount: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 64 }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// The columns of the terminal that standard output is; nil where it is none.
    static var outputColumnCount: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return size.ws_col >= 20 ? Int(size.ws_col) : 80
    }

    /// Returns the error number of what could not be written.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let problem = errno
                if problem == EINTR { continue }
                if problem == EAGAIN {
                    var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&item, 1, 1_000) > 0 { continue }
                }
                return problem
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
