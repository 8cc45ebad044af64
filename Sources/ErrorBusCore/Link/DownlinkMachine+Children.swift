extension DownlinkMachine {
    /// HELLO: a name has one live link, and the newer link of one process replaces the older.
    /// Another process gets the name only when its holder is gone: the holder is pinged first.
    mutating func helloReceived(
        _ hello: Message.Hello, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard !isStopping else { return [.send(.reject(goingDown(nil)), to: peer)] }
        guard hello.from != name else {
            return [refuse(peer, .notYours, "\(hello.from) is this node's own name")]
        }
        if let holder = peer.holder, !holder.mayUse(hello.from) {
            return [refuse(peer, .notYours, "this key belongs to \(holder.name)")]
        }
        if let former = namesOfPeers[peer], former != hello.from {
            return [refuse(peer, .notYours, "this link belongs to \(former)")]
        }
        guard var child = children[hello.from] else {
            if let limit = makeRoom(for: peer.holder, at: now) {
                return [refuse(peer, .busy, "\(limit); no more are allowed", 5_000)]
            }
            return adopt(hello, peer, at: now)
        }
        if child.boot == hello.boot || !child.isReachable || child.peer == peer {
            return tooManyLinks(hello, from: peer, at: now) ?? adopt(hello, peer, at: now)
        }
        if let other = child.claimant, other.peer != peer {
            return [refuse(peer, .notYours, "another process claims \(hello.from) as well", 5_000)]
        }
        if child.claimant == nil {
            child.claimant = .init(peer: peer, hello: hello, until: now + times.nameProbe)
            child.pingedAt = child.pingedAt ?? now
            children[hello.from] = child
            planChild(hello.from)
            pingNumber += 1
            return [.send(.ping(pingNumber), to: child.peer)]
        }
        return []  // A repeated HELLO while its holder is being pinged.
    }

    private func refuse(
        _ peer: PeerID, _ code: RejectCode, _ reason: String, _ retry: UInt64? = nil
    ) -> DownlinkAction {
        .send(.reject(Message.Reject(code, reason, retryMilliseconds: retry)), to: peer)
    }

    private mutating func adopt(
        _ hello: Message.Hello, _ peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let former = children[hello.from]
        if let former, former.peer != peer {
            superseded.plan(former.peer, at: now)
            if superseded.count > limits.childrenMax { _ = superseded.popFirst() }
        }
        let isSameLink =
            former?.peer == peer && former?.boot == hello.boot && former?.isReachable == true
        let unread = UnreadBytes(byteCountMax: limits.unreadByteCountMax)
        let child = DownlinkChild(
            peer: peer, boot: hello.boot, heardAt: now,
            openMax: former?.openMax ?? limits.openPerChildMax,
            liveSince: isSameLink ? former?.liveSince ?? now : now,
            unread: isSameLink ? former?.unread ?? unread : unread)
        if !isSameLink { heldAnswers[hello.from] = nil }
        place(child, as: hello.from)
        var actions: [DownlinkAction] = [.send(welcome(to: hello.from), to: peer)]
        if let claimant = former?.claimant, claimant.peer != peer {
            actions.append(refuseClaim(claimant, on: hello.from))
        }
        if former?.isReachable != true { actions.append(.log(.up(hello.from))) }
        guard let former else { return actions }
        if former.boot != hello.boot {
            // Presentations of the old life are lost unless the new one presents the same ids.
            actions += markUnreachable(hello.from, askedBy: former.boot, at: now)
        }
        if former.boot != hello.boot || former.peer != peer { deliverAgain(to: hello, at: now) }
        return actions
    }

    /// Delivers answers again: the same life on a new connection may have run an attempt whose
    /// SETTLED was lost with the old connection, and then has no reason to present again. A new
    /// life of a hop says `unknown` once its own children have had their time to come back (rule
    /// 5).
    private mutating func deliverAgain(to hello: Message.Hello, at now: MonotonicTime) {
        var position = 0
        for var entry in unsettled(of: hello.from) {
            guard case .answered(var delivery) = entry.phase else { continue }
            delivery.sentAfterPing = nil
            if entry.askedBy == hello.boot {
                delivery.next = now + UInt64(position / times.pacePerMillisecond)
                entry.unreachableSince = nil
            } else if entry.origin != hello.from {
                delivery.next = now + jitter.resendDelay(afterTries: delivery.tries)
            }
            entry.phase = .answered(delivery)
            store(entry)
            position += 1
        }
    }

    /// Sends another WELCOME to a child that stands for one more origin than it said before: it may
    /// have as many presentations open for each origin.
    mutating func welcomeMore(of child: NodeName) -> [DownlinkAction] {
        guard let origins = originsOfChild[child]?.count, let former = children[child],
            former.openMax < limits.openPerNodeMax,
            // Other origins are names that it chose: only a relay stands for others.
            former.peer.holder?.isRelay != false
        else { return [] }
        let most = min(limits.openPerChildMax * origins, limits.openPerNodeMax)
        guard most > former.openMax else { return [] }
        children[child]?.openMax = most
        return [.send(welcome(to: child), to: former.peer)]
    }

    private func welcome(to child: NodeName) -> Message {
        .welcome(
            Message.Welcome(
                node: name, boot: boot, maxHeader: UInt64(wireLimits.headerByteCountMax),
                maxPayload: UInt64(wireLimits.payloadByteCountMax),
                maxOpen: UInt64(children[child]?.openMax ?? limits.openPerChildMax),
                pingMilliseconds: times.pingAfter,
                path: pathUpward))
    }

    /// Any frame of a child counts as a sign of life, except the last frames of a lost connection.
    /// A process that claims the name is refused, since the holder lives; by its last message the
    /// holder leaves the name to that process.
    mutating func heard(
        _ name: NodeName, at now: MonotonicTime, isLast: Bool = false
    ) -> [DownlinkAction] {
        guard var child = children[name], !child.isDisconnected else { return [] }
        let wasReachable = child.isReachable
        let wasPinged = child.pingedAt != nil
        let claimant = isLast ? nil : child.claimant
        child.heardAt = now
        if !wasReachable { child.liveSince = now }
        child.pingedAt = nil
        child.unreachableSince = nil
        child.hasLeft = false
        if !isLast { child.claimant = nil }
        children[name] = child
        // After a PING the plan was for the end of the link. Else it stays: the due time is now
        // later, and is checked when the plan fires.
        if wasPinged { planChild(name) }
        var actions = wasReachable ? [] : found(name, boot: child.boot, at: now)
        if let claimant { actions.append(refuseClaim(claimant, on: name)) }
        return actions
    }

    private func refuseClaim(
        _ claimant: DownlinkChild.Claimant, on name: NodeName
    ) -> DownlinkAction {
        refuse(claimant.peer, .notYours, "\(name) is held by another live link", 5_000)
    }

    /// A message from the same process on the same link: its presentations stand, and held answers
    /// are delivered.
    private mutating func found(
        _ name: NodeName, boot: BootID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var actions: [DownlinkAction] = [.log(.up(name))]
        planChild(name)
        for var entry in unsettled(of: name) where entry.askedBy == boot {
            guard let since = entry.unreachableSince else { continue }
            entry.unreachableSince = nil
            if entry.isOpen {
                // Its lease goes on where it stopped.
                entry.askedAt = entry.askedAt + now.since(since)
                store(entry)
                // A hop below it may have reported that it lost the origin.
                if entry.isOriginReachable { actions.append(.reachable(entry.id, true)) }
            } else {
                actions += deliver(entry, at: now)
            }
        }
        return actions
    }

    /// A child's presentations that are not settled, in the order of their ids.
    private func unsettled(of name: NodeName) -> [DownlinkEntry] {
        (unsettledOfChild[name] ?? []).sorted(by: PresentationID.areInOrder)
            .compactMap { entries[$0] }
    }

    mutating func byeReceived(
        _ reason: String, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard let name = namesOfPeers[peer] else { return [.send(.ok(id: nil), to: peer)] }
        children[name]?.hasLeft = true
        return lost(name, reason: "it left: \(reason)", at: now)
    }

    /// The child is out of reach: its prompts show it, its answers are held (section 7).
    mutating func lost(
        _ name: NodeName, reason: String, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var child = children[name], child.isReachable else { return [] }
        let claimant = child.claimant
        child.claimant = nil
        child.unreachableSince = now
        child.unread = UnreadBytes(byteCountMax: limits.unreadByteCountMax)
        children[name] = child
        heldAnswers[name] = nil
        // A link has one name: the claimant's may have got another one since.
        if let claimant, !isStopping, namesOfPeers[claimant.peer] ?? name == name,
            mayBegin(linkOf: name, at: now)
        {
            return [.log(.down(name, reason: reason))]
                + adopt(claimant.hello, claimant.peer, at: now)
        }
        planChild(name)
        return [.log(.down(name, reason: reason))]
            + markUnreachable(name, askedBy: child.boot, at: now)
    }

    private mutating func markUnreachable(
        _ name: NodeName, askedBy boot: BootID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var actions: [DownlinkAction] = []
        for var entry in unsettled(of: name) where entry.askedBy == boot {
            guard entry.unreachableSince == nil else {
                // Answered since, it may have been held back, and was not planned meanwhile.
                store(entry)
                continue
            }
            if let other = fallenBack(entry, at: now) {
                actions += other
                continue
            }
            let wasReachable = entry.isOriginReachable
            entry.unreachableSince = now
            store(entry)
            if wasReachable { actions.append(.reachable(entry.id, false)) }
        }
        return actions
    }

    /// Pings silent children, gives up dead ones, decides claims, and forgets children that left
    /// long ago.
    mutating func tickedChildren(at now: MonotonicTime) -> [DownlinkAction] {
        var actions: [DownlinkAction] = []
        while let name = childPlans.pop(at: now) {
            actions += tickedChild(name, at: now)
            planChild(name)
        }
        return actions
    }

    private mutating func tickedChild(
        _ name: NodeName, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard let child = children[name] else { return [] }
        if let gone = child.unreachableSince {
            if now.since(gone) >= times.tombstone { place(nil, as: name) }
            return []
        }
        let silence = now.since(child.heardAt)
        if silence >= times.silenceMax {
            return lost(name, reason: "silent for \(silence) ms", at: now)
        }
        if let claimant = child.claimant, now >= claimant.until {
            return lost(name, reason: "it does not answer, and is claimed", at: now)
        }
        if let due = repeatedPingDue(of: child), now >= due {
            return pingForAnswers(name, at: now)
        }
        guard silence >= times.pingAfter, child.pingedAt == nil else { return [] }
        children[name]?.pingedAt = now
        pingNumber += 1
        return [.send(.ping(pingNumber), to: child.peer)]
    }
}

