extension DownlinkMachine {
    /// HELLO: a name has one live link, and the newer link of one process takes over. Another
    /// process gets the name only when its holder is gone: the holder is asked first.
    mutating func helloReceived(
        _ hello: Message.Hello, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard hello.from != name else {
            return [refuse(peer, .notYours, "\(hello.from) is this node's own name")]
        }
        if let former = namesOfPeers[peer], former != hello.from {
            return [refuse(peer, .notYours, "this link belongs to \(former)")]
        }
        guard var child = children[hello.from] else {
            guard children.count < limits.childrenMax else {
                return [
                    refuse(peer, .busy, "\(children.count) children; no more are allowed", 5_000)
                ]
            }
            return adopt(hello, peer, at: now)
        }
        if child.boot == hello.boot || !child.isReachable {
            return adopt(hello, peer, at: now)
        }
        if let other = child.claimant, other.peer != peer {
            return [refuse(peer, .notYours, "another process claims \(hello.from) as well", 5_000)]
        }
        if child.claimant == nil {
            child.claimant = .init(peer: peer, hello: hello, until: now + times.nameProbe)
            children[hello.from] = child
            pingNumber += 1
            return [.send(.ping(pingNumber), to: child.peer)]
        }
        return []  // HELLO again while its holder is being asked.
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
            namesOfPeers[former.peer] = nil
            // Bounded: what is superseded is dropped whether or not it is remembered as such.
            if superseded.count < limits.childrenMax { superseded.insert(former.peer) }
        }
        children[hello.from] = DownlinkChild(peer: peer, boot: hello.boot, heardAt: now)
        namesOfPeers[peer] = hello.from
        var actions: [DownlinkAction] = [.send(welcome, to: peer)]
        if former?.isReachable != true { actions.append(.childUp(hello.from)) }
        if let former, former.boot != hello.boot {
            // What the old life asked is gone unless the new one asks under the same ids.
            actions += markUnreachable(hello.from, askedBy: former.boot, at: now)
        }
        return actions
    }

    private var welcome: Message {
        .welcome(
            Message.Welcome(
                node: name, boot: boot, maxHeader: UInt64(wireLimits.headerByteCountMax),
                maxPayload: UInt64(wireLimits.payloadByteCountMax),
                maxOpen: UInt64(limits.openPerChildMax), pingMilliseconds: times.pingAfter,
                path: pathUpward))
    }

    /// Any frame counts as life; a process that claims the name is told so.
    mutating func heard(_ name: NodeName, at now: MonotonicTime) -> [DownlinkAction] {
        guard var child = children[name] else { return [] }
        child.heardAt = now
        child.pingedAt = nil
        child.unreachableSince = nil
        let claimant = child.claimant
        child.claimant = nil
        children[name] = child
        guard let claimant else { return [] }
        return [refuse(claimant.peer, .notYours, "\(name) is held by another live link", 5_000)]
    }

    mutating func byeReceived(
        _ reason: String, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard let name = namesOfPeers[peer] else { return [] }
        return lost(name, reason: "it left: \(reason)", at: now)
    }

    /// The child cannot be reached: its prompts say so, answers are held for it (rule 8).
    mutating func lost(
        _ name: NodeName, reason: String, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var child = children[name], child.isReachable else { return [] }
        if let claimant = child.claimant {
            child.claimant = nil
            child.unreachableSince = now
            children[name] = child
            return [.childDown(name, reason: reason)] + adopt(claimant.hello, claimant.peer, at: now)
        }
        child.unreachableSince = now
        children[name] = child
        return [.childDown(name, reason: reason)]
            + markUnreachable(name, askedBy: child.boot, at: now)
    }

    private mutating func markUnreachable(
        _ name: NodeName, askedBy boot: BootID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var actions: [DownlinkAction] = []
        let asked = entries.values.filter {
            $0.asker == .child(name) && $0.askedBy == boot && $0.isUnsettled
                && $0.unreachableSince == nil
        }
        for var entry in asked.sorted(by: { $0.id.value.isBefore($1.id.value) }) {
            entry.unreachableSince = now
            store(entry)
            actions.append(.reachable(entry.id, false))
        }
        return actions
    }

    /// Pings the silent, gives up the dead, decides claims, forgets who is long gone.
    mutating func tickedChildren(at now: MonotonicTime) -> [DownlinkAction] {
        var actions: [DownlinkAction] = []
        let due = children.filter { nextDue(of: $0.value) <= now }
        for (name, child) in due.sorted(by: { $0.key < $1.key }) {
            guard child.isReachable else {
                if now.since(child.unreachableSince ?? now) >= times.tombstone {
                    children[name] = nil
                    namesOfPeers[child.peer] = nil
                }
                continue
            }
            let silence = now.since(child.heardAt)
            if silence >= times.silenceMax {
                actions += lost(name, reason: "silent for \(silence) ms", at: now)
            } else if let claimant = child.claimant, now >= claimant.until {
                actions += lost(name, reason: "it does not answer, and is claimed", at: now)
            } else if silence >= times.pingAfter, child.pingedAt == nil {
                children[name]?.pingedAt = now
                pingNumber += 1
                actions.append(.send(.ping(pingNumber), to: child.peer))
            }
        }
        return actions
    }

    var nextChildDue: MonotonicTime? {
        children.values.lazy.map { nextDue(of: $0) }.min()
    }

    private func nextDue(of child: DownlinkChild) -> MonotonicTime {
        if let gone = child.unreachableSince { return gone + times.tombstone }
        let silence = child.pingedAt == nil ? times.pingAfter : times.silenceMax
        let due = child.heardAt + silence
        return child.claimant.map { min($0.until, due) } ?? due
    }
}
