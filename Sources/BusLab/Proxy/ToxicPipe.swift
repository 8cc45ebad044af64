import DequeModule

/// One direction of one proxied connection: which bytes come out, and when. Makes every decision
/// about toxics; has no clock, no sockets and no randomness but its seed.
///
/// The time is that of any clock that does not go backwards.
struct ToxicPipe {
    /// The bytes held before the sender is no longer read.
    static let queuedByteMax = 256 * 1024

    private var stages: [ToxicStage] = []
    private var queue: Deque<ToxicStage.Output> = []
    private var random: SeededGenerator
    /// Toxics that do not affect this connection by their toxicity, by name.
    private var spared: Set<String> = []
    /// Whether the sender has finished, or is gone.
    private(set) var hasEnded = false
    private var isOver = false
    private(set) var queuedByteCount = 0

    init(_ toxics: [Toxic], seed: UInt64, at time: Duration) {
        random = SeededGenerator(seed: seed)
        _ = toxicsChanged(toxics, at: time)
    }

    /// Whether bytes can be passed on unchanged.
    var isTransparent: Bool { stages.isEmpty && queue.isEmpty && !hasEnded && !isOver }

    /// Whether to read on from the sender.
    var wantsMore: Bool { !hasEnded && !isOver && queuedByteCount < Self.queuedByteMax }

    /// When ``next(at:)`` returns something again; nil: not before more is received.
    var nextDue: Duration? {
        guard !isOver else { return nil }
        let times = stages.compactMap(\.ending?.time) + (queue.first.map { [$0.time] } ?? [])
        return times.min().flatMap { $0 < ToxicStage.never ? $0 : nil }
    }

    mutating func received(_ bytes: [UInt8], at time: Duration) {
        // Read before the socket noticed the end: dropped with the rest.
        guard !hasEnded, !isOver, !bytes.isEmpty else { return }
        enter(.bytes(bytes), at: time)
    }

    /// The sender has finished.
    mutating func ended(at time: Duration) {
        guard !hasEnded, !isOver else { return }
        hasEnded = true
        enter(.end, at: time)
    }

    /// The sender is gone.
    mutating func broke(at time: Duration) {
        guard !isOver else { return }
        hasEnded = true
        enter(.reset, at: time)
    }

    /// Replaces the toxics of this direction. Those that stay keep their counts; data held by a
    /// removed one leaves at once.
    ///
    /// - Returns: `close` when a removed toxic had swallowed data.
    mutating func toxicsChanged(_ toxics: [Toxic], at time: Duration) -> ToxicAction? {
        guard !isOver else { return nil }
        spared.formIntersection(toxics.map(\.name))
        var old = Dictionary(uniqueKeysWithValues: stages.map { ($0.toxic.name, $0) })
        stages = toxics.compactMap { toxic in
            if var stage = old[toxic.name], stage.toxic.effect.type == toxic.effect.type {
                // A toxic with other attributes releases the data held by its former ones.
                if stage.toxic == toxic { old[toxic.name] = nil }
                stage.changed(to: toxic)
                return stage
            }
            guard !spared.contains(toxic.name) else { return nil }
            guard random.happens(toxic.toxicity) else {
                spared.insert(toxic.name)
                return nil
            }
            return ToxicStage(toxic, at: time)
        }
        let names = Set(stages.map(\.toxic.name))
        if old.values.contains(where: { $0.leavesGap && !names.contains($0.toxic.name) }) {
            isOver = true
            return .close
        }
        if stages.contains(where: { $0.toxic.effect == .blackhole }) {
            release(at: ToxicStage.never)
        } else if !old.isEmpty {
            release(at: time)
        }
        return nil
    }

    /// The next action due at this time, if any.
    mutating func next(at time: Duration) -> ToxicAction? {
        guard !isOver else { return nil }
        let endings = stages.compactMap(\.ending).filter { $0.time <= time }
        if let ending = endings.min(by: { $0.time < $1.time }) {
            return over(ending.action)
        }
        guard let first = queue.first, first.time <= time else { return nil }
        queue.removeFirst()
        queuedByteCount -= first.item.byteCount
        switch first.item {
        case .bytes(let bytes): return .forward(bytes)
        case .end: return .finish
        case .cut: return over(.close)
        case .reset: return over(.reset)
        }
    }

    private mutating func over(_ action: ToxicAction) -> ToxicAction {
        isOver = true
        queue.removeAll()
        queuedByteCount = 0
        return action
    }

    /// Passes an item through all stages; its time out of one is its time into the next.
    private mutating func enter(_ item: ToxicItem, at time: Duration) {
        var items = [ToxicStage.Output(item: item, time: time)]
        for index in stages.indices {
            items = items.flatMap { stages[index].pass($0.item, at: $0.time, using: &random) }
        }
        for output in items where output.item != .bytes([]) {
            if let last = queue.last, last.item == .cut { return }
            let time = max(output.time, queue.last?.time ?? .zero)
            queue.append(ToxicStage.Output(item: output.item, time: time))
            queuedByteCount += output.item.byteCount
        }
    }

    private mutating func release(at time: Duration) {
        queue = Deque(queue.map { ToxicStage.Output(item: $0.item, time: time) })
    }
}

