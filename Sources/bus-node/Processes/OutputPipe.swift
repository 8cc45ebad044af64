import Foundation
import Glibc
import Synchronization
import SystemPackage

/// A pipe for what a command writes: read to the end, kept in part, and passed on where that is
/// wanted.
///
/// ``finish()`` does not wait for the pipe to close: a daemon that the command left behind may
/// hold it open for ever. What that one writes is still read, so that it never blocks.
final class OutputPipe: Sendable {
    /// The bytes that are kept of all that comes.
    enum Part: Sendable {
        case first(Int)
        case last(Int)
    }

    let writeEnd: FileDescriptor
    private let readEnd: CInt
    private let part: Part
    /// The descriptor that everything is written on to.
    private let copy: CInt?
    private let kept = Mutex<[UInt8]>([])
    private let atEnd = DispatchSemaphore(value: 0)
    private let commandEnded = Atomic(false)

    /// - Throws: When there is no descriptor left.
    init(keeping part: Part, passingTo copy: CInt? = nil) throws {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = FileDescriptor(rawValue: ends[1])
        self.part = part
        self.copy = copy
        Thread.detachNewThread { [self] in readAll() }
    }

    /// What was kept, once all that the command itself wrote has been read. To be called when the
    /// command has ended.
    func finish() async -> [UInt8] {
        commandEnded.store(true, ordering: .releasing)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                atEnd.wait()
                continuation.resume()
            }
        }
        return kept.withLock { $0 }
    }

    private func readAll() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        var isEnded = false
        while true {
            if !isEnded, commandEnded.load(ordering: .acquiring), !waitForInput(0) {
                // The thread goes on for whatever the command left behind.
                isEnded = true
                atEnd.signal()
            }
            guard waitForInput(isEnded ? -1 : 20) else { continue }
            let count = read(readEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            take(buffer.prefix(count))
        }
        close(readEnd)
        if !isEnded { atEnd.signal() }
    }

    /// Whether there is something to read, or the end.
    private func waitForInput(_ milliseconds: CInt) -> Bool {
        var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, milliseconds) > 0
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        if let copy { Terminal.write(Array(bytes), to: copy) }
        kept.withLock { kept in
            switch part {
            case .first(let count): kept += bytes.prefix(max(0, count - kept.count))
            case .last(let count):
                kept += bytes
                if kept.count > count { kept.removeFirst(kept.count - count) }
            }
        }
    }
}
