/// How this side of the node is. Asking changes nothing but the count of askings.
extension DownlinkMachine {
    /// STATUS: from anybody who may connect, so it is answered so often and no more.
    mutating func statusReceived(
        from peer: PeerID, at now: MonotonicTime
    ) -> DownlinkAction {
        guard !isStopping else { return .send(.reject(goingDown(nil)), to: peer) }
        var window = statusWindow ?? (now, 0)
        if now.since(window.start) >= 1_000 { window = (now, 0) }
        window.count += 1
        statusWindow = window
        guard window.count <= limits.statesPerSecondMax else {
            let reject = Message.Reject(
                .busy, "asked for its state more than \(limits.statesPerSecondMax) times a second",
                retryMilliseconds: 1_000 - now.since(window.start))
            return .send(.reject(reject), to: peer)
        }
        return .tellState(to: peer)
    }

    /// Puts in what this machine knows.
    func tell(into status: inout NodeStatus, at now: MonotonicTime) {
        status.boot = boot.description
        status.openCount = openCount
        status.counters.presentedBelow = counters.presentedBelow
        status.counters.answeredBelow = counters.answeredBelow
        status.counters.settledBelow = counters.settledBelow
        // All of them, in any order: putting them in order is no work for the sockets' thread.
        status.children = children.map { name, child in self.status(of: child, name, at: now) }
    }

    private func status(
        of child: DownlinkChild, _ name: NodeName, at now: MonotonicTime
    ) -> ChildStatus {
        let open = openOfChild[name] ?? 0
        return ChildStatus(
            name: name, state: child.isReachable ? .live : child.hasLeft ? .left : .lost,
            sinceMilliseconds: now.since(child.unreachableSince ?? child.liveSince),
            openCount: open, answeredCount: (unsettledOfChild[name]?.count ?? open) - open)
    }
}
