// Links of a child that begin anew. Each is work for all of the child's presentations that have no
// result: they are out of reach, or in reach again, which the nodes above hear too, and answers are
// sent again. So a child with many of them may have only so many such links: other children need
// not wait for it.
extension DownlinkMachine {
    /// Whether a message of a child counts. A connection that is gone cannot be answered.
    mutating func isHeard(_ message: Message, of name: NodeName) -> Bool {
        guard children[name]?.isDisconnected == true else { return true }
        if case .hello = message { children[name]?.isDisconnected = false }
        return message.verb.outlivesConnection
    }

    /// Whether a child that is out of reach is in reach again with its next message. With BYE and
    /// that message in turn it would lose its link, and find it, without an end.
    mutating func mayBeFound(_ name: NodeName, at now: MonotonicTime) -> Bool {
        guard let child = children[name], !child.isReachable, !child.isDisconnected else {
            return true
        }
        return mayBegin(linkOf: name, at: now)
    }

    /// What becomes of a message by which its child may not be in reach again. HELLO gets a reply:
    /// without one, its sender would greet in vain until it gives this node up.
    func notFound(_ name: NodeName, by message: Message, from peer: PeerID) -> DownlinkAction {
        if case .hello = message { return noMoreLinks(of: name, from: peer) }
        return .dropped(Anomaly(kind: .lostLink, detail: message.verb.rawValue))
    }

    /// The refusal of a HELLO that begins one more link than its child may have; nil otherwise, and
    /// for a HELLO that only comes again.
    mutating func tooManyLinks(
        _ hello: Message.Hello, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction]? {
        guard let child = children[hello.from], child.boot != hello.boot || child.peer != peer,
            !mayBegin(linkOf: hello.from, at: now)
        else { return nil }
        return [noMoreLinks(of: hello.from, from: peer)]
    }

    private func noMoreLinks(of name: NodeName, from peer: PeerID) -> DownlinkAction {
        let reject = Message.Reject(
            .busy, "\(limits.newLinksMax) new links of \(name); no more are allowed now",
            retryMilliseconds: 5_000)
        return .send(.reject(reject), to: peer)
    }

    /// Whether a link of a child may begin anew, which then counts.
    mutating func mayBegin(linkOf name: NodeName, at now: MonotonicTime) -> Bool {
        guard unsettledOfChild[name]?.count ?? 0 > limits.lightChildMax else { return true }
        return newLinks.take(limits.newLinkPause, of: name, at: now)
    }
}
