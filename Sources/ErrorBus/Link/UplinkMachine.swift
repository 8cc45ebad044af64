/// The child's side of a link: keeps the parents in contact and every presentation asked until it
/// is answered, whatever is lost on the way. Pure: time comes in, actions go out.
///
/// Rules and numbers are docs/wire.md's; a comment names the rule where the code is one.
struct UplinkMachine: Sendable {
    enum LinkState: Hashable, Sendable {
        /// Before ``started(at:)``. Becomes opening.
        case idle
        /// A socket is open, no peer at the other end yet. Becomes greeting, waiting.
        case opening(since: MonotonicTime)
        /// HELLO is sent until WELCOME comes. Becomes live, opening, waiting.
        case greeting(since: MonotonicTime, nextHello: MonotonicTime)
        /// Becomes opening (connection lost), waiting (given up).
        case live(Live)
        /// No socket until then. Becomes opening.
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
    let times: LinkTimes
    let limits: LinkLimits

    var link = LinkState.idle
    var parent = 0
    /// The way back to an earlier parent, and which one is tried.
    var returning = ReturnState.none
    var preferred = 0
    /// How often the way back was put off because something was between here and the parent.
    var putOffCount = 0
    /// Tries of the way back that came to nothing.
    var probeFailures = 0
    var failures = 0
    /// One for each parent, in order.
    var parents: [UplinkParent]
    var startedAt = MonotonicTime(milliseconds: 0)
    var pingNumber: UInt64 = 0
    /// Why the link is not live, as far as known: what an "unreachable" tells the caller.
    var lastFailure: String?
    /// What the parent told in WELCOME.
    var welcome: Message.Welcome?
    var entries: [PresentationID: UplinkEntry] = [:]
    /// Entries that wait for an answer.
    var openCount = 0
    var counters = LinkCounters()
    /// When to look at which entry again.
    var plans = DeadlineQueue<PresentationID>()
    /// Entries that wait for a word from the parent, or owe it one.
    var between: Set<PresentationID> = []
    /// Entries that only keep a result or a withdrawal, and until when.
    var remembered = DeadlineQueue<PresentationID>()
    /// Results and withdrawals of what an earlier life of this node had asked, and until when.
    var passedOn = DeadlineQueue<PresentationID>()
    var jitter: Jitter

    init(
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
        jitter = Jitter(seed: seed)
    }

    var isLive: Bool {
        if case .live = link { true } else { false }
    }

    /// Why nothing is accepted yet, for an "unreachable" that a person can act on.
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

    mutating func started(at now: MonotonicTime) -> [UplinkAction] {
        guard link == .idle else { preconditionFailure("started twice: \(link)") }
        startedAt = now
        for index in parents.indices { parents[index].since = now }
        link = .opening(since: now)
        return [.open(parent: parent)]
    }

    /// The transport's connection is up, its handshake done.
    mutating func connected(at now: MonotonicTime) -> [UplinkAction] {
        switch link {
        case .opening:
            link = .greeting(since: now, nextHello: now + times.helloAgainAfter)
            return [.send(hello)]
        case .greeting, .live, .idle, .waiting, .closed:
            // A race: the event of a connection that has been replaced meanwhile.
            return []
        }
    }

    /// The transport lost the connection. A parent that was there is tried again first; one
    /// that never said WELCOME is given up.
    mutating func disconnected(_ reason: String, at now: MonotonicTime) -> [UplinkAction] {
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
    mutating func giveUp(
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
        var actions: [UplinkAction] = [.linkDown(reason: reason)] + stopReturn()
        for id in openIDs {
            guard var entry = entries[id] else { continue }
            if case .moving = entry.phase { entry.phase = .asking(next: now, tries: 0) }
            if entry.outOfContactSince == nil { entry.outOfContactSince = now }
            store(entry, id)
            actions.append(.moved(id, .unreachable, by: welcome?.node.description))
        }
        return actions
    }

    /// WELCOME: everything open is asked again, paced, since the parent may be a new life or may
    /// have lost what was under way (rule 2).
    mutating func welcomed(_ welcome: Message.Welcome, at now: MonotonicTime) -> [UplinkAction] {
        guard case .greeting = link else {
            return [.dropped(Anomaly(kind: .duplicate, detail: "WELCOME on a link that is up"))]
        }
        return settledIn(welcome, at: now)
    }

    /// The link to ``parent`` is live.
    mutating func settledIn(_ welcome: Message.Welcome, at now: MonotonicTime) -> [UplinkAction] {
        link = .live(Live(heardAt: now))
        failures = 0
        lastFailure = nil
        self.welcome = welcome
        noteUp(welcome, at: now)
        planReturn(at: now)
        var position = 0
        for id in entries.keys.sorted(by: PresentationID.areInOrder) {
            guard var entry = entries[id] else { continue }
            let next = now + UInt64(position / times.pacePerMillisecond)
            switch entry.phase {
            case .asking, .accepted, .moving: entry.phase = .asking(next: next, tries: 0)
            case .withdrawing(let reason, _, _):
                entry.phase = .withdrawing(reason, next: next, tries: 0)
            case .answered, .settled, .gone: continue
            }
            position += 1
            store(entry, id)
        }
        tellResults(after: position, at: now)
        return [.linkUp(welcome)] + ticked(at: now)
    }

    var hello: Message { .hello(Message.Hello(from: name, boot: boot)) }

    /// Leaves: what this node itself asked is withdrawn; what children asked is theirs to ask
    /// again. The socket is closed by the driver, once this is sent.
    mutating func stopped(at now: MonotonicTime) -> [UplinkAction] {
        let wasLive = isLive
        link = .closed
        let actions = stopReturn()
        guard wasLive else { return actions }
        let own = openIDs.compactMap { entries[$0] }.filter { !$0.request.isForwarded }
        return actions + own.map { .send($0.withdrawal(for: .origin)) }
            + [.send(.bye(reason: "shutdown"))]
    }

    /// In the order they were made, so that equal machines do the same.
    var openIDs: [PresentationID] {
        entries.filter(\.value.isOpen).keys.sorted(by: PresentationID.areInOrder)
    }
}

extension PresentationID {
    static func areInOrder(_ left: Self, _ right: Self) -> Bool {
        left.value.isBefore(right.value)
    }
}

extension UniqueID {
    /// The order ids were made in, for version 7.
    func isBefore(_ other: UniqueID) -> Bool { (high, low) < (other.high, other.low) }
}