// Several paths to one origin: a relay that lost it does not notice at once, and the origin
// presents by another meanwhile. The presentation stays as long as one of them asks for it, and its
// answer takes one that can reach the origin (rule 11).
extension DownlinkMachine {
    /// PRESENT with `reachable: false`, or while a bare client waits here: its child does not
    /// become the asker, and leaves that place to the client, or to a child that can reach the
    /// origin. Nil without either: then this is an ordinary PRESENT.
    mutating func askedBeside(
        _ former: DownlinkEntry, from name: NodeName, _ present: Message.Present, peer: PeerID,
        at now: MonotonicTime
    ) -> [DownlinkAction]? {
        guard former.isUnsettled else { return nil }
        var entry = former
        if entry.child == name {
            guard let other = usablePath(of: entry, at: now) else { return nil }
            entry.ask(by: other)
        }
        entry.note(
            .init(
                child: name, boot: children[name]?.boot, askedAt: now,
                isCutOff: !present.isOriginReachable))
        return resumed(entry, former, at: now)
            + reply(entry, attempt: present.attempt, to: peer, at: now)
    }

    /// AWAIT by a child that is not the asker. This child becomes the asker if the present asker is
    /// out of reach.
    mutating func awaitedByOther(
        _ former: DownlinkEntry, _ name: NodeName, peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var path = former.otherPaths.first(where: { $0.child == name }) else { return [] }
        path.askedAt = now
        var entry = former
        if entry.isOriginReachable || path.isCutOff {
            entry.note(path)
            store(entry)
            return reply(entry, attempt: nil, to: peer, at: now)
        }
        let waiting = replaceWaiting(former.asker, by: .child(name), of: former, at: now)
        entry.ask(by: path)
        return waiting + resumed(entry, former, at: now)
            + (entry.isOpen ? [.send(pending(entry, at: now), to: peer)] : [])
    }

