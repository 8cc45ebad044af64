/// The child's side of a link: it keeps contact to one of the parents, and keeps each presentation
/// until it is answered, despite losses. Pure: time comes in, actions go out.
///
/// Rules and numbers are docs/wire.md's; a comment names the rule of section 8, or another section,
/// where the code is one.
package struct UplinkMachine: Sendable {
    enum LinkState: Hashable, Sendable {
        /// Before ``started(at:)``. Becomes opening.
        case idle
        /// A socket is open, no peer at the other end yet. Becomes greeting, waiting.
        case opening(since: MonotonicTime)
        /// HELLO is sent until WELCOME comes. Becomes live, waiting.
        case greeting(since: MonotonicTime, nextHello: MonotonicTime)
        /// Becomes waiting, both when the connection is lost and when it is given up.
        case live(Live)
        /// No socket is open until a time. Becomes opening.
        case waiting(until: MonotonicTime)
        /// Final.
        case closed
    }

    struct Live: Hashable, Sendable {
        var heardAt: MonotonicTime
        var pingedAt: MonotonicTime?
    }

    let name: NodeName
    let boot: BootID
    let parentCount: Int
    package let times: LinkTimes
    let limits: LinkLimits

    var link = LinkState.idle
    var parent = 0
    /// The state of the switch to another parent.
    var returning = ReturnState.none
    var preferred = 0
    /// The number of times that the return was postponed because of messages under way.
    var putOffCount = 0
    /// Failed attempts of the return.
    var probeFailures = 0
    /// The time since when the parent in use has reported no way up for open presentations.
    var cutOffSince: MonotonicTime?
    var failures = 0
    /// The state of each parent, in order.
    var parents: [UplinkParent]
    var startedAt = MonotonicTime(milliseconds: 0)
    var pingNumber: UInt64 = 0
    /// The reason why the link is not live, as far as known; the detail of an "unreachable"
    /// outcome.
    var lastFailure: String?
    /// The parent's WELCOME.
    var welcome: Message.Welcome?
    var entries = EntryTable<UplinkEntry>()
    /// The number of entries that wait for an answer.
    var openCount = 0
    /// Entries that wait until the parent has room.
    var line = RoomLine()
    var room = ParentRoom()
    var unread: UnreadBytes
    /// The number of entries that take a place at the parent.
    var placedCount = 0
    var counters = LinkCounters()
    /// The next check of each entry.
    var plans = DeadlineQueue<PresentationID>()
    /// The entries that wait for a reply of the parent, or owe it one.
    var between: Set<PresentationID> = []
    /// The entries of ``between`` that the parent has not released yet.
    var unreleased: Set<PresentationID> = []
    /// Entries that only keep a result or a withdrawal, with their expiry.
    var remembered = DeadlineQueue<PresentationID>()
    /// Results and withdrawals of presentations of an earlier life of this node, with their expiry.
    var passedOn = DeadlineQueue<PresentationID>()
    var jitter: Jitter

    package init(
        name: NodeName, boot: BootID, parentCount: Int, times: LinkTimes = LinkTimes(),
        limits: LinkLimits = LinkLimits(), seed: UInt64
    ) {
        precondition(parentCount > 0, "an uplink without a parent")
        self.name = name
        self.boot = boot
        self.parentCount = parentCount
        parents = Array(repeating: UplinkParent(), count: parentCount)
        self.times = times
        self.limits = limits
        unread = UnreadBytes(byteCountMax: limits.unreadByteCountMax)
        jitter = Jitter(seed: seed)
    }

    var isLive: Bool {
        if case .live = link { true } else { false }
    }

    /// Whether only the time was too short for a presentation that is not accepted yet: there is a
    /// link, and the parent refused nothing on it.
    var isTooSoon: Bool { isLive && lastFailure == nil }

    /// The reason why no presentation is accepted yet, for an "unreachable" that a person can act
    /// on.
    var whyNotAccepted: String {
        if let lastFailure { return lastFailure }
        switch link {
        case .idle: return "the node is not running yet"
        case .opening, .waiting: return "no node answers there"
        case .greeting: return "connected, but no WELCOME came"
        case .live: return "connected, but no node above has accepted it yet"
        case .closed: return "the node is going down"
        }
    }

    // MARK: Link

    package mutating func started(at now: MonotonicTime) -> [UplinkAction] {
        guard link == .idle else { preconditionFailure("started twice: \(link)") }
        startedAt = now
        for index in parents.indices { parents[index].since = now }
        link = .opening(since: now)
        return [.open(parent: parent)]
    }

    /// The transport's connection is up, its handshake done.
    package mutating func connected(at now: MonotonicTime) -> [UplinkAction] {
        switch link {
        case .opening:
            link = .greeting(since: now, nextHello: now + times.helloAgainAfter)
            return [.send(hello)]
        case .greeting, .live, .idle, .waiting, .closed:
            // A race: an event of a connection that has been replaced.
            return []
        }
    }

    /// The transport lost the connection. The child first tries a parent that was live again; it
    /// gives up a parent that never sent WELCOME.
    package mutating func disconnected(_ reason: String, at now: MonotonicTime) -> [UplinkAction] {
        switch link {
        case .greeting: return giveUp(reason, at: now)
        case .live:
            lastFailure = reason
            noteDown(parent, reason, at: now)
            link = .waiting(until: now + times.rebuildAfter + jitter(upTo: times.rebuildAfter / 4))
            return [.close] + lost(reason, at: now)
        case .opening, .idle, .waiting, .closed: return []
        }
    }

    private mutating func jitter(upTo most: UInt64) -> UInt64 { jitter.milliseconds(in: 0...most) }

    /// Closes the socket and tries again later, with the next parent in the list.
    package mutating func giveUp(
        _ reason: String, pause: UInt64? = nil, isRefusal: Bool = false, at now: MonotonicTime
    ) -> [UplinkAction] {
        switch link {
        case .idle, .waiting, .closed: return []  // A race: it was given up before.
        case .opening, .greeting, .live: break
        }
        let wasLive = isLive
        lastFailure = reason
        let backOff = min(times.rebuildAfterMax, times.rebuildAfter << UInt64(min(failures, 6)))
        failures += 1
        noteDown(parent, reason, isRefusal: isRefusal, at: now)
        parent = (parent + 1) % parentCount
        link = .waiting(until: now + (pause ?? backOff + jitter(upTo: backOff / 4)))
        return [.close] + (wasLive ? lost(reason, at: now) : [])
    }

    private mutating func lost(_ reason: String, at now: MonotonicTime) -> [UplinkAction] {
        cutOffSince = nil
        var actions: [UplinkAction] = [.linkDown(reason: reason)] + stopReturn()
        for id in openIDs {
            guard var entry = entries[id] else { continue }
            if case .moving = entry.phase { entry.phase = .waiting }
            if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            store(entry, id)
            actions.append(.moved(id, .unreachable, by: welcome?.node.description))
        }
        return actions
    }

    /// WELCOME: everything open is presented again, paced, since the parent may be a new life or
    /// may have lost messages under way (section 7).
    mutating func welcomed(_ welcome: Message.Welcome, at now: MonotonicTime) -> [UplinkAction] {
        guard case .greeting = link else {
            return roomGrew(welcome, at: now)
                ?? [.dropped(Anomaly(kind: .duplicate, detail: "WELCOME on a link that is up"))]
        }
        return settledIn(welcome, heardAt: now, at: now)
    }

    /// The link to ``parent`` is live.
    ///
    /// - Parameter heardAt: The time of the parent's last message.
    mutating func settledIn(
        _ welcome: Message.Welcome, heardAt: MonotonicTime, at now: MonotonicTime
    ) -> [UplinkAction] {
        link = .live(Live(heardAt: heardAt))
        failures = 0
        cutOffSince = nil
        lastFailure = nil
        self.welcome = welcome
        let mayHaveLapsed = mayHaveLapsed(welcome.boot, at: now)
        noteUp(welcome, at: now)
        planReturn(at: now)
        openRoom(welcome)
        unread = UnreadBytes(byteCountMax: limits.unreadByteCountMax)
        var position = 0
        for id in entries.wholeKeys.sorted(by: PresentationID.areInOrder) {
            guard var entry = entries[id] else { continue }
            switch entry.phase {
            case .asking, .accepted, .moving: entry.phase = .waiting
            case .withdrawing(let reason, _, _):
                let next = now + UInt64(position / times.pacePerMillisecond)
                entry.phase = .withdrawing(reason, next: next, tries: 0)
                position += 1
            case .waiting: break
            case .answered, .settled, .gone: continue
            }
            entry.noteNewLink()
            store(entry, id)
        }
        position += fillRoom(at: now)
        // Results follow also those that come in the next milliseconds.
        position += roomBatchCount * times.pacePerMillisecond
        tellResults(after: position, mayHaveLapsed: mayHaveLapsed, at: now)
        return [.linkUp(welcome)] + ticked(at: now)
    }

    var hello: Message { .hello(Message.Hello(from: name, boot: boot)) }

    /// The node stops: it withdraws its own presentations; children present theirs again. The
    /// driver closes the socket once these messages are sent.
    mutating func stopped(at now: MonotonicTime) -> [UplinkAction] {
        let wasLive = isLive
        link = .closed
        let actions = stopReturn()
        guard wasLive else { return actions }
        let own = openIDs.compactMap { entries[$0] }.filter { !$0.request.isForwarded }
        return actions + own.map { .send($0.withdrawal(for: .origin)) }
            + [.send(.bye(reason: "shutdown"))]
    }

    /// The ids of open entries in order, so that equal machines act alike.
    var openIDs: [PresentationID] {
        entries.keys(where: \.isOpen).sorted(by: PresentationID.areInOrder)
    }
}

