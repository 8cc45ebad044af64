import Foundation
import Glibc
import Synchronization

/// A pseudo terminal: what a person would see and type.
final class Pty: Sendable {
    let child: FileHandle
    let screen = Observed("")
    private let parent: CInt
    private let end = End()

    private final class End: Sendable {
        let isWanted = Atomic(false)
        let isStopped = Atomic(false)
    }

    /// TIOCSPTLCK and TIOCGPTN.
    private static let lock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    init() throws {
        // What unlockpt and ptsname do, which this C module does not show.
        parent = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: CInt = 0
        var number: CInt = 0
        guard parent >= 0, ioctl(parent, Self.lock, &isLocked) == 0,
            ioctl(parent, Self.number, &number) == 0
        else { throw POSIXError(.EIO) }
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        // Wide enough that no text of a test is broken.
        var size = winsize(ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(parent, UInt(TIOCSWINSZ), &size)
        child = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        Thread.detachNewThread { [screen, parent, end] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                // Closing a descriptor that is being read does not end the reading.
                let isStopped = end.isStopped.load(ordering: .acquiring)
                var item = pollfd(
                    fd: parent, events: isStopped ? 0 : Int16(POLLIN), revents: 0)
                guard poll(&item, 1, 20) > 0 else {
                    guard end.isWanted.load(ordering: .acquiring) else { continue }
                    close(parent)
                    return
                }
                let count = read(parent, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                let text = String(decoding: buffer.prefix(count), as: UTF8.self)
                screen.update { $0 += text }
            }
        }
    }

    /// How lines are edited and keys are read: what a program has to leave as it was.
    var mode: [UInt32] {
        var mode = termios()
        tcgetattr(child.fileDescriptor, &mode)
        return [mode.c_iflag, mode.c_oflag, mode.c_cflag, mode.c_lflag]
    }

    /// Whether no complete input waits to be read.
    var isRead: Bool {
        var count: CInt = -1
        return ioctl(child.fileDescriptor, UInt(FIONREAD), &count) == 0 && count == 0
    }

    /// Shows nothing, as after Ctrl-S, or goes on.
    func stop(_ isStopped: Bool) { end.isStopped.store(isStopped, ordering: .releasing) }

    /// The terminal goes away, as when its window is closed.
    func hangUp() { end.isWanted.store(true, ordering: .releasing) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(parent, bytes, bytes.count)
    }

    /// Types a line at the prompt of a presenter, once the screen ends with it: a line typed before
    /// is ignored. Whether the text comes to the screen then.
    func enter(_ line: String, brings text: String) async -> Bool {
        // Or with a line above the prompt that was written again, and the cursor behind the prompt.
        guard await screen.becomes({ $0.hasSuffix("> ") || $0.hasSuffix("\u{1B}8") }) else {
            return false
        }
        let before = screen.value.count
        type(line + "\n")
        return await shows(text, after: before)
    }

    /// Presses Return until it does not come too soon after the prompt. Whether the text comes to
    /// the screen then.
    func pressReturn(brings text: String) async -> Bool {
        while true {
            let before = screen.value.count
            type("\n")
            let isTaken = await screen.becomes {
                let new = $0.dropFirst(before)
                return new.contains(text) || new.contains("ignored: Return")
            }
            guard isTaken else { return false }
            guard screen.value.dropFirst(before).contains("ignored: Return") else { return true }
        }
    }

    /// Whether the text comes to the screen after the first `offset` characters.
    func shows(_ text: String, after offset: Int = 0) async -> Bool {
        await screen.becomes { $0.dropFirst(offset).contains(text) }
    }
}