    /// The asker is lost, gave up or has finished: another path takes its place. Nil if no path
    /// can.
    mutating func fallenBack(
        _ former: DownlinkEntry, forgettingAsker: Bool = false, at now: MonotonicTime
    ) -> [DownlinkAction]? {
        guard former.isUnsettled, let other = usablePath(of: former, at: now) else { return nil }
        var entry = former
        entry.ask(by: other)
        if forgettingAsker, let child = former.child { entry.forgetPath(by: child) }
        return resumed(entry, former, at: now)
    }

    /// Forgets the path of a peer that has ended it; false if the peer is the asker.
    mutating func forgetOther(_ peer: PeerID, of entry: inout DownlinkEntry) -> Bool {
        let name = namesOfPeers[peer]
        guard entry.child != name else { return false }
        if let name { entry.forgetPath(by: name) }
        store(entry)
        return true
    }

    /// The asker cannot carry the answer out. Another path that has lost the origin, or is lost
    /// itself, may have the answer and carry it out: the entry waits for that path. Nil without
    /// such a path.
    mutating func handedOver(
        _ former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction]? {
        if let actions = fallenBack(former, forgettingAsker: true, at: now) { return actions }
        let last = former.otherPaths.last { children[$0.child]?.boot == $0.boot }
        guard let last else { return nil }
        var entry = former
        entry.ask(by: last)
        entry.key = key(of: last.child)
        if let asker = former.child { entry.forgetPath(by: asker) }
        entry.unreachableSince = children[last.child]?.unreachableSince
        return deliver(entry, at: now)
    }

