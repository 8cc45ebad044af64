// The places of children: a limited number, for the node and for each key. All of it costs O(log n)
// in the number of children, since a peer can send any number of HELLOs.
extension DownlinkMachine {
    /// Makes room for one more child if there is none: forgets the child without entries that left
    /// first, of the key if it has too many children, else of the node. Returns the limit if no
    /// child can be forgotten.
    mutating func makeRoom(for holder: KeyHolder?, at now: MonotonicTime) -> String? {
        if let key = holder?.name, childCountOfKey[key] ?? 0 >= limits.childrenPerKeyMax {
            let gone = forgettable.popFirst(of: .key(key))
            guard let gone else { return "\(limits.childrenPerKeyMax) children of this key" }
            place(nil, as: gone)
        }
        guard children.count >= limits.childrenMax else { return nil }
        guard let gone = forgettable.pop(at: now) else { return "\(children.count) children" }
        place(nil, as: gone)
        return nil
    }

    /// Puts a child in the place of its name; nil empties it.
    mutating func place(_ child: DownlinkChild?, as name: NodeName) {
        if let former = children[name] {
            namesOfPeers[former.peer] = nil
            forgettable.plan(name, of: former.account, at: nil)
            count(-1, former)
        }
        children[name] = child
        if let child {
            namesOfPeers[child.peer] = name
            count(1, child)
        }
        planChild(name)
    }

    private mutating func count(_ change: Int, _ child: DownlinkChild) {
        guard let key = child.peer.holder?.name else { return }
        let count = (childCountOfKey[key] ?? 0) + change
        childCountOfKey[key] = count > 0 ? count : nil
    }

    /// Plans the next check of a child.
    mutating func planChild(_ name: NodeName) {
        childPlans.plan(name, at: children[name].map(due))
        planForgetting(name)
    }

    /// Plans whether another child may take the place of this child: once it has gone, while it has
    /// no entries.
    mutating func planForgetting(_ name: NodeName) {
        guard let child = children[name] else { return }
        let since = unsettledOfChild[name] == nil ? child.unreachableSince : nil
        forgettable.plan(name, of: child.account, at: since)
    }

    private func due(of child: DownlinkChild) -> MonotonicTime {
        if let gone = child.unreachableSince { return gone + times.tombstone }
        let silence = child.pingedAt == nil ? times.pingAfter : times.silenceMax
        let due = child.heardAt + silence
        return repeatedPingDue(of: child).orEarlier(child.claimant?.until).orEarlier(due) ?? due
    }
}

extension DownlinkChild {
    /// The account of the key; all peers without keys have one.
    fileprivate var account: DownlinkEntry.Account { peer.holder.map { .key($0.name) } ?? .others }
}
