import Foundation
import Glibc
import Synchronization
import SystemPackage

/// A pipe for a command's standard error: what comes is written through to ours, and the end of
/// it is kept. It does not wait for the pipe to close: a daemon that the command left behind may
/// hold it open for ever.
final class ErrorTail: Sendable {
    private static let byteCountMax = 8 * 1024

    let writeEnd: FileDescriptor
    private let readEnd: CInt
    private let kept = Mutex<[UInt8]>([])

    init() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        for end in [reader, writer] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        writeEnd = writer
        readEnd = reader.rawValue
        Thread.detachNewThread { [self] in passThrough() }
    }

    private let atEnd = DispatchSemaphore(value: 0)
    private let commandEnded = Atomic(false)

    private func passThrough() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var isEnded = false
        while true {
            if !isEnded, commandEnded.load(ordering: .acquiring), !isReadable {
                // All that the command itself wrote has been read; the thread goes on for whatever
                // it left behind.
                isEnded = true
                atEnd.signal()
            }
            var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, isEnded ? -1 : 50) > 0 else { continue }
            let count = read(readEnd, &buffer, buffer.count)
            if count <= 0 { break }
            Terminal.write(Array(buffer.prefix(count)), to: STDERR_FILENO)
            kept.withLock { kept in
                kept += buffer.prefix(count)
                if kept.count > Self.byteCountMax {
                    kept.removeFirst(kept.count - Self.byteCountMax)
                }
            }
        }
        close(readEnd)
        if !isEnded { atEnd.signal() }
    }

    private var isReadable: Bool {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, 0) > 0 && item.revents & Int16(POLLIN) != 0
    }

    /// What was kept, once all that the command wrote has been read.
    func finish() async -> String {
        commandEnded.store(true, ordering: .releasing)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                atEnd.wait()
                continuation.resume()
            }
        }
        return String(decoding: kept.withLock { $0 }, as: UTF8.self)
    }
}