    private func key(of child: NodeName) -> NodeName? { children[child]?.peer.holder?.name }

    /// The most recent path that can reach the origin, as far as known.
    private func usablePath(
        of entry: DownlinkEntry, at now: MonotonicTime
    ) -> DownlinkEntry.Path? {
        entry.otherPaths.last { path in
            guard !path.isCutOff, now.since(path.askedAt) < times.lease,
                let child = children[path.child]
            else { return false }
            return child.isReachable && child.boot == path.boot
        }
    }

    /// Stores an entry with a new asker, which then gets the answer.
    private mutating func resumed(
        _ asked: DownlinkEntry, _ former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var entry = asked
        if let child = entry.child { entry.key = key(of: child) }
        if !entry.isOpen, entry.asker != former.asker { return deliver(entry, at: now) }
        store(entry)
        var actions = entry.child.map { welcomeMore(of: $0) } ?? []
        if entry.isOriginReachable != former.isOriginReachable {
            actions.append(.reachable(entry.id, entry.isOriginReachable))
        }
        return actions
    }

    /// The reply to a child that sends AWAIT and is not the asker.
    private func reply(
        _ entry: DownlinkEntry, attempt: UInt64?, to peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        if case .answered(let delivery) = entry.phase {
            return [
                .send(.answer(entry.id, delivery.answerToSend, digest: entry.digest), to: peer)
            ]
        }
        guard let attempt else { return [.send(pending(entry, at: now), to: peer)] }
        return acknowledge(entry, attempt: attempt, to: peer, at: now)
    }
}
