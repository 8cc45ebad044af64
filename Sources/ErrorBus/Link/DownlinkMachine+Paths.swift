/// One origin may ask by several children: a relay that lost it does not know at once, and the
/// origin asks by another meanwhile. The presentation stays for as long as one of them asks, and
/// its answer goes by one that can reach the origin (rule 11).
extension DownlinkMachine {
    /// PRESENT with `reachable: false`: it takes no other child's place, and leaves its own to
    /// a child that can reach the origin. Nil where there is no other: then it is asked as ever.
    mutating func cutOff(
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
            .init(child: name, boot: children[name]?.boot, askedAt: now, isCutOff: true))
        return resumed(entry, former, at: now)
            + reply(entry, attempt: present.attempt, to: peer, at: now)
    }

    /// AWAIT by a child that is not the asker. It becomes the asker where that one is out of reach.
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
        entry.ask(by: path)
        return resumed(entry, former, at: now)
            + (entry.isOpen ? [.send(pending(entry, at: now), to: peer)] : [])
    }

    /// The asker is lost, gave up or has nothing left to say: another path takes its place. Nil
    /// where none can.
    mutating func fallenBack(
        _ former: DownlinkEntry, forgettingAsker: Bool = false, at now: MonotonicTime
    ) -> [DownlinkAction]? {
        guard former.isUnsettled, let other = usablePath(of: former, at: now) else { return nil }
        var entry = former
        entry.ask(by: other)
        if forgettingAsker, let child = former.child { entry.forgetPath(by: child) }
        return resumed(entry, former, at: now)
    }

    /// Of the children that ask as well, the last that can reach the origin, as far as is known.
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

    /// Puts back an entry that may be asked by another path now, which then gets the answer.
    private mutating func resumed(
        _ entry: DownlinkEntry, _ former: DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        if !entry.isOpen, entry.asker != former.asker { return deliver(entry, at: now) }
        store(entry)
        guard entry.isOriginReachable != former.isOriginReachable else { return [] }
        return [.reachable(entry.id, entry.isOriginReachable)]
    }

    /// What a child hears that asks and is not the asker.
    private func reply(
        _ entry: DownlinkEntry, attempt: UInt64?, to peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        if case .answered(let delivery) = entry.phase {
            return [.send(.answer(toldDecision(delivery)), to: peer)]
        }
        guard let attempt else { return [.send(pending(entry, at: now), to: peer)] }
        return acknowledge(entry, attempt: attempt, to: peer, at: now)
    }
}
