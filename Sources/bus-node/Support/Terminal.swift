import Foundation
import Glibc

/// Writing to the person who runs this: whole lines, on standard error, escaped by the caller.
enum Terminal {
    /// Whether a person is at both ends: their keys and their screen.
    static var isInteractive: Bool { isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 }

    /// One write a call, so that lines of two processes do not mix.
    static func say(_ text: String) {
        write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Text without a line end, as a prompt.
    static func ask(_ text: String) {
        write(Array(text.utf8), to: STDERR_FILENO)
    }

    static func write(_ bytes: [UInt8], to descriptor: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&item, 1, 1_000) > 0 { continue }
                }
                return  // Nobody reads: there is no one to tell.
            }
            rest = rest.dropFirst(count)
        }
    }
}
