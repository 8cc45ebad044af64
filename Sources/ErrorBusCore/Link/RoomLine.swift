import DequeModule

/// The presentations that wait until the parent has room: first those that a parent held before,
/// whose prompts are in front of people, then a line for each origin, the oldest first, and each
/// origin in turn, so that the storm of one origin does not keep the others waiting.
struct RoomLine: Sendable {
    private var held = DeadlineQueue<PresentationID>()
    private var lines: [NodeName: DeadlineQueue<PresentationID>] = [:]
    private var turns: Deque<NodeName> = []
    /// The number of presentations in the lines of origins.
    private var lineCount = 0
    var count: Int { held.count + lineCount }
    var ids: [PresentationID] {
        (held.keys + lines.values.flatMap(\.keys)).sorted(by: PresentationID.areInOrder)
    }

    /// The number of origins with a line; an empty line counts until its turn.
    var originCount: Int { lines.count }

    mutating func put(
        _ id: PresentationID, of origin: NodeName, since: MonotonicTime, wasHeld: Bool
    ) {
        guard !wasHeld else { return held.plan(id, at: since) }
        if lines[origin] == nil {
            lines[origin] = DeadlineQueue()
            turns.append(origin)
        }
        plan(id, of: origin, at: since)
    }

    mutating func remove(_ id: PresentationID, of origin: NodeName) {
        held.plan(id, at: nil)
        plan(id, of: origin, at: nil)
        dropEmptyLines()
    }

    /// Drops all empty lines once they outnumber the waiting presentations: O(1) for each removal.
    private mutating func dropEmptyLines() {
        guard lines.count > 2 * lineCount + 8 else { return }
        lines = lines.filter { $0.value.count > 0 }
        turns.removeAll { lines[$0] == nil }
    }

    private mutating func plan(
        _ id: PresentationID, of origin: NodeName, at time: MonotonicTime?
    ) {
        guard time != nil || lineCount > 0, let place = lines.index(forKey: origin) else { return }
        lineCount -= lines.values[place].count
        lines.values[place].plan(id, at: time)
        lineCount += lines.values[place].count
    }

    mutating func popFirst() -> PresentationID? {
        if let id = held.popFirst() { return id }
        while let origin = turns.popFirst() {
            guard let id = lines[origin]?.popFirst() else {
                lines[origin] = nil
                continue
            }
            turns.append(origin)
            lineCount -= 1
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
    /// The time of the next batch; nil unless the last batch was full.
    var nextBatch: MonotonicTime?
    /// Whether the callers have no report that they wait for room: there is room for all, if only
    /// some milliseconds later.
    var isSilent = true
}

// A parent says how many presentations it takes. What is more waits here, in order, and is sent as
// others end; a refusal all the same makes one wait for the time it says, and then tries one.
extension UplinkMachine {
    /// The most milliseconds for which a late tick catches up.
    private static let lateMillisecondsMax: UInt64 = 50

    /// Whether a waiting presentation can be sent.
    private var hasRoom: Bool {
        isLive && !isLeaving && line.count > 0 && room.pausedUntil == nil && unread.haveRoom
            && placedCount < room.most
    }

    /// The next due time of the presentations that wait for room.
    var roomDue: MonotonicTime? {
        guard isLive, !isLeaving, line.count > 0 else { return nil }
        return room.pausedUntil ?? (hasRoom ? room.nextBatch : nil)
    }

    /// Asks for as many presentations as there is room for, so many for each millisecond: a parent
    /// that refuses one gets no more. A tick that comes late catches up. Returns their number.
    @discardableResult
    mutating func fillRoom(at now: MonotonicTime) -> Int {
        if let until = room.pausedUntil, isLive, !isLeaving, line.count > 0, now >= until {
            room = ParentRoom(
                most: max(room.most, placedCount + 1), isSilent: room.isSilent)
        }
        if let next = room.nextBatch, now < next { return 0 }
        let late = room.nextBatch.map { min(now.since($0), Self.lateMillisecondsMax) } ?? 0
        let most = times.pacePerMillisecond * Int(late + 1)
        var count = 0
        while count < most, hasRoom, let id = line.popFirst() {
            guard var entry = entries[id] else { continue }
            entry.askAnew(at: now)
            if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            store(entry, id)
            count += 1
        }
        room.nextBatch = count < most ? nil : now + 1
        return count
    }

    /// Reports once to all that wait for room, as soon as there is not room for all of them.
    mutating func reportWaiting() -> [UplinkAction] {
        if line.count == 0 { room.isSilent = true }
        guard isLive, !isLeaving, room.isSilent, line.count > 0, !hasRoomForAll else { return [] }
        room.isSilent = false
        return line.ids.flatMap { waitsHere($0) }
    }

    /// The number of further batches that there is room for.
    var roomBatchCount: Int {
        let count = min(line.count, max(0, room.most - placedCount))
        return (count + times.pacePerMillisecond - 1) / times.pacePerMillisecond
    }

    /// WELCOME on a new link, whose parent has not refused any presentation.
    mutating func openRoom(_ welcome: Message.Welcome) {
        room = ParentRoom(most: max(1, Int(welcome.maxOpen)))
    }

    /// The parent refused a presentation for want of room.
    mutating func roomEnded(
        for id: PresentationID, until time: MonotonicTime
    ) -> [UplinkAction] {
        room = ParentRoom(
            most: min(room.most, placedCount), pausedUntil: time, isSilent: room.isSilent)
        return waitsHere(id)
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

    /// Whether all that waits can be sent, if only some milliseconds later.
    private var hasRoomForAll: Bool {
        room.pausedUntil == nil && !unread.isSlow && placedCount + line.count <= room.most
    }

    /// Reports that a presentation which waits for room is behind others here. Unless that parent
    /// has refused it, its grace does not run: it begins once the presentation is sent, or the link
    /// is lost.
    mutating func waitsHere(_ id: PresentationID) -> [UplinkAction] {
        guard isLive, !isLeaving, !room.isSilent, var entry = entries[id], entry.isWaiting else {
            return []
        }
        if entry.request.grace != nil, entry.lastRefusal == nil, entry.outOfContactSince != nil {
            entry.outOfContactSince = nil
            store(entry, id)
        }
        return [.moved(id, .queued, by: name.description), .crowded(waitingCount: line.count)]
    }
}
