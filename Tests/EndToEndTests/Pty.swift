import Foundation
import Glibc

/// A pseudo terminal: what a person would see and type.
final class Pty: Sendable {
    let child: FileHandle
    let screen = Observed("")
    private let parent: CInt

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
        child = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        Thread.detachNewThread { [screen, parent] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(parent, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                let text = String(decoding: buffer.prefix(count), as: UTF8.self)
                screen.update { $0 += text }
            }
        }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(parent, bytes, bytes.count)
    }

    /// Whether the text comes to the screen after the first `offset` characters.
    func shows(_ text: String, after offset: Int = 0, within seconds: Double = 15) async -> Bool {
        await screen.becomes(within: seconds) { $0.dropFirst(offset).contains(text) }
    }
}
