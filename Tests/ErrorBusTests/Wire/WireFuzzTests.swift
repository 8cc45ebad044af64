import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Any frames give a message or a refusal; never a trap, and never a message that is written
/// otherwise than it would be read.
@Suite struct WireFuzzTests {
    @Test("F11 random frames", arguments: 1...4 as ClosedRange<UInt64>)
    func random(_ seed: UInt64) {
        var generator = FuzzGenerator(seed: seed)
        for _ in 0..<20_000 {
            let frames = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                bytes(Int.random(in: 0...24, using: &generator), &generator)
            }
            check(frames)
            if let (_, body) = try? Envelope.split(frames) { check(Array(body)) }
        }
    }

    @Test("F11 mutated messages", arguments: 5...8 as ClosedRange<UInt64>)
    func mutated(_ seed: UInt64) {
        var generator = FuzzGenerator(seed: seed)
        let originals = Message.samples.map(\.frames)
        for _ in 0..<30_000 {
            var frames = originals[Int.random(in: 0..<originals.count, using: &generator)]
            for _ in 0...Int.random(in: 0...2, using: &generator) { mutate(&frames, &generator) }
            check(frames)
        }
    }

    private func check(_ frames: [Frame]) {
        do throws(WireError) {
            let message = try Message(frames: frames[...])
            let again = try Message(frames: message.frames[...])
            if message.hasFreeText { return }
            if again != message { Issue.record("\(frames) is \(message), then \(again)") }
        } catch {
            if error.reason.isEmpty { Issue.record("no reason for \(frames)") }
        }
    }

    private func bytes(_ count: Int, _ generator: inout FuzzGenerator) -> Frame {
        let alphabet = Array("EB1aid: \nPRESENT{}\"0129-\0\r\u{E4}".utf8)
        return (0..<count).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        }
    }

    private func mutate(_ frames: inout [Frame], _ generator: inout FuzzGenerator) {
        let place = Int.random(in: 0..<max(frames.count, 1), using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0 where frames.count > 1: frames.remove(at: place)
        case 1: frames.insert(bytes(4, &generator), at: min(place, frames.count))
        case 2 where frames.count > 1: frames.swapAt(place, frames.count - 1)
        default:
            guard frames.count > 2 else { return }
            var header = frames[2]
            guard !header.isEmpty else { return }
            let at = Int.random(in: 0..<header.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: header[at] = UInt8.random(in: 0...255, using: &generator)
            case 1: header.remove(at: at)
            case 2: header.insert(UInt8.random(in: 0...255, using: &generator), at: at)
            default: header.removeSubrange(at...)
            }
            frames[2] = header
        }
    }
}

extension Message {
    /// Its text may hold spaces at an end or C1 controls, which a writer leaves out.
    fileprivate var hasFreeText: Bool {
        switch self {
        case .answer, .reject, .bye, .pending, .present: true
        default: false
        }
    }
}
