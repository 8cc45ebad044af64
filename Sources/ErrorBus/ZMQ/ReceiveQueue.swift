import DequeModule

/// Messages that are off the sockets and wait for their turn: a line for each peer, served in
/// turn, so that one that floods delays the others by one message of its own at a time.
///
/// Memory is bounded here, not by libzmq, whose receive queues must never be full (see
/// ``SocketOptions``). When there is no room, the longest line loses its last messages: floods
/// share the memory alike, and a peer that keeps its limits loses nothing.
struct ReceiveQueue {
    private struct LineID: Hashable {
        let socket: SocketID
        /// The first frame: at a listening socket libzmq's name of the peer.
        let peer: Frame?
    }

    private struct Line {
        var messages: Deque<(frames: [Frame], byteCount: Int)> = []
        var byteCount = 0
    }

    /// What a frame takes beside its bytes.
    private static let frameOverhead = 64

    let byteCountMax: Int
    private var lines: [LineID: Line] = [:]
    /// Lines that still have a turn in this round.
    private var round: [LineID] = []
    private(set) var byteCount = 0

    init(byteCountMax: Int = 64 << 20) { self.byteCountMax = byteCountMax }

    var isEmpty: Bool { lines.isEmpty }

    /// Puts a message at the end of its peer's line.
    ///
    /// - Returns: Of which socket messages were dropped to make room, and how many. What matters is
    ///   sent again until it is answered.
    mutating func add(
        _ frames: [Frame], from socket: SocketID
    ) -> (socket: SocketID, count: Int)? {
        let size = frames.reduce(0) { $0 + $1.count + Self.frameOverhead }
        let id = LineID(socket: socket, peer: frames.first)
        lines[id, default: Line()].messages.append((frames, size))
        lines[id]?.byteCount += size
        byteCount += size
        return byteCount > byteCountMax ? makeRoom() : nil
    }

    /// Halves the longest line from its end, so that it is seldom looked for.
    private mutating func makeRoom() -> (socket: SocketID, count: Int)? {
        guard let (id, longest) = lines.max(by: { $0.value.byteCount < $1.value.byteCount }) else {
            return nil
        }
        var line = longest
        while line.byteCount > longest.byteCount / 2, let last = line.messages.popLast() {
            line.byteCount -= last.byteCount
        }
        byteCount -= longest.byteCount - line.byteCount
        lines[id] = line.messages.isEmpty ? nil : line
        return (id.socket, longest.messages.count - line.messages.count)
    }

    /// The next message: one of each line, then the next of each.
    mutating func next() -> (frames: [Frame], socket: SocketID)? {
        while !lines.isEmpty {
            guard let id = round.popLast() else {
                round = Array(lines.keys)
                continue
            }
            // Nil: its socket was closed, or the line served, since this round began.
            if let frames = take(id) { return (frames, id.socket) }
        }
        return nil
    }

    /// The next message of a socket.
    mutating func next(from socket: SocketID) -> [Frame]? {
        lines.keys.first { $0.socket == socket }.flatMap { take($0) }
    }

    mutating func remove(_ socket: SocketID) {
        for (id, line) in lines where id.socket == socket {
            byteCount -= line.byteCount
            lines[id] = nil
        }
    }

    private mutating func take(_ id: LineID) -> [Frame]? {
        guard let (frames, size) = lines[id]?.messages.popFirst() else { return nil }
        byteCount -= size
        lines[id]?.byteCount -= size
        if lines[id]?.messages.isEmpty == true { lines[id] = nil }
        return frames
    }
}
