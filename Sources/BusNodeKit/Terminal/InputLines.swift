import Foundation
import Glibc

/// Standard input, line by line, from its own thread, since reading blocks.
enum InputLines {
    struct Line: Sendable {
        let text: String
        /// The value of `mark` when the line was read.
        let mark: Int
        let readAt: ContinuousClock.Instant
    }

    enum Event: Sendable {
        case line(Line)
        /// Ctrl-D at a terminal: it is still there, and more may be typed.
        case endKey
    }

    /// The longest line in bytes, as in terminals; a longer one is dropped.
    private static let byteCountMax = 4_096
    /// The most lines waiting: a flood on the input is dropped.
    private static let waitingMax = 64
    /// This many immediate ends in a row are not key presses.
    private static let endCountMax = 16
    private static let atOnce: Duration = .milliseconds(1)

    /// The lines of `descriptor`; ends with it, for a terminal only when that is gone.
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

/// Assembles lines from input. A line beyond the limit is dropped as a whole, since half of it
/// could mean something else.
struct LineBuffer {
    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    private var isTooLong = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// The lines completed by this input, without their ends.
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

    /// The last line, if it has no end.
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

/// Distinguishes a Return for this prompt from one that was pressed before it was visible.
struct ReturnPause {
    /// Shorter than the time to read any prompt.
    static let readingTime: Duration = .seconds(1)

    /// Nil while part of the prompt is not on the screen yet.
    let shownAt: ContinuousClock.Instant?

    /// Whether a line read at `time` came too soon: only for bare Return, which chooses the default
    /// of any prompt. A typed option names itself.
    func isTooSoon(_ line: String, readAt time: ContinuousClock.Instant) -> Bool {
        line.allSatisfy(\.isWhitespace)
            && shownAt.map { time - $0 < Self.readingTime } ?? true
    }
}
