// Links with keys: names are those of the keys.
extension DownlinkMachine {
    /// On a link with keys the last hop is the holder of the key, and so is the origin where there
    /// is no other hop. What a relay says of the hops behind it is the relay's word.
    func notTheKey(of present: Message.Present, _ peer: PeerID) -> Message.Reject? {
        guard let holder = peer.holder else { return nil }
        let names = [present.path.last, present.path.count > 1 ? nil : present.origin]
        guard let other = names.compactMap(\.self).first(where: { !holder.mayUse($0) }) else {
            return nil
        }
        return Message.Reject(
            .notYours, "this key belongs to \(holder.name), not to \(other)", id: present.id)
    }

    /// Ends the links of children, and forgets claims on their names, whose keys no longer pass for
    /// the names that they use.
    mutating func keysReplaced(
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
        return actions
    }
}
