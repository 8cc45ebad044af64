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

    enum Event: Hashable, Sendable {
        case line(Line)
        /// Several lines of a terminal that came at once, as of a paste.
        case lines([Line])
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
    fileprivate static let waitingMax = 64
    /// This many immediate ends in a row are not key presses.
    private static let endCountMax = 16
    private static let atOnce: Duration = .milliseconds(1)

    /// The lines of `descriptor`; ends with the descriptor, for a terminal only when it is gone.
    ///
    /// - Parameter holds: Whether a line of a terminal waits for others that come with it.
    static func lines(
        of descriptor: CInt, holds: @escaping @Sendable () -> Bool = { false },
        mark: @escaping @Sendable () -> Int
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
            var held = HeldLines()
            while true {
                let waitedFrom = clock.now
                var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let readyCount = poll(&item, 1, held.isEmpty ? -1 : HeldLines.pauseMilliseconds)
                if readyCount < 0, errno == EINTR { continue }
                if readyCount == 0 || held.isOverdue(at: clock.now), let event = held.passedOn() {
                    continuation.yield(event)
                    continue
                }
                // Before the read: what is read was not typed for a prompt that comes now.
                let start = Start(mark: mark(), at: clock.now)
                let count = read(descriptor, &bytes, bytes.count)
                // Other programs that share the terminal may have made it non-blocking.
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                if count == 0, isTerminal, isatty(descriptor) != 0 {
                    endCount = clock.now - waitedFrom < atOnce ? endCount + 1 : 1
                    if endCount <= endCountMax {
                        if let event = held.passedOn() { continuation.yield(event) }
                        continuation.yield(.endKey)
                        continue
                    }
                }
                if count <= 0 { break }
                endCount = 0
                let taken = lines.take(bytes.prefix(count), from: start)
                if isTerminal, holds() || !held.isEmpty {
                    held.hold(taken, at: start.at)
                } else {
                    for line in taken { continuation.yield(.line(line)) }
                }
            }
            if let event = held.passedOn() { continuation.yield(event) }
            if let line = lines.end() { continuation.yield(.line(line)) }
            continuation.finish()
        }
        return stream
    }
}

/// Lines of a terminal that wait for others to come with them: a person ends one line at a time, a
/// paste several at once, also where it comes in pieces.
struct HeldLines {
    /// The pause after which no further line of a paste comes; shorter than people take for a line.
    static let pauseMilliseconds: CInt = 100
    /// The longest time that a line waits, while others come without a pause.
    static let timeMax: Duration = .seconds(1)

    private var lines: [InputLines.Line] = []
    private var since: ContinuousClock.Instant?

    var isEmpty: Bool { lines.isEmpty }

    func isOverdue(at now: ContinuousClock.Instant) -> Bool {
        since.map { now - $0 >= Self.timeMax } ?? false
    }

    /// Holds lines; those of a flood are dropped.
    mutating func hold(_ new: [InputLines.Line], at now: ContinuousClock.Instant) {
        guard !new.isEmpty else { return }
        since = since ?? now
        lines += new.prefix(InputLines.waitingMax - lines.count)
    }

    /// The lines held so far, which are held no longer; nil without any.
    mutating func passedOn() -> InputLines.Event? {
        defer { (lines, since) = ([], nil) }
        return lines.count > 1 ? .lines(lines) : lines.first.map { .line($0) }
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
