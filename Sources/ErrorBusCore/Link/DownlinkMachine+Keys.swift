// Links with keys: names are those of the keys.
extension DownlinkMachine {
    /// The refusal of a PRESENT in another name. On a link with keys the last hop is the holder of
    /// the key, and so is the origin, unless the key is a relay's. What a relay says of the hops
    /// behind it is the relay's word, within the topology.
    func notTheKey(of present: Message.Present, _ peer: PeerID) -> Message.Reject? {
        guard let holder = peer.holder else { return nil }
        let isPassedOn = holder.isRelay && present.path.count > 1
        let names = [present.path.last, isPassedOn ? nil : present.origin]
        if let other = names.compactMap(\.self).first(where: { !holder.mayUse($0) }) {
            return notTheKey(of: other, holder, present.id)
        }
        guard isPassedOn || present.path.count == 1 else {
            return Message.Reject(
                .notYours, "this key belongs to \(holder.name), which is not a relay",
                id: present.id)
        }
        let others = [present.origin] + present.path.dropLast()
        return others.first { !holder.maySpeak(for: $0) }.map { other in
            notBelow(holder, other, present.id)
        }
    }

    /// The refusal of a last word for another origin than the holder of the key, unless the key is
    /// that of a relay above it.
    func notTheKey(
        of asked: Message.Asked, _ peer: PeerID, _ id: PresentationID
    ) -> Message.Reject? {
        guard let holder = peer.holder, !holder.maySpeak(for: asked.origin) else { return nil }
        return holder.isRelay
            ? notBelow(holder, asked.origin, id) : notTheKey(of: asked.origin, holder, id)
    }

    /// The refusal of a relay's word for a node that the topology places elsewhere. With the
    /// retry: one of the two may not have the present topology yet.
    private func notBelow(
        _ holder: KeyHolder, _ other: NodeName, _ id: PresentationID
    ) -> Message.Reject {
        Message.Reject(
            .notYours, "the topology does not place \(other) below \(holder.name)", id: id,
            retryMilliseconds: 2_000)
    }

    private func notTheKey(
        of other: NodeName, _ holder: KeyHolder, _ id: PresentationID
    ) -> Message.Reject {
        Message.Reject(.notYours, "this key belongs to \(holder.name), not to \(other)", id: id)
    }

    /// The refusal of one more last word that would be passed on, to the nodes above and the
    /// journal; its sender sends it again. A relay says what many origins say.
    mutating func tooManyLastWords(
        _ id: PresentationID, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction]? {
        let pause = UInt64(1_000 / limits.lastWordsPerSecond)
        guard let holder = peer.holder, !holder.isRelay,
            !lastWords.take(pause, of: holder.name, at: now)
        else { return nil }
        let most = "\(limits.lastWordsMax) results and withdrawals of unknown ids at once"
        let reject = Message.Reject(
            .busy, "the key of \(holder.name) sent more than \(most)", id: id,
            retryMilliseconds: 10_000)
        return [
            .dropped(Anomaly(kind: .excess, detail: "of the key of \(holder.name): \(most)")),
            .send(.reject(reject), to: peer),
        ]
    }

    /// Ends the links of children, and forgets claims on their names, whose keys no longer pass for
    /// the names that they use. Gives up the presentations of clients without a link that used such
    /// keys, unless a child asks for them as well.
    package mutating func keysReplaced(
        at now: MonotonicTime, _ accepts: (KeyHolder, NodeName) -> Bool
    ) -> [DownlinkAction] {
        func isRevoked(_ peer: PeerID, _ name: NodeName) -> Bool {
            peer.holder.map { !accepts($0, name) } ?? false
        }
        var actions: [DownlinkAction] = []
        for (name, child) in children.sorted(by: { $0.key < $1.key }) where child.isReachable {
            if let claimant = child.claimant, isRevoked(claimant.peer, name) {
                children[name]?.claimant = nil
            }
            guard isRevoked(child.peer, name) else { continue }
            actions += lost(name, reason: "its key is no longer known", at: now)
        }
        let revoked = entries.keys { entry in
            guard entry.isOpen, let holder = entry.asker.peerWithoutLink?.holder
            else { return false }
            return !accepts(holder, holder.name)
        }
        for id in revoked.sorted(by: { $0.description < $1.description }) {
            guard var entry = entries[id] else { continue }
            if let fallen = fallenBack(entry, at: now) {
                actions += fallen
                continue
            }
            entry.phase = .abandoned(until: now + times.tombstone)
            entry.stopWaiting()
            store(entry)
            actions.append(.cancel(id, generation: entry.generation, reason: .abandoned))
        }
        return actions
    }
}
