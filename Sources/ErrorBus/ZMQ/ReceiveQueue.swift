import DequeModule

/// Messages that are off the sockets and wait for their turn: a line for each peer, served in
/// turn, so that one that floods delays the others by one message of its own at a time.
///
/// Memory is bounded here, not by libzmq, whose receive queues must never be full (see
/// ``SocketOptions``). A line may grow to what all lines together leave free: a single flood takes
/// half, of a hundred each takes a hundred-first part, and there is always room for one more peer.
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

    /// False when there is no room: the message is dropped. What matters is sent again until it is
    /// answered.
    mutating func add(_ frames: [Frame], from socket: SocketID) -> Bool {
        let size = frames.reduce(0) { $0 + $1.count + Self.frameOverhead }
        let id = LineID(socket: socket, peer: frames.first)
        let lineByteCount = lines[id]?.byteCount ?? 0
        guard lineByteCount + size <= byteCountMax - byteCount else { return false }
        lines[id, default: Line()].messages.append((frames, size))
        lines[id]?.byteCount += size
        byteCount += size
        return true
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
