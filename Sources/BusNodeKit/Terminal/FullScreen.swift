import ErrorBus
import Foundation
import Glibc
import Synchronization

/// The terminal in full-screen mode: no line editing, no echo, the alternate screen.
struct FullScreen {
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    private static let end = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    private var before: termios?

    /// Whether this process may write to its terminal and read from it. A terminal of another
    /// session has no background.
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
        try enterAgain()
    }

    /// Enters full-screen mode again, even if another program, such as a shell after a stop, has
    /// changed the terminal.
    mutating func enterAgain() throws(Failure) {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else {
            throw Failure(.software, "the terminal: \(String(cString: strerror(errno)))")
        }
        before = before ?? mode
        cfmakeraw(&mode)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
        Self.write(Self.begin)
    }

    /// Restores the terminal. Unread keys are discarded.
    mutating func leave() {
        guard var mode = before else { return }
        before = nil
        Self.write(Self.end)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    }

    /// Writes text; false if the terminal refuses it.
    @discardableResult
    static func write(_ text: String) -> Bool {
        Terminal.write(Array(text.utf8), to: STDOUT_FILENO) == nil
    }
}

/// A terminal's columns and rows.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int

    /// The smallest usable screen.
    static let least = ScreenSize(columns: 40, rows: 10)

    var isEnough: Bool { columns >= Self.least.columns && rows >= Self.least.rows }
}

/// The painter of a terminal, which remembers its content and writes the differences to new
/// content.
struct ScreenPainter {
    let isColored: Bool
    private var shown: [ScreenLine] = []
    private var size: ScreenSize?

    init(isColored: Bool) { self.isColored = isColored }

    /// Forgets the content: the next frame is written whole.
    mutating func forget() { size = nil }

    /// The text that changes the screen to these lines, in one piece; empty without a difference.
    mutating func paint(_ lines: [ScreenLine], _ size: ScreenSize) -> String {
        var text = ""
        if size != self.size {
            self.size = size
            shown = []
            text = "\u{1B}[0m\u{1B}[2J"
        }
        for row in 0..<size.rows {
            let line = row < lines.count ? lines[row] : ScreenLine()
            let before = row < shown.count ? shown[row] : ScreenLine()
            guard line != before else { continue }
            text += "\u{1B}[\(row + 1);1H\(TextStyle.reset)\u{1B}[2K"
            for part in line.parts where part.column < size.columns {
                text += "\u{1B}[\(part.column + 1)G" + part.style.sequence(isColored: isColored)
                text += part.text
            }
            text += TextStyle.reset
        }
        shown = lines
        return text
    }
}

/// One line of a screen: texts, each at its column. Not escaped here: the drawing escapes them.
struct ScreenLine: Hashable {
    struct Part: Hashable {
        let column: Int
        let text: String
        let style: TextStyle
    }

    private(set) var parts: [Part] = []
    /// The ids of the options in the line.
    var options: [String] = []

    init() {}

    init(_ text: String, at column: Int = 0, width: Int, _ style: TextStyle = []) {
        add(text, at: column, width: width, style)
    }

    /// The text, cut to `width` columns.
    mutating func add(_ text: String, at column: Int, width: Int, _ style: TextStyle = []) {
        guard width > 0, !text.isEmpty else { return }
        parts.append(
            Part(column: column, text: TextWidth.clipped(text, to: width), style: style))
    }

    /// The text, ending before `end`.
    mutating func addRight(_ text: String, before end: Int, width: Int, _ style: TextStyle = []) {
        let text = TextWidth.clipped(text, to: width)
        add(text, at: end - TextWidth.columns(of: text), width: width, style)
    }

    mutating func fill(_ columns: Range<Int>, _ style: TextStyle) {
        add(
            String(repeating: " ", count: columns.count), at: columns.lowerBound,
            width: columns.count, style)
    }

    func shifted(by columns: Int) -> ScreenLine {
        var line = self
        line.parts = parts.map {
            Part(column: $0.column + columns, text: $0.text, style: $0.style)
        }
        return line
    }

    mutating func overlay(_ other: ScreenLine) {
        parts += other.parts
        options += other.options
    }
}

/// Keys and signals of a terminal, from a thread of its own: waiting for them blocks.
enum TerminalEvents {
    enum Event: Sendable {
        case bytes([UInt8], at: Moment)
        case signal(Int32)
        /// The terminal is gone.
        case ended
    }

    private static let signals = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
    private static let readMax = 4_096
    /// The pipe of the signal handler, which may do no more than write.
    private static let pipeEnd = Atomic<CInt>(-1)

    /// Sends every event from now on, as long as the process lives.
    static func start(_ handle: @escaping @Sendable (Event) -> Void) throws(Failure) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Failure(.software, "pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        pipeEnd.store(ends[1], ordering: .releasing)
        for number in signals { trap(number) }
        let source = ends[0]
        Thread.detachNewThread { read(source, handle) }
    }

    static func trap(_ number: Int32) {
        signal(number) { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(TerminalEvents.pipeEnd.load(ordering: .acquiring), &byte, 1)
            errno = error
        }
    }

    /// Stops the processes of this terminal's job, as Ctrl-Z does.
    static func stop() {
        signal(SIGTSTP, SIG_DFL)
        kill(0, SIGTSTP)
    }

    private static func read(_ source: CInt, _ handle: (Event) -> Void) {
        var buffer = [UInt8](repeating: 0, count: readMax)
        var items = [
            pollfd(fd: source, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&items, 2, -1) > 0 else { continue }
            if items[0].revents != 0 {
                let count = Glibc.read(source, &buffer, buffer.count)
                for number in buffer.prefix(max(0, count)) { handle(.signal(Int32(number))) }
            }
            // In the background, reading would stop this process.
            guard items[1].revents != 0, FullScreen.isInForeground else {
                if items[1].revents != 0 { poll(nil, 0, 100) }
                continue
            }
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return handle(.ended) }
            handle(.bytes(Array(buffer.prefix(count)), at: .now))
        }
    }
}
