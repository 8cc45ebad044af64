/// One toxic at work on one direction of one connection: says what comes out of what goes in, and
/// when. Order is kept: nothing overtakes.
struct ToxicStage: Hashable {
    /// A moment that never comes.
    static let never = Duration.seconds(1 << 40)
    /// Bandwidth is given out in pieces of this length, so that data trickles.
    private static let bandwidthStep = 0.1

    struct Output: Hashable {
        let item: ToxicItem
        let time: Duration
    }

    private(set) var toxic: Toxic
    /// When it took hold of this connection.
    private let start: Duration
    private var freeAt = Duration.zero
    private var byteCount = 0
    private var messages = ZMTPSplitter()

    init(_ toxic: Toxic, at start: Duration) {
        self.toxic = toxic
        self.start = start
    }

    /// The same toxic with other attributes: what it has counted stays.
    mutating func changed(to toxic: Toxic) { self.toxic = toxic }

    /// When it ends the connection by itself, and how.
    var ending: (time: Duration, action: ToxicAction)? {
        switch toxic.effect {
        case .timeout(let limit) where limit > .zero: (start + limit, .close)
        case .resetPeer(let limit): (start + limit, .reset)
        default: nil
        }
    }

    /// Whether taking it away ends the connection: what it swallowed is missing.
    var leavesGap: Bool {
        switch toxic.effect {
        case .timeout, .resetPeer: true
        case .duplicate: messages.isHolding
        default: false
        }
    }

    mutating func pass(
        _ item: ToxicItem, at time: Duration, using random: inout SeededGenerator
    ) -> [Output] {
        let offset = byteCount
        byteCount += item.byteCount
        switch (toxic.effect, item) {
        case (.timeout, _), (.resetPeer, _):
            return []
        case (.blackhole, _):
            return [Output(item: item, time: Self.never)]
        case (.latency(let latency, let jitter), _):
            let swing = jitter == .zero ? .zero : random.duration(in: .zero - jitter...jitter)
            return [leave(item, at: time + max(.zero, latency + swing))]
        case (.bandwidth(let rate), .bytes(let bytes)):
            return trickle(bytes, at: time, bytesPerSecond: rate * 1_000)
        case (.slowClose(let delay), .end):
            return [leave(item, at: time + delay)]
        case (.slicer(let size, let variation, let delay), .bytes(let bytes)):
            return slice(bytes, at: time, size, variation, delay, &random)
        case (.limitData(let limit), .bytes(let bytes)):
            return limited(bytes, at: time, rest: limit - offset)
        case (.corrupt(let probability, let position), .bytes(var bytes)):
            corrupt(&bytes, from: offset, probability, position, &random)
            return [leave(.bytes(bytes), at: time)]
        case (.duplicate(let probability), .bytes(let bytes)):
            let doubled = messages.received(bytes) { random.happens(probability) }
            return [leave(.bytes(doubled), at: time)]
        default:
            return [leave(item, at: time)]
        }
    }

    private mutating func leave(_ item: ToxicItem, at time: Duration) -> Output {
        freeAt = max(freeAt, time)
        return Output(item: item, time: freeAt)
    }

    private mutating func trickle(
        _ bytes: [UInt8], at time: Duration, bytesPerSecond: Int
    ) -> [Output] {
        let step = max(1, Int(Double(bytesPerSecond) * Self.bandwidthStep))
        var departure = max(freeAt, time)
        return stride(from: 0, to: bytes.count, by: step).map { start in
            let piece = bytes[start..<min(start + step, bytes.count)]
            departure += .seconds(Double(piece.count) / Double(bytesPerSecond))
            return leave(.bytes(Array(piece)), at: departure)
        }
    }

    private mutating func slice(
        _ bytes: [UInt8], at time: Duration, _ size: Int, _ variation: Int, _ delay: Duration,
        _ random: inout SeededGenerator
    ) -> [Output] {
        var outputs: [Output] = []
        var start = 0
        var departure = max(freeAt, time)
        while start < bytes.count {
            let length = max(1, size + Int.random(in: -variation...variation, using: &random))
            let end = min(bytes.count, start + length)
            departure += delay
            outputs.append(leave(.bytes(Array(bytes[start..<end])), at: departure))
            start = end
        }
        return outputs
    }

    private mutating func limited(_ bytes: [UInt8], at time: Duration, rest: Int) -> [Output] {
        guard bytes.count >= rest else { return [leave(.bytes(bytes), at: time)] }
        // Everything after the cut is dropped by the pipe.
        let last = Array(bytes.prefix(max(0, rest)))
        return (last.isEmpty ? [] : [leave(.bytes(last), at: time)]) + [leave(.cut, at: time)]
    }

    private func corrupt(
        _ bytes: inout [UInt8], from offset: Int, _ probability: Double, _ position: Int?,
        _ random: inout SeededGenerator
    ) {
        for index in bytes.indices
        where offset + index == position || (probability > 0 && random.happens(probability)) {
            bytes[index] ^= UInt8.random(in: 1...255, using: &random)
        }
    }
}
