import Testing

@testable import BusLab

struct ZMTPSplitterTests {
    private static let greeting: [UInt8] =
        [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)
    private static let ready: [UInt8] = [0x04, 3, 5, 6, 7]
    /// Two frames: one short with more to come, one long.
    private static let message: [UInt8] = [0x01, 2, 65, 66, 0x02, 0, 0, 0, 0, 0, 0, 0, 1, 67]

    private func doubled(_ bytes: [UInt8], pieces: Int, doubles: Bool = true) -> [UInt8] {
        var splitter = ZMTPSplitter()
        return stride(from: 0, to: bytes.count, by: pieces).flatMap { start in
            splitter.received(Array(bytes[start..<min(start + pieces, bytes.count)])) { doubles }
        }
    }

    @Test("F9 messages are doubled whole, the greeting and commands are not", arguments: 1...100)
    func doubles(pieces: Int) {
        let stream = Self.greeting + Self.ready + Self.message + Self.message
        #expect(
            doubled(stream, pieces: pieces)
                == Self.greeting + Self.ready + Self.message + Self.message + Self.message
                + Self.message)
        #expect(doubled(stream, pieces: pieces, doubles: false) == stream)
    }

    @Test("A stream that is not plain ZMTP 3 passes unchanged")
    func others() {
        let http = Array("GET / HTTP/1.1\r\n".utf8) + [UInt8](repeating: 1, count: 200)
        #expect(doubled(http, pieces: 7) == http)
        var curve = Self.greeting + Self.message
        curve.replaceSubrange(12..<17, with: Array("CURVE".utf8))
        #expect(doubled(curve, pieces: 7) == curve)
    }

    @Test("A message above the limit is not kept")
    func limit() {
        let header: [UInt8] = [0x02, 0, 0, 0, 0, 0, 0x20, 0, 0]
        let stream = Self.greeting + header + [UInt8](repeating: 1, count: 1 << 21)
        #expect(doubled(stream, pieces: 1 << 16) == stream)
    }
}
