import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// RFC 28: everything up to and including the first empty frame.
@Suite struct EnvelopeTests {
    private let body: [Frame] = [Frame("EB1".utf8), Frame("PING".utf8), Frame("n: 1\n".utf8), []]

    @Test("an envelope of up to 8 frames, the empty one included, is split off", arguments: 1...8)
    func split(_ count: Int) throws {
        let routing = [Frame](repeating: [1, 2, 3, 4, 5], count: count - 1) + [[]]
        let (envelope, rest) = try Envelope.split(routing + body)
        #expect(envelope.frames == routing)
        #expect(Array(rest) == body)
    }

    @Test("no empty frame among the first 8: no peer to reply to", arguments: [8, 9, 20])
    func tooMany(_ count: Int) {
        let routing = [Frame](repeating: [1], count: count) + [[]]
        #expect(throws: WireError.self) { try Envelope.split(routing + body) }
    }

    @Test("no empty frame at all, or no frame")
    func none() {
        #expect(throws: WireError.self) { try Envelope.split([[1], [2]]) }
        #expect(throws: WireError.self) { try Envelope.split([]) }
    }

    @Test("an address has at most 255 bytes")
    func addressLength() throws {
        let longest = Frame(repeating: 7, count: 255)
        #expect(try Envelope.split([longest, []]).envelope.frames == [longest, []])
        #expect(throws: WireError.self) { try Envelope.split([longest + [7], []]) }
    }

    @Test("a message of a DEALER without the empty frame is read as an envelope alone")
    func forgotten() throws {
        let (_, rest) = try Envelope.split([[1]] + body)
        #expect(rest.isEmpty)
        #expect(throws: WireError.self) { try Message(frames: rest) }
    }
}
