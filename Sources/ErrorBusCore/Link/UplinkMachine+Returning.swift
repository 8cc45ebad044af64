// Switching to another parent (section 7): back to one that comes earlier in the list, or past one
// that has no way up, without losing or doubling a presentation. A second socket checks whether the
// other parent is there; the parent in use releases the open presentations, each with an
// acknowledgement, while new ones wait; then the second socket becomes the link.
extension UplinkMachine {
    /// The most times that the return is postponed because of an attempt in progress. The result
    /// should go to the parent that sent the answer; but a busy node must return some time.
    private static let putOffMax = 10

    var isLeaving: Bool {
        if case .leaving = returning { true } else { false }
    }

    /// The next due time of the return.
    var returnDue: MonotonicTime? {
        switch returning {
        case .none: cutOffDue
        case .waiting(let until): [until, cutOffDue].compactMap(\.self).min()
        case .leaving(_, let since): leftAt(since)
        case .opening(let since): since + probeMax
        case .greeting(let since, let nextHello): min(nextHello, since + probeMax)
        }
    }

    /// The latest time to leave the parent in use. A result postpones it only shortly: hops delay
    /// the withdrawal of released presentations, which must be presented again within that time.
    private func leftAt(_ since: MonotonicTime) -> MonotonicTime {
        since + (unreleased.isEmpty ? times.leaveResultMax : times.leaveMax)
    }

    /// The limit of another parent's greeting: longer with each failure, as for the link.
    private var probeMax: UInt64 {
        let most = max(times.greetingMax, times.greetingRoundMax / UInt64(max(parent, 1)))
        return min(most, times.greetingMax << UInt64(min(probeFailures, 6)))
    }

    /// The link to ``parent`` has just become live.
    mutating func planReturn(at now: MonotonicTime) {
        putOffCount = 0
        probeFailures = 0
        preferred = parent - 1  // The first is tried first.
        waitForReturn(at: now)
    }

    private mutating func waitForReturn(at now: MonotonicTime) {
        guard parent > 0 else { return returning = .none }
        // A parent that was often left for want of a way up is tried less often.
        let cutOffCount = parents[..<parent].map(\.cutOffCount).max() ?? 0
        returning = .waiting(until: now + nextReturn() << UInt64(min(max(cutOffCount, 1) - 1, 5)))
    }

    /// Records the parent's own way up, as its PENDING reports it.
    mutating func noteWay(_ state: PresentationState.Station, at now: MonotonicTime) {
        guard state == .unreachable else {
            cutOffSince = nil
            parents[parent].cutOffCount = 0
            return
        }
        if parentCount > 1, cutOffSince == nil { cutOffSince = now }
    }

    /// The time to look for another parent, if the one in use has no way up. Nodes above have a
    /// nearer way around the fault, so they try first.
    private var cutOffDue: MonotonicTime? {
        guard let cutOffSince, isLive else { return nil }
        return cutOffSince + times.wayMax * UInt64(max(welcome?.path.count ?? 0, 1))
    }

    /// The live link is lost or left.
    mutating func stopReturn() -> [UplinkAction] {
        defer { returning = .none }
        switch returning {
        case .none, .waiting: return []
        case .opening, .greeting: return [.closeProbe]
        case .leaving:
            parent = preferred  // It is there, and has said so.
            return [.closeProbe]
        }
    }

    private mutating func nextReturn() -> UInt64 {
        jitter.milliseconds(in: times.returnEvery...times.returnEvery + times.returnEvery / 4)
    }

    mutating func tickedReturn(at now: MonotonicTime) -> [UplinkAction] {
        if let due = cutOffDue, now >= due, let actions = lookAside(at: now) { return actions }
        switch returning {
        case .none: return []
        case .waiting(let until):
            guard now >= until else { return [] }
            guard between.isEmpty || putOffCount >= Self.putOffMax else {
                putOffCount += 1
                waitForReturn(at: now)
                return []
            }
            preferred = (preferred + 1) % parent
            returning = .opening(since: now)
            return [.openProbe(parent: preferred)]
        case .opening(let since):
            guard now.since(since) >= probeMax else { return [] }
            return probeLost("no connection", at: now)
        case .greeting(let since, let nextHello):
            guard now.since(since) < probeMax else {
                return probeLost("no WELCOME came", at: now)
            }
            guard now >= nextHello else { return [] }
            returning = .greeting(since: since, nextHello: now + times.helloAgainAfter)
            return [.sendProbe(hello)]
        case .leaving(let welcome, let since):
            guard between.isEmpty || now >= leftAt(since) else { return [] }
            // Its silence counts from its WELCOME, not from the move.
            return move(welcome, heardAt: since, at: now)
        }
    }

    /// Tries the next of all other parents. Nil while another parent is being tried.
    private mutating func lookAside(at now: MonotonicTime) -> [UplinkAction]? {
        switch returning {
        case .opening, .greeting, .leaving: return nil
        case .none, .waiting: break
        }
        // After a failure the next one is tried with the same delay.
        cutOffSince = now
        preferred = (max(preferred, 0) + 1) % parentCount
        if preferred == parent { preferred = (preferred + 1) % parentCount }
        returning = .opening(since: now)
        return [.openProbe(parent: preferred)]
    }

