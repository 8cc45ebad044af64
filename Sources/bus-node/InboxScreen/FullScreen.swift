import Glibc

/// The terminal while a program has all of it: no line editing, no echo, a screen of its own.
struct FullScreen {
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    private static let end = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    private var before: termios?

    var isEntered: Bool { before != nil }

    /// Whether this process may write to its terminal and read from it. A terminal that is not
    /// its session's has no background.
    static var isInForeground: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }

    static var size: ScreenSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return ScreenSize(columns: 80, rows: 24) }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    mutating func enter() throws(Failure) {
        guard before == nil else { return }
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else {
            throw Failure(.software, "the terminal: \(String(cString: strerror(errno)))")
        }
        before = mode
        cfmakeraw(&mode)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
        Self.write(Self.begin)
    }

    /// As it was before. Keys that were pressed and not read go nowhere.
    mutating func leave() {
        guard var mode = before else { return }
        before = nil
        Self.write(Self.end)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    }

    /// False when the terminal does not take it.
    @discardableResult
    static func write(_ text: String) -> Bool {
        Terminal.write(Array(text.utf8), to: STDOUT_FILENO) == nil
    }
}
