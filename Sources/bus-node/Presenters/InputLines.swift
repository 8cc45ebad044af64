import Foundation
import Glibc

/// Standard input, line by line, from a thread of its own: reading blocks. Each line comes with a
/// mark of when it was read.
enum InputLines {
    struct Line: Sendable {
        let text: String
        /// What `mark` said when the line was read.
        let mark: Int
    }

    /// The longest line in bytes, as terminals have it; of a longer one nothing is taken.
    private static let byteCountMax = 4_096
    /// Lines that may wait: a flood on the input is dropped instead of kept.
    private static let waitingMax = 64

    /// The lines of `descriptor`; ends when it ends.
    static func lines(
        of descriptor: CInt, mark: @escaping @Sendable () -> Int
    ) -> AsyncStream<Line> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Line.self, bufferingPolicy: .bufferingOldest(waitingMax))
        Thread.detachNewThread {
            var line = LineBuffer(byteCountMax: byteCountMax)
            var buffer = [UInt8](repeating: 0, count: byteCountMax)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                for text in line.take(buffer.prefix(count)) {
                    continuation.yield(Line(text: text, mark: mark()))
                }
            }
            if let text = line.end() { continuation.yield(Line(text: text, mark: mark())) }
            continuation.finish()
        }
        return stream
    }
}