    /// The second socket is connected.
    package mutating func probeConnected(at now: MonotonicTime) -> [UplinkAction] {
        guard case .opening = returning else { return [] }  // A race: it was given up.
        returning = .greeting(since: now, nextHello: now + times.helloAgainAfter)
        return [.sendProbe(hello)]
    }

    /// The second socket failed: the parent in use stays.
    package mutating func probeLost(
        _ reason: String, isRefusal: Bool = false, at now: MonotonicTime
    ) -> [UplinkAction] {
        switch returning {
        case .none, .waiting: return []  // A race: it was given up.
        case .opening, .greeting:
            probeFailures += 1
            noteDown(preferred, reason, isRefusal: isRefusal, at: now)
            waitForReturn(at: now)
            return [.closeProbe]
        case .leaving:
            noteDown(preferred, reason, isRefusal: isRefusal, at: now)
            waitForReturn(at: now)
            resumeAsking(at: now)
            return [.closeProbe] + ticked(at: now)
        }
    }

    /// A message arrived on the second socket.
    package mutating func probeReceived(_ message: Message, at now: MonotonicTime) -> [UplinkAction]
    {
        guard message.verb.goesDown else {
            return [.dropped(Anomaly(kind: .wrongDirection, detail: message.verb.rawValue))]
        }
        switch message {
        case .welcome(let welcome):
            guard case .greeting = returning else {
                return [.dropped(Anomaly(kind: .duplicate, detail: "WELCOME once more"))]
            }
            if welcome.path.count > 1 { parents[preferred].isPassage = true }
            guard !parents[preferred].isCutOff(welcome) else {
                return probeLost("it has no way up", at: now)
            }
            guard preferred < parent || cutOffSince != nil else {
                // The parent in use has its way up again.
                waitForReturn(at: now)
                return [.closeProbe]
            }
            return leave(for: welcome, at: now)
        case .reject(let reject) where reject.id == nil:
            return probeLost(
                "refused: \(reject.code.rawValue) \(reject.reason)", isRefusal: true, at: now)
        case .bye(let reason): return probeLost("it left: \(reason)", at: now)
        case .ping(let number): return [.sendProbe(.pong(number))]
        case .pong: return []
        default:
            // It may still hold earlier presentations, and will get them again.
            return [.dropped(Anomaly(kind: .whileClosed, detail: message.verb.rawValue))]
        }
    }

    /// Withdraws everything open from the parent in use.
    private mutating func leave(
        for welcome: Message.Welcome, at now: MonotonicTime
    ) -> [UplinkAction] {
        returning = .leaving(welcome, since: now)
        var position = 0
        for id in openIDs {
            guard var entry = entries[id] else { continue }
            if entry.attempt > 0 {
                entry.phase = .moving(
                    next: now + UInt64(position / times.pacePerMillisecond), tries: 0)
                entry.wasAbandoned = true
                position += 1
            }
            store(entry, id)
        }
        return ticked(at: now)
    }

    /// The parent that is being left has released it.
    mutating func letGo(_ former: UplinkEntry, _ id: PresentationID, at now: MonotonicTime) {
        var entry = former
        entry.askAnew(at: now)
        if entry.outOfContactSince == nil { entry.outOfContactSince = now }
        store(entry, id)
    }

    /// The parent in use is kept.
    private mutating func resumeAsking(at now: MonotonicTime) {
        // What was asked meanwhile has no report that it waits for room.
        room.isSilent = true
        for id in openIDs {
            guard var entry = entries[id] else { continue }
            switch entry.phase {
            case .moving: letGo(entry, id, at: now)
            case .asking(_, let tries):
                entry.phase = .asking(next: now, tries: tries)
                store(entry, id)
            case .waiting, .accepted, .answered, .settled, .withdrawing, .gone: break
            }
        }
    }

    private mutating func move(
        _ welcome: Message.Welcome, heardAt: MonotonicTime, at now: MonotonicTime
    ) -> [UplinkAction] {
        noteHeard()
        noteLeft(at: now)
        let isBack = preferred < parent
        if cutOffSince != nil {
            parents[parent].isPassage = true
            parents[parent].cutOffCount += 1
        }
        parent = preferred
        let actions: [UplinkAction] = [
            .send(.bye(reason: "\(isBack ? "back" : "over") to \(welcome.node)")), .adoptProbe,
        ]
        return actions + settledIn(welcome, heardAt: heardAt, at: now)
    }
}

// Parents that were out of reach.
extension UplinkMachine {
    /// Records the last sign of life of the parent in use, as its link ends.
    mutating func noteHeard() {
        guard case .live(let live) = link, let boot = welcome?.boot else { return }
        parents[parent].heard = UplinkParent.Heard(boot: boot, at: live.heardAt)
    }

    /// Whether this life of a parent may have given up answers that it had sent here: it does so
    /// some time after a lease without a word of this node. It may have got the last one as long
    /// before its reply as a link may be silent. A life that is not known any longer may have.
    func mayHaveLapsed(_ boot: BootID, at now: MonotonicTime) -> Bool {
        let heardAt = parents.compactMap(\.heard).filter { $0.boot == boot }.map(\.at).max()
        return heardAt.map { now.since($0) + times.silenceMax >= times.lease } ?? true
    }
}

extension UplinkParent {
    /// A life of the parent, and the time of its last reply.
    struct Heard: Hashable, Sendable {
        let boot: BootID
        let at: MonotonicTime
    }
}