extension PresentationID {
    static func areInOrder(_ left: Self, _ right: Self) -> Bool {
        left.value.isBefore(right.value)
    }
}

extension UniqueID {
    /// The order in which version 7 ids were made.
    func isBefore(_ other: UniqueID) -> Bool { (high, low) < (other.high, other.low) }
}

/// An action that an ``UplinkMachine`` requests.
package enum UplinkAction: Hashable, Sendable {
    /// Open a socket to the parent of this index, in place of the open socket.
    case open(parent: Int)
    case close
    case send(Message)
    /// Open a second socket, to the parent of this index, beside the open socket.
    case openProbe(parent: Int)
    case closeProbe
    case sendProbe(Message)
    /// Replace the first socket by the second, and close the first once all is sent.
    case adoptProbe
    /// The link is live.
    case linkUp(Message.Welcome)
    case linkDown(reason: String)
    /// The parent has no room for so many presentations.
    case crowded(waitingCount: Int)
    /// Report the state of the presentation to its caller.
    case moved(PresentationID, PresentationState.Station, by: String?, since: MonotonicTime? = nil)
    /// Run the attempt, then report ``UplinkMachine/settled(_:answer:result:at:)``.
    case answered(PresentationID, Answer)
    /// An answer that this life of the node has not asked for, or not with this digest. The node
    /// adopts it if a child waits for it here, else calls ``UplinkMachine/unasked(_:_:at:)``.
    case answeredBefore(PresentationID, Answer, ReportDigest?)
    /// The presentation is refused for good.
    case refused(PresentationID, Message.Reject)
    case expired(PresentationID)
    /// No parent could be reached within the caller's grace. The presentation stays open until
    /// withdrawn.
    ///
    /// With the latest refusal, if a parent was running and busy.
    case graceOver(PresentationID, Message.Reject?)
    /// Late, doubled or unexpected: counted and dropped.
    case dropped(Anomaly)
}

