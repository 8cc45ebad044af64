import Foundation
import Glibc

/// Standard input, line by line, from a thread of its own: reading blocks.
enum InputLines {
    struct Line: Sendable {
        let text: String
        /// What `mark` said when the line was read.
        let mark: Int
        let readAt: ContinuousClock.Instant
    }

    enum Event: Sendable {
        case line(Line)
        /// Ctrl-D at a terminal: it is there, and more may be typed.
        case endKey
    }

    /// The longest line in bytes, as terminals have it; of a longer one nothing is taken.
    private static let byteCountMax = 4_096
    /// Lines that may wait: a flood on the input is dropped instead of kept.
    private static let waitingMax = 64
    /// So many ends one after the other, each at once, are no key presses.
    private static let endCountMax = 16
    private static let atOnce: Duration = .milliseconds(1)

    /// The lines of `descriptor`; ends when it ends, a terminal only when it is gone.
    static func lines(
        of descriptor: CInt, mark: @escaping @Sendable () -> Int
    ) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(waitingMax))
        Thread.detachNewThread {
            var line = LineBuffer(byteCountMax: byteCountMax)
            var buffer = [UInt8](repeating: 0, count: byteCountMax)
            let clock = ContinuousClock()
            var endCount = 0
            func yield(_ text: String) {
                continuation.yield(
                    .line(Line(text: text, mark: mark(), readAt: clock.now)))
            }
            while true {
                let start = clock.now
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count == 0, isatty(descriptor) != 0 {
                    endCount = clock.now - start < atOnce ? endCount + 1 : 1
                    if endCount <= endCountMax {
                        continuation.yield(.endKey)
                        continue
                    }
                }
                if count <= 0 { break }
                endCount = 0
                for text in line.take(buffer.prefix(count)) { yield(text) }
            }
            if let text = line.end() { yield(text) }
            continuation.finish()
        }
        return stream
    }
}

/// Puts lines together from what was read. A line beyond the limit is left out as a whole: half of
/// it could mean something else.
struct LineBuffer {
    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    private var isTooLong = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The lines that are complete now, without their ends.
    mutating func take(_ input: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in input {
            if byte == UInt8(ascii: "\n") {
                if let line = end(evenEmpty: true) { lines.append(line) }
            } else if bytes.count < byteCountMax {
                bytes.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// The last line, where it has no end.
    mutating func end() -> String? { end(evenEmpty: false) }

    private mutating func end(evenEmpty: Bool) -> String? {
        defer {
            bytes.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        guard !isTooLong, evenEmpty || !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
