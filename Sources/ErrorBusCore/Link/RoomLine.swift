import DequeModule

/// The presentations that wait until the parent has room: a line for each origin, the oldest first,
/// and each origin in turn, so that the storm of one origin does not keep the others waiting.
struct RoomLine: Sendable {
    private var lines: [NodeName: DeadlineQueue<PresentationID>] = [:]
    private var turns: Deque<NodeName> = []
    private(set) var count = 0
    /// The number of origins with a line; an empty line counts until its turn.
    var originCount: Int { lines.count }

    mutating func put(_ id: PresentationID, of origin: NodeName, since: MonotonicTime) {
        if lines[origin] == nil {
            lines[origin] = DeadlineQueue()
            turns.append(origin)
        }
        plan(id, of: origin, at: since)
    }

    mutating func remove(_ id: PresentationID, of origin: NodeName) {
        plan(id, of: origin, at: nil)
        dropEmptyLines()
    }

    /// Drops all empty lines once they outnumber the waiting presentations: O(1) for each removal.
    private mutating func dropEmptyLines() {
        guard lines.count > 2 * count + 8 else { return }
        lines = lines.filter { $0.value.count > 0 }
        turns.removeAll { lines[$0] == nil }
    }

    private mutating func plan(
        _ id: PresentationID, of origin: NodeName, at time: MonotonicTime?
    ) {
        let before = lines[origin]?.count ?? 0
        lines[origin]?.plan(id, at: time)
        count += (lines[origin]?.count ?? 0) - before
    }

    mutating func popFirst() -> PresentationID? {
        while let origin = turns.popFirst() {
            guard let id = lines[origin]?.popFirst() else {
                lines[origin] = nil
                continue
            }
            turns.append(origin)
            count -= 1
            return id
        }
        return nil
    }
}

/// The room of a parent for presentations, as far as it has said (section 7).
struct ParentRoom: Hashable, Sendable {
    /// The most presentations: fewer than in WELCOME once the parent has refused one for want of
    /// room.
    var most = 0
    /// The time of the next try after a refusal.
    var pausedUntil: MonotonicTime?
}

// A parent says how many presentations it takes. What is more waits here, in order, and is sent as
// others end; a refusal all the same makes one wait for the time it says, and then tries one.
extension UplinkMachine {
    /// Whether a waiting presentation can be sent.
    private var hasRoom: Bool {
        isLive && !isLeaving && line.count > 0 && room.pausedUntil == nil && unread.haveRoom
            && placedCount < room.most
    }

    /// The next due time of the presentations that wait for room.
    var roomDue: MonotonicTime? {
        isLive && !isLeaving && line.count > 0 ? room.pausedUntil : nil
    }

    /// Plans as many presentations as there is room for, first the ones that the parent held
    /// before; returns their number.
    @discardableResult
    mutating func fillRoom(at now: MonotonicTime) -> Int {
        if let until = roomDue, now >= until {
            room = ParentRoom(most: max(room.most, placedCount + 1))
        }
        var position = 0
        while hasRoom, let id = line.popFirst() {
            guard var entry = entries[id] else { continue }
            entry.askAnew(at: now + UInt64(position / times.pacePerMillisecond))
            store(entry, id)
            position += 1
        }
        return position
    }

    /// WELCOME on a new link, whose parent has not refused any presentation.
    mutating func openRoom(_ welcome: Message.Welcome) {
        room = ParentRoom(most: max(1, Int(welcome.maxOpen)))
    }

    /// The parent refused a presentation for want of room.
    mutating func roomEnded(until time: MonotonicTime) {
        room = ParentRoom(most: min(room.most, placedCount), pausedUntil: time)
    }

    /// The parent accepted or answered a presentation. After a refusal each of these lets two more
    /// follow.
    mutating func roomFound() {
        guard let most = welcome.map({ Int($0.maxOpen) }) else { return }
        if room.most < most { room.most = min(most, room.most + 2) }
    }

    /// WELCOME on a live link: the parent takes more presentations than it said before.
    mutating func roomGrew(_ welcome: Message.Welcome, at now: MonotonicTime) -> [UplinkAction]? {
        guard isLive, let former = self.welcome, former.boot == welcome.boot,
            former.maxOpen < welcome.maxOpen
        else { return nil }
        self.welcome?.maxOpen = welcome.maxOpen
        if room.most == Int(former.maxOpen) { room.most = Int(welcome.maxOpen) }
        return ticked(at: now)
    }

    /// Reports that a presentation which waits for room is behind others here.
    func waitsHere(_ id: PresentationID) -> [UplinkAction] {
        guard isLive, !isLeaving, case .waiting = entries[id]?.phase else { return [] }
        return [.moved(id, .queued, by: name.description), .crowded(waitingCount: line.count)]
    }
}
