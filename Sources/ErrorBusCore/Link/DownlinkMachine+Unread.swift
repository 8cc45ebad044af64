// The answers that a child may not have read yet (section 7): the child is not sent more of them,
// and none of them again, since a repetition would only wait behind the first one.
extension DownlinkMachine {
    /// The bytes that the header of an answer counts as.
    private static let answerHeaderByteCount = 512

    /// Whether an answer waits here until the child has read more: then it is put into the line.
    mutating func holdsBack(
        _ id: PresentationID, _ delivery: DownlinkEntry.Delivery, of child: NodeName
    ) -> Bool {
        guard delivery.result == nil, children[child]?.unread.haveRoom == false
        else { return false }
        heldAnswers[child, default: DeadlineQueue()].plan(id, at: delivery.decidedAt)
        return true
    }

    /// Whether an answer that was sent before first has to be read, or found missing.
    func mayBeUnread(_ delivery: DownlinkEntry.Delivery, by child: NodeName?) -> Bool {
        guard delivery.tries > 0, let unread = child.flatMap({ children[$0]?.unread })
        else { return false }
        return delivery.sentAfterPing.map(unread.mayBeUnread) ?? false
    }

    /// An answer was sent to a child.
    mutating func sentAnswer(
        _ id: PresentationID, _ answer: Answer, to child: NodeName, at now: MonotonicTime
    ) -> [DownlinkAction] {
        heldAnswers[child]?.plan(id, at: nil)
        children[child]?.unread.sent(Self.answerHeaderByteCount + answer.extras.payload.count)
        guard children[child]?.unread.needPing == true else { return [] }
        return pingForAnswers(child, at: now)
    }

    /// Sends the PING whose PONG says that the child has read all answers before it.
    mutating func pingForAnswers(_ name: NodeName, at now: MonotonicTime) -> [DownlinkAction] {
        guard let peer = children[name]?.peer else { return [] }
        pingNumber += 1
        children[name]?.unread.pinged(pingNumber, at: now)
        planChild(name)
        return [.send(.ping(pingNumber), to: peer)]
    }

    /// PONG: the child has read everything before the PING, and gets more.
    mutating func ponged(
        _ number: UInt64, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard let name = namesOfPeers[peer] else { return [] }
        children[name]?.unread.ponged(number)
        var actions: [DownlinkAction] = []
        while children[name]?.unread.haveRoom == true, let id = heldAnswers[name]?.popFirst() {
            guard let entry = entries[id] else { continue }
            actions += deliver(entry, at: now)
        }
        if heldAnswers[name]?.count == 0 { heldAnswers[name] = nil }
        if children[name]?.unread.needPing == true { actions += pingForAnswers(name, at: now) }
        return actions
    }

    /// The time to send the PING for answers again: a child that has said other things since may
    /// have dropped it, or the PONG, for want of room. Nil for a silent child, which gets the PING
    /// of its silence.
    func repeatedPingDue(of child: DownlinkChild) -> MonotonicTime? {
        guard let pingedAt = child.unread.pingedAt, child.heardAt > pingedAt else { return nil }
        return child.unread.repeatedPing(after: times.pingAfter)
    }
}
