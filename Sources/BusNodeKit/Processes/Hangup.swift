import Glibc

/// The two meanings of SIGHUP for a process that runs until it is stopped: its terminal was closed,
/// or its files are to be read again.
package struct Hangup: Sendable {
    /// False in the background and in a session without a terminal, where a process outlives it and
    /// gets SIGHUP later for its files, and below `nohup`, which ignores SIGHUP for that.
    private let endsWithTerminal =
        tcgetpgrp(STDIN_FILENO) == getpgrp() && !ReceivedSignal.isIgnored(SIGHUP)

    /// Notes where the process was started, before it traps SIGHUP.
    package init() {}

    /// Whether the terminal of its standard input was closed.
    package var isTerminalClosed: Bool { endsWithTerminal && isatty(STDIN_FILENO) == 0 }
}
