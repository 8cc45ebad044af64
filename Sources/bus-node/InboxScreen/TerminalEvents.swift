import ErrorBus
import Foundation
import Glibc
import Synchronization

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
    /// Where the signal handler writes: all that such a function may do.
    private static let pipeEnd = Atomic<CInt>(-1)

    /// Tells of everything from now on, for as long as the process lives.
    static func start(_ tell: @escaping @Sendable (Event) -> Void) throws(Failure) {
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
        Thread.detachNewThread { read(source, tell) }
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

    private static func read(_ source: CInt, _ tell: (Event) -> Void) {
        var buffer = [UInt8](repeating: 0, count: readMax)
        var items = [
            pollfd(fd: source, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard poll(&items, 2, -1) > 0 else { continue }
            if items[0].revents != 0 {
                let count = Glibc.read(source, &buffer, buffer.count)
                for number in buffer.prefix(max(0, count)) { tell(.signal(Int32(number))) }
            }
            // In the background, reading would stop this process.
            guard items[1].revents != 0, FullScreen.isInForeground else {
                if items[1].revents != 0 { poll(nil, 0, 100) }
                continue
            }
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return tell(.ended) }
            tell(.bytes(Array(buffer.prefix(count)), at: .now))
        }
    }
}