/// The state kept for each parent, even while another is in use.
struct UplinkParent: Hashable, Sendable {
    /// The name that the parent sent.
    var node: NodeName?
    /// The reason why the parent is not up; nil when it is up, was left for another one, or was
    /// never tried.
    var failure: String?
    /// Whether the parent is running and refuses this node.
    var isRefusing = false
    /// The time since when the parent is up, or is not.
    var since = MonotonicTime(milliseconds: 0)
    /// Whether the parent is not the root: it reported a parent, or the lack of one.
    var isPassage = false
    /// The number of times in a row that the child left the parent because it had no way up.
    var cutOffCount = 0
    /// The last sign of life; nil while the parent is up.
    var heard: Heard?

    /// Whether this WELCOME shows that the parent has no way up.
    func isCutOff(_ welcome: Message.Welcome) -> Bool { isPassage && welcome.path.count == 1 }
}

/// Switching to another parent than the one in use: back to a parent that comes earlier in the
/// list, or past a parent that has lost its own parent. The other parent is tried on a second
/// socket: the live link is left only for a parent that has sent WELCOME.
enum ReturnState: Hashable, Sendable {
    /// The first parent is in use and has a way up, or none is in use. Becomes waiting, opening.
    case none
    /// Becomes opening.
    case waiting(until: MonotonicTime)
    /// The second socket is open, no peer at the other end yet. Becomes greeting, waiting.
    case opening(since: MonotonicTime)
    /// HELLO is sent until WELCOME comes. Becomes leaving, waiting.
    case greeting(since: MonotonicTime, nextHello: MonotonicTime)
    /// The second socket has a WELCOME; the parent in use releases open presentations. Becomes
    /// none, waiting.
    case leaving(Message.Welcome, since: MonotonicTime)
}

