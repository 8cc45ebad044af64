import DequeModule

/// Messages read from a socket and not yet delivered: a line for each peer, served in turn, so that
/// a flooding peer delays the others by one of its messages at a time.
///
/// Memory is bounded here, not by libzmq, whose receive queues must never be full (see
/// ``SocketOptions``). When the queue is full, the longest line loses its last messages: flooding
/// peers share the memory, and a peer within its limits loses nothing.
struct ReceiveQueue {
    private struct Line {
        var messages: Deque<(frames: [Frame], key: PublicKey?, byteCount: Int)> = []
        var byteCount = 0
    }

    /// The memory of a frame beside its bytes.
    private static let frameOverhead = 64

    let byteCountMax: Int
    /// By the first frame: at a listening socket libzmq's id of the peer.
    private var lines: [Frame?: Line] = [:]
    /// Lines still to be served in this round.
    private var round: [Frame?] = []
    private(set) var byteCount = 0

    init(byteCountMax: Int = 64 << 20) { self.byteCountMax = byteCountMax }

    var isEmpty: Bool { lines.isEmpty }

    /// Puts a message at the end of its peer's line.
    ///
    /// - Returns: The number of messages dropped for room, nil for none. Every message that matters
    ///   is sent again until it is answered.
    mutating func add(_ frames: [Frame], from key: PublicKey? = nil) -> Int? {
        let size = frames.reduce(0) { $0 + $1.count + Self.frameOverhead }
        lines[frames.first, default: Line()].messages.append((frames, key, size))
        lines[frames.first]?.byteCount += size
        byteCount += size
        return byteCount > byteCountMax ? makeRoom() : nil
    }

    /// Halves the longest line from its end, so that the search for it is rare.
    private mutating func makeRoom() -> Int? {
        guard
            let (peer, longest) = lines.max(by: { $0.value.byteCount < $1.value.byteCount })
        else { return nil }
        var line = longest
        while line.byteCount > longest.byteCount / 2, let last = line.messages.popLast() {
            line.byteCount -= last.byteCount
        }
        byteCount -= longest.byteCount - line.byteCount
        lines[peer] = line.messages.isEmpty ? nil : line
        return longest.messages.count - line.messages.count
    }

    /// The next message: one of each line, then the next of each.
    mutating func next() -> (frames: [Frame], key: PublicKey?)? {
        while !lines.isEmpty {
            guard let peer = round.popLast() else {
                round = Array(lines.keys)
                continue
            }
            // Nil when the line lost its last messages since this round began.
            if let message = take(peer) { return message }
        }
        return nil
    }

    private mutating func take(_ peer: Frame?) -> (frames: [Frame], key: PublicKey?)? {
        guard let (frames, key, size) = lines[peer]?.messages.popFirst() else { return nil }
        byteCount -= size
        lines[peer]?.byteCount -= size
        if lines[peer]?.messages.isEmpty == true { lines[peer] = nil }
        return (frames, key)
    }
}
