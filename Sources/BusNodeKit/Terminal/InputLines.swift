import ErrorBus
import Foundation
import Glibc

/// Standard input, line by line, from its own thread, since reading blocks.
enum InputLines {
    struct Line: Hashable, Sendable {
        /// The text; nil for a line that is too long.
        let text: String?
        /// The start of the line's reading: its end may come later, as after Ctrl-D.
        let start: Start
    }

    /// The start of a read.
    struct Start: Hashable, Sendable {
        /// The value of `mark` at the start.
        let mark: Int
        let at: ContinuousClock.Instant
    }

    enum Event: Sendable {
        case line(Line)
        /// Ctrl-D at a terminal, which is still there: the person may type more.
        case endKey
    }

    /// The longest line of a pipe in bytes: the longest value of an option.
    private static let byteCountMax = 4 * ErrorReport.Limits.valueScalarCount
    /// The longest line of a terminal in bytes. The kernel cuts a longer one to one byte more
    /// (termios(3)), and half a line could mean something else.
    static let terminalByteCountMax = 4_094
    private static let readMax = 4_096
    /// The most lines waiting: a flood on the input is dropped.
    private static let waitingMax = 64
    /// This many immediate ends in a row are not key presses.
    private static let endCountMax = 16
    private static let atOnce: Duration = .milliseconds(1)

    /// The lines of `descriptor`; ends with the descriptor, for a terminal only when it is gone.
    static func lines(
        of descriptor: CInt, mark: @escaping @Sendable () -> Int
    ) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(waitingMax))
        let isTerminal = isatty(descriptor) != 0
        Thread.detachNewThread {
            var lines = StartedLines(
                byteCountMax: isTerminal ? terminalByteCountMax : byteCountMax)
            var bytes = [UInt8](repeating: 0, count: readMax)
            let clock = ContinuousClock()
            var endCount = 0
            while true {
                let waitedFrom = clock.now
                var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&item, 1, -1)
                // Before the read: what is read was not typed for a prompt that comes now.
                let start = Start(mark: mark(), at: clock.now)
                let count = read(descriptor, &bytes, bytes.count)
                // Other programs that share the terminal may have made it non-blocking.
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                if count == 0, isTerminal, isatty(descriptor) != 0 {
                    endCount = clock.now - waitedFrom < atOnce ? endCount + 1 : 1
                    if endCount <= endCountMax {
                        continuation.yield(.endKey)
                        continue
                    }
                }
                if count <= 0 { break }
                endCount = 0
                for line in lines.take(bytes.prefix(count), from: start) {
                    continuation.yield(.line(line))
                }
            }
            if let line = lines.end() { continuation.yield(.line(line)) }
            continuation.finish()
        }
        return stream
    }
}

/// Lines of input, each with the start of its first byte.
struct StartedLines {
    private var buffer: LineBuffer
    /// The start of the incomplete line; nil without one.
    private var start: InputLines.Start?

    init(byteCountMax: Int) { buffer = LineBuffer(byteCountMax: byteCountMax) }

    /// The lines completed by this input.
    mutating func take(
        _ input: some Sequence<UInt8>, from start: InputLines.Start
    ) -> [InputLines.Line] {
        var next = self.start ?? start
        let lines = buffer.take(input).map { text in
            defer { next = start }
            return InputLines.Line(text: text, start: next)
        }
        self.start = buffer.isEmpty ? nil : next
        return lines
    }

    /// The last line, if it has no end.
    mutating func end() -> InputLines.Line? {
        guard let start, !buffer.isEmpty else { return nil }
        return InputLines.Line(text: buffer.end(), start: start)
    }
}

/// The assembler of lines from input. A line beyond the limit has no text, since half of it could
/// mean something else.
struct LineBuffer {
    private let byteCountMax: Int
    private var bytes: [UInt8] = []
    private var isTooLong = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Whether no line has begun.
    var isEmpty: Bool { bytes.isEmpty && !isTooLong }

    /// The lines completed by this input, without their ends; nil for a line that is too long.
    mutating func take(_ input: some Sequence<UInt8>) -> [String?] {
        var lines: [String?] = []
        for byte in input {
            if byte == UInt8(ascii: "\n") {
                lines.append(end())
            } else if bytes.count < byteCountMax {
                bytes.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// The line up to here, which may be empty; nil if it is too long.
    mutating func end() -> String? {
        defer {
            bytes.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        return isTooLong ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