// The status of the links upward.
extension UplinkMachine {
    /// The parent in use is up.
    mutating func noteUp(_ welcome: Message.Welcome, at now: MonotonicTime) {
        let former = parents[parent]
        parents[parent] = UplinkParent(
            node: welcome.node, since: now,
            isPassage: former.isPassage || welcome.path.count > 1, cutOffCount: former.cutOffCount)
    }

    /// A parent was tried without success, or is lost. A repeated failure changes nothing.
    mutating func noteDown(
        _ index: Int, _ reason: String, isRefusal: Bool = false, at now: MonotonicTime
    ) {
        if index == parent { noteHeard() }
        if parents[index].failure == nil { parents[index].since = now }
        parents[index].failure = reason
        parents[index].isRefusing = isRefusal
    }

    /// The parent in use is left for another one.
    mutating func noteLeft(at now: MonotonicTime) { parents[parent].since = now }

    /// Adds this machine's part of the status. `endpoints` are the endpoints of the parents, in
    /// order.
    package func describe(
        into status: inout NodeStatus, endpoints: [Endpoint], at now: MonotonicTime
    ) {
        if status.boot.isEmpty { status.boot = boot.description }
        status.counters.presentedAbove += counters.presentedAbove
        status.counters.answeredAbove += counters.answeredAbove
        status.counters.refusedAbove += counters.refusedAbove
        status.parents += zip(parents, endpoints).enumerated().map { index, pair in
            let state = state(ofParent: index)
            return ParentStatus(
                node: pair.0.node, endpoint: pair.1.description, state: state,
                reason: reason(of: state, pair.0),
                sinceMilliseconds: now.since(pair.0.since),
                openCount: index == parent ? openCount : 0)
        }
    }

    private func reason(of state: ParentStatus.State, _ parent: UplinkParent) -> String? {
        switch state {
        case .up: line.count > 0 ? "no room: \(line.count) presentations wait here" : nil
        case .standby: nil
        case .connecting, .down, .refused: parent.failure
        }
    }

    private func state(ofParent index: Int) -> ParentStatus.State {
        if index == parent, isLive { return .up }
        if link == .closed { return .down }
        if parents[index].isRefusing { return .refused }
        if index == parent || index == triedAgain { return .connecting }
        return parents[index].failure == nil ? .standby : .down
    }

    /// The other parent that is being tried beside the one in use.
    private var triedAgain: Int? {
        switch returning {
        case .none, .waiting: nil
        case .opening, .greeting, .leaving: preferred
        }
    }
}
