import DequeModule

/// Messages read from a socket and not yet delivered: a line for each key, or for each peer without
/// a key, served in turn, so that a flooding peer delays the others by one of its messages at a
/// time, however many connections it has.
///
/// Memory is bounded here, not by libzmq, whose receive queues must never be full (see
/// ``SocketOptions``). When the queue is full, the longest line loses its last messages: flooding
/// peers share the memory, and a peer within its limits loses nothing.
struct ReceiveQueue {
    /// The source of messages that has a line of its own.
    private enum Source: Hashable {
        case key(PublicKey)
        /// A peer by the first frame, libzmq's id of it.
        case peer(Frame?)
        case parent
    }

    private struct Line {
        typealias Message = (frames: [Frame], key: PublicKey?, byteCount: Int)

        var messages: Deque<Message> = []
        var byteCount = 0

        mutating func append(_ message: Message) {
            messages.append(message)
            byteCount += message.byteCount
        }

        mutating func popFirst() -> Message? {
            guard let message = messages.popFirst() else { return nil }
            byteCount -= message.byteCount
            return message
        }
    }

    /// The memory of a frame beside its bytes.
    private static let frameOverhead = 64
    /// The most bytes dropped at a time beyond the needed ones: freeing a line of a hundred
    /// thousand messages takes tens of milliseconds, for which all peers would wait.
    static let dropByteCountMax = 256 << 10

    /// Whether there is one peer, a parent, which the first frame does not name.
    let isOfParent: Bool
    let byteCountMax: Int
    private var lines: [Source: Line] = [:]
    /// The lines still to be served in this round.
    private var round: [Source] = []
    private(set) var byteCount = 0
    /// The size that the longest line kept when messages were last dropped.
    private var cutTo = Int.max

    init(isOfParent: Bool = false, byteCountMax: Int = 64 << 20) {
        self.isOfParent = isOfParent
        self.byteCountMax = byteCountMax
    }

    var isEmpty: Bool { lines.isEmpty }
    var lineCount: Int { lines.count }

    /// Whether a message of this peer may be added. While the queue is almost full, a line as long
    /// as the longest one after its last loss would lose this message in turn, so the message need
    /// not be copied first. The longest line of that time may be far shorter than the longest one
    /// now, so a line of less than half the mean has room in any case: it loses nothing.
    ///
    /// - Parameter peer: The first frame; nil at a connecting socket.
    func hasRoom(for peer: Frame?, key: PublicKey?) -> Bool {
        guard byteCount + Self.dropByteCountMax >= byteCountMax else { return true }
        guard let line = lines[source(of: peer, key)] else { return true }
        return line.byteCount < max(cutTo, byteCount / lines.count / 2)
    }

    /// Puts a message at the end of its peer's line.
    ///
    /// - Returns: The number of messages dropped for room, nil for none. Every message that matters
    ///   is sent again until it is answered.
    mutating func add(_ frames: [Frame], from key: PublicKey? = nil) -> Int? {
        let size = frames.reduce(0) { $0 + $1.count + Self.frameOverhead }
        let source = source(of: frames.first, key)
        lines[source, default: Line()].append((frames, key, size))
        byteCount += size
        return byteCount > byteCountMax ? makeRoom() : nil
    }

    private func source(of peer: Frame?, _ key: PublicKey?) -> Source {
        isOfParent ? .parent : key.map(Source.key) ?? .peer(peer)
    }

    /// Takes the last messages of the longest line: half of it, so that the search for it is rare,
    /// and no more than ``dropByteCountMax``.
    private mutating func makeRoom() -> Int? {
        guard
            let (source, size) = lines.lazy.map({ ($0.key, $0.value.byteCount) })
                .max(by: { $0.1 < $1.1 })
        else { return nil }
        let goal = min(byteCountMax, byteCount - min(size / 2, Self.dropByteCountMax))
        var count = 0
        while byteCount > goal, let last = lines[source]?.messages.popLast() {
            lines[source]?.byteCount -= last.byteCount
            byteCount -= last.byteCount
            count += 1
        }
        if lines[source]?.messages.isEmpty == true { lines[source] = nil }
        cutTo = lines[source]?.byteCount ?? .max
        return count
    }

    /// The next message: the first of each line in turn, then the second of each, and so on.
    mutating func next() -> (frames: [Frame], key: PublicKey?)? {
        while !lines.isEmpty {
            guard let source = round.popLast() else {
                round = Array(lines.keys)
                continue
            }
            // Nil when the line lost its last messages since this round began.
            if let message = take(source) { return message }
        }
        return nil
    }

    private mutating func take(_ source: Source) -> (frames: [Frame], key: PublicKey?)? {
        // By its place: each look by the source hashes it.
        guard let place = lines.index(forKey: source),
            let (frames, key, size) = lines.values[place].popFirst()
        else { return nil }
        byteCount -= size
        if lines.values[place].messages.isEmpty { lines.remove(at: place) }
        return (frames, key)
    }
}
