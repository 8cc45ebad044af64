import Glibc

/// The two meanings of SIGHUP for a process that runs until it is stopped: its terminal was closed,
/// or its files are to be read again.
package struct Hangup: Sendable {
    /// False below `nohup`, which ignores SIGHUP so that a process outlives its terminal.
    private let endsWithTerminal = isatty(STDIN_FILENO) != 0 && !ReceivedSignal.isIgnored(SIGHUP)

    /// Notes where the process was started, before it traps SIGHUP.
    package init() {}

    /// Whether the terminal of its standard input was closed.
    package var isTerminalClosed: Bool { endsWithTerminal && isatty(STDIN_FILENO) == 0 }
}