/// An item on its way through one direction of a connection.
enum ToxicItem: Hashable, Sendable {
    case bytes([UInt8])
    /// The sender has finished (FIN).
    case end
    /// The sender is gone without an end.
    case reset
    /// A toxic cuts the connection here.
    case cut

    var byteCount: Int {
        if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }
}

/// An action of the connection's driver for one direction.
enum ToxicAction: Hashable, Sendable {
    /// Write to the receiving side.
    case forward([UInt8])
    /// Finish the receiving side's input (FIN).
    case finish
    /// Close both sides.
    case close
    /// Close both sides with RST.
    case reset
}

/// One toxic on one direction of one connection: which data comes out, and when. Keeps the order.
struct ToxicStage: Hashable {
    /// A time that never comes.
    static let never = Duration.seconds(1 << 40)
    /// Bandwidth is allotted in intervals of this length, so that data trickles.
    private static let bandwidthStep = 0.1

    struct Output: Hashable {
        let item: ToxicItem
        let time: Duration
    }

    private(set) var toxic: Toxic
    /// When it began to affect this connection.
    private let start: Duration
    private var freeAt = Duration.zero
    private var byteCount = 0
    private var messages = ZMTPSplitter()

    init(_ toxic: Toxic, at start: Duration) {
        self.toxic = toxic
        self.start = start
    }

    /// The same toxic with other attributes, keeping its counts.
    mutating func changed(to toxic: Toxic) { self.toxic = toxic }

    /// When it ends the connection by itself, and how.
    var ending: (time: Duration, action: ToxicAction)? {
        switch toxic.effect {
        case .timeout(let limit): limit > .zero ? (start + limit, .close) : nil
        case .resetPeer(let limit): (start + limit, .reset)
        case .latency, .bandwidth, .slowClose, .slicer, .limitData, .corrupt, .blackhole,
            .duplicate:
            nil
        }
    }

    /// Whether its removal ends the connection, because data that it swallowed is missing.
    var leavesGap: Bool {
        switch toxic.effect {
        case .timeout, .resetPeer: true
        case .duplicate: messages.isHolding
        case .latency, .bandwidth, .slowClose, .slicer, .limitData, .corrupt, .blackhole: false
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
        case (.bandwidth, _), (.slowClose, _), (.slicer, _), (.limitData, _), (.corrupt, _),
            (.duplicate, _):
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
        // The pipe drops everything after the cut.
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

/// Finds whole messages in a ZMTP 3 stream without encryption, so that they can be doubled. Any
/// other stream passes unchanged.
struct ZMTPSplitter: Hashable {
    /// Signature, version, mechanism and filler.
    private static let greetingLength = 64
    /// The longest message kept; a longer one is passed on in pieces, so that memory is bounded.
    private static let messageMax = 1 << 20

    private enum State: Hashable {
        case greeting(seen: Int)
        /// The frames of an incomplete message, not yet passed on.
        case frames
        /// Not ZMTP 3, encrypted, or a message above the limit: pass everything.
        case passive
    }

    private var state = State.greeting(seen: 0)
    private var greeting: [UInt8] = []
    private var pending: [UInt8] = []

    /// Whether it holds part of a message.
    var isHolding: Bool { !pending.isEmpty }

    /// - Parameter doubles: Called once for each whole message, never for commands.
    /// - Returns: The bytes to pass on now, with whole messages doubled. An incomplete message is
    ///   kept.
    mutating func received(_ bytes: [UInt8], doubles: () -> Bool) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        if case .greeting(let seen) = state {
            let part = rest.prefix(Self.greetingLength - seen)
            rest = rest.dropFirst(part.count)
            greeting += part
            output += part
            guard greeting.count == Self.greetingLength else {
                state = .greeting(seen: greeting.count)
                return output
            }
            state = isPlain ? .frames : .passive
        }
        guard state == .frames else { return output + rest }
        pending += rest
        while let length = messageLength() {
            let message = pending.prefix(length)
            output += message
            if message[message.startIndex] & 0x04 == 0, doubles() { output += message }
            pending.removeFirst(length)
        }
        if pending.count > Self.messageMax {
            state = .passive
            output += pending
            pending = []
        }
        return output
    }

    /// Version 3 with mechanism NULL.
    private var isPlain: Bool {
        greeting[0] == 0xFF && greeting[9] == 0x7F && greeting[10] >= 3
            && Array(greeting[12..<17]) == Array("NULL".utf8) + [0]
    }

    /// The length of the first message in the pending bytes; nil while it is incomplete.
    private func messageLength() -> Int? {
        var position = pending.startIndex
        while position < pending.endIndex {
            let flags = pending[position]
            let sizeLength = flags & 0x02 == 0 ? 1 : 8
            guard position + 1 + sizeLength <= pending.endIndex else { return nil }
            let size = pending[(position + 1)..<(position + 1 + sizeLength)]
                .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard size <= UInt64(Self.messageMax) else { return nil }
            position += 1 + sizeLength + Int(size)
            guard position <= pending.endIndex else { return nil }
            if flags & 0x01 == 0 { return position - pending.startIndex }
        }
        return nil
    }
}
