import DequeModule

/// One direction of one proxied connection: what goes in, what comes out and when. Decides
/// everything about toxics; has no clock, no sockets and no randomness but its seed.
///
/// Time is that of any clock that does not go backwards.
struct ToxicPipe {
    /// Bytes held before the sender is no longer read from.
    static let queuedByteMax = 256 * 1024

    private var stages: [ToxicStage] = []
    private var queue: Deque<ToxicStage.Output> = []
    private var random: SeededGenerator
    /// Toxics whose toxicity left this connection alone, by name.
    private var spared: Set<String> = []
    /// Whether the sender has said that nothing more comes, or is gone.
    private(set) var hasEnded = false
    private var isOver = false
    private(set) var queuedByteCount = 0

    init(_ toxics: [Toxic], seed: UInt64, at time: Duration) {
        random = SeededGenerator(seed: seed)
        _ = toxicsChanged(toxics, at: time)
    }

    /// Whether bytes can be passed on as they come.
    var isTransparent: Bool { stages.isEmpty && queue.isEmpty && !hasEnded && !isOver }

    /// Whether to read on from the sender.
    var wantsMore: Bool { !hasEnded && !isOver && queuedByteCount < Self.queuedByteMax }

    /// When ``next(at:)`` has something again; nil: not before something is received.
    var nextDue: Duration? {
        guard !isOver else { return nil }
        let times = stages.compactMap(\.ending?.time) + (queue.first.map { [$0.time] } ?? [])
        return times.min().flatMap { $0 < ToxicStage.never ? $0 : nil }
    }

    mutating func received(_ bytes: [UInt8], at time: Duration) {
        // What comes after the end was read before the socket noticed: dropped with the rest.
        guard !hasEnded, !isOver, !bytes.isEmpty else { return }
        enter(.bytes(bytes), at: time)
    }

    /// The sender has nothing more to say.
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

    /// The toxics of this direction are now these. Those that stay keep what they have counted;
    /// when one goes, what it held back leaves at once.
    ///
    /// - Returns: `close` when a toxic went that had swallowed data.
    mutating func toxicsChanged(_ toxics: [Toxic], at time: Duration) -> ToxicAction? {
        guard !isOver else { return nil }
        spared.formIntersection(toxics.map(\.name))
        var old = Dictionary(uniqueKeysWithValues: stages.map { ($0.toxic.name, $0) })
        stages = toxics.compactMap { toxic in
            if var stage = old[toxic.name], stage.toxic.effect.type == toxic.effect.type {
                // One with other attributes lets go of what the former ones held.
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

    /// The next thing to do by this time, if any.
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

    /// Through all stages; each item's time out of one is its time into the next.
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
