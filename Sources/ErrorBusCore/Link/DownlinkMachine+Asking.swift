extension DownlinkMachine {
    /// PRESENT: a new presentation, or a repeated one (rules 1 and 2).
    mutating func presentReceived(
        _ present: Message.Present, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let child = namesOfPeers[peer]
        var present = present
        let digest = present.digest ?? ReportDigest(of: present.payload)
        present.digest = digest
        let wait = min(present.waitMilliseconds ?? 0, WireLimits.waitMillisecondsMax)
        let asker: DownlinkEntry.Asker =
            if let child { .child(child) } else {
                .requester(.init(peer: peer, until: now + wait))
            }
        if let refusal = refusal(of: present) ?? notTheKey(of: present, peer)
            ?? notTheOrigin(present.origin, present.id, child)
            ?? notTheOrigin(present.path.last ?? present.origin, present.id, child)
        {
            return [.send(.reject(refusal), to: peer)]
        }
        return asked(
            present, digest: digest, bare: nil, asker: asker, peer: peer, at: now)
    }

    /// A client presents with one JSON frame; it gets one JSON frame in reply, possibly much later.
    package mutating func bareReceived(
        _ request: BareRequest, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let digest = ReportDigest(of: request.payload)
        let present = Message.Present(
            id: request.id, origin: .bare,
            // With keys it is known whose client it is.
            path: [.bare] + (peer.holder.map { [$0.name] } ?? []), digest: digest,
            leftMilliseconds: request.deadlineMilliseconds ?? times.bareWaitMax,
            payload: request.payload)
        if let refusal = refusal(of: present) ?? notTheOrigin(.bare, present.id, nil) {
            return [.reply(BareReply(refusal), to: peer)]
        }
        return asked(
            present, digest: digest, bare: request, asker: .bare(peer), peer: peer, at: now)
            + ticked(at: now)
    }

    /// The refusal for its hops (section 10) or for the node's state.
    private func refusal(of present: Message.Present) -> Message.Reject? {
        let id = present.id
        if isStopping { return goingDown(id) }
        if let refusal = notAChild(present.origin, id) { return refusal }
        if present.path.contains(name) {
            return Message.Reject(
                .loop, "\(name) is in the path already: \(present.path.asHeaderField)", id: id)
        }
        guard present.path.count <= WireLimits.hopCountMax else {
            return Message.Reject(
                .tooManyHops,
                "\(present.path.count) hops; at most \(WireLimits.hopCountMax) are allowed", id: id)
        }
        return nil
    }

    /// The refusal of this node's own name as the origin of what a child presents.
    func notAChild(_ origin: NodeName, _ id: PresentationID) -> Message.Reject? {
        guard origin == name else { return nil }
        return Message.Reject(
            .loop, "\(name) is this node's own name; it is no child's origin", id: id)
    }

    /// A node with a live link here presents for itself: no other peer may present in its name. A
    /// node that just changed its parent is admitted once its old link is known to be lost, hence
    /// the retry.
    func notTheOrigin(
        _ origin: NodeName, _ id: PresentationID, _ child: NodeName?
    ) -> Message.Reject? {
        guard origin != child, children[origin]?.isReachable == true else { return nil }
        return Message.Reject(
            .notYours, "\(origin) has a live link here and asks for itself", id: id,
            retryMilliseconds: 2_000)
    }

    private mutating func asked(
        _ present: Message.Present, digest: ReportDigest, bare: BareRequest?,
        asker: DownlinkEntry.Asker, peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let word = Message.Asked(origin: present.origin, digest: digest)
        if let entry = entries[present.id],
            !entry.isWithdrawal(ofOtherThan: word, by: peer.holder?.name)
        {
            // One frame has no name of its own: another key's is another report.
            guard entry.origin ?? present.origin == present.origin,
                entry.digest ?? digest == digest,
                !entry.isBare || entry.key == peer.holder?.name || entry.isAsked(by: asker)
            else {
                let reject = Message.Reject(
                    .conflict, RejectCode.anotherReport, id: present.id)
                return [refuse(reject, asker, peer)]
            }
            return askedAgain(present, entry, bare, asker: asker, peer: peer, at: now)
        }
        let entry = DownlinkEntry(
            id: present.id, origin: present.origin, digest: digest,
            byteCount: present.payload.count, offered: bare?.offered, onExpiry: bare?.onExpiry,
            asker: asker, key: peer.holder?.name, generation: forgottenGeneration + 1,
            askedAt: now, askedBy: boot(of: asker), deadline: deadline(of: present, at: now),
            standingSince: now, isCutOffBelow: !present.isOriginReachable)
        if let refusal = unopenable(present, entry, of: peer.holder, at: now) {
            // Without any time no answer comes in time.
            if refusal.code == .deadlinePassed, let applied = answerOnExpiry(of: entry) {
                return [.reply(BareReply(entry.id, applied), to: peer)]
            }
            return [refuse(refusal, asker, peer)]
        }
        return opened(entry, present, at: now)
    }

    private func deadline(
        of present: Message.Present, at now: MonotonicTime
    ) -> MonotonicTime? {
        present.leftMilliseconds.map { now + $0 }
    }

    private func boot(of asker: DownlinkEntry.Asker) -> BootID? {
        if case .child(let name) = asker { children[name]?.boot } else { nil }
    }

    private func refuse(
        _ reject: Message.Reject, _ asker: DownlinkEntry.Asker, _ peer: PeerID
    ) -> DownlinkAction {
        if case .bare = asker { return .reply(BareReply(reject), to: peer) }
        return .send(.reject(reject), to: peer)
    }

    /// The reason why no new entry can be opened for the presentation.
    private mutating func unopenable(
        _ present: Message.Present, _ entry: DownlinkEntry, of holder: KeyHolder?,
        at now: MonotonicTime
    ) -> Message.Reject? {
        if present.leftMilliseconds == 0 {
            return Message.Reject(.deadlinePassed, "no time is left", id: present.id)
        }
        return overLimit(entry, of: holder) ?? tooFast(entry, of: holder, at: now)
    }

    private mutating func opened(
        _ entry: consuming DownlinkEntry, _ present: Message.Present, at now: MonotonicTime
    ) -> [DownlinkAction] {
        let child = entry.child
        if child != nil {
            entry.heldBack = .init(attempt: present.attempt, until: now + times.holdBack)
        }
        let offer = DownlinkAction.offer(
            DownlinkOffer(
                generation: entry.generation, present: present, deadline: entry.deadline))
        store(entry)
        counters.presentedBelow += 1
        var actions = [offer]
        if let child { actions += welcomeMore(of: child) }
        return actions
    }

    private mutating func askedAgain(
        _ present: Message.Present, _ former: DownlinkEntry, _ bare: BareRequest?,
        asker: DownlinkEntry.Asker, peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        if case .child(let name) = asker, !present.isOriginReachable || former.isAwaitedByBare,
            let actions = askedBeside(former, from: name, present, peer: peer, at: now)
        {
            return actions
        }
        var entry = former
        entry.key = peer.holder?.name
        var actions = replaceWaiting(former.asker, by: asker, of: entry, at: now)
        // The former asker stays a path, and would get no other.
        if asker != former.asker { actions += acknowledgeHeldBack(&entry, at: now) }
        let wasReachable = entry.isOriginReachable
        entry.asked(by: asker, bare, boot(of: asker), !present.isOriginReachable, at: now)
        switch entry.phase {
        case .open:
            // A bare client never waits without a limit.
            if entry.isBare, entry.deadline == nil {
                entry.deadline = deadline(of: present, at: now)
            }
            store(entry)
            if entry.isOriginReachable != wasReachable {
                actions.append(.reachable(entry.id, entry.isOriginReachable))
            }
            // A relay may take over the presentations of another.
            if let child = entry.child { actions += welcomeMore(of: child) }
            return actions + acknowledge(entry, attempt: present.attempt, at: now)
        case .answered(let delivery) where delivery.result == .withdrawn:
            // The origin ended without it: as an answer, the option would seem carried out.
            entry.stopWaiting()
            store(entry)
            return actions + [answerGone(entry, peer)]
        case .answered(let given):
            guard var delivery = entry.accepted(given) else {
                let reject = Message.Reject(
                    .conflict,
                    "answered on another path with an option that this client may not carry out; "
                        + "ask again later for its result", id: entry.id)
                return [refuse(reject, asker, peer)]
            }
            // The result never came: the option is sent down again (rule 2).
            if delivery.result == .unknown, !entry.isBare {
                delivery.result = nil
                delivery.until = nil
                delivery.decidedAt = now
            }
            entry.phase = .answered(delivery)
            return actions + deliver(entry, isAsked: true, at: now) + giveUpAboveLimit(at: now)
        case .withdrawn:
            entry.stopWaiting()
            store(entry)
            return actions + [answerGone(entry, peer)]
        case .refused(let reject, _):
            entry.stopWaiting()
            store(entry)
            toldRefusal(entry, reject)
            return actions + [refuse(reject, asker, peer)]
        case .abandoned:
            if let refusal = unopenable(present, entry, of: peer.holder, at: now) {
                return actions + [refuse(refusal, asker, peer)]
            }
            entry.reopen(until: deadline(of: present, at: now), at: now)
            return actions + opened(entry, present, at: now)
        }
    }

    /// A passed deadline stays; after any other refusal the presentation may return.
    private mutating func toldRefusal(_ entry: DownlinkEntry, _ reject: Message.Reject) {
        if reject.code != .deadlinePassed { forget(entry.id) }
    }

    private func answerGone(_ entry: DownlinkEntry, _ peer: PeerID) -> DownlinkAction {
        if case .bare = entry.asker {
            let reject = Message.Reject(.gone, "withdrawn before under this id", id: entry.id)
            return .reply(BareReply(reject), to: peer)
        }
        return .send(.withdrawn(id: entry.id), to: peer)
    }

    /// Replies to an earlier request that still waits, before another request replaces it.
    func replaceWaiting(
        _ former: DownlinkEntry.Asker, by asker: DownlinkEntry.Asker, of entry: DownlinkEntry,
        at now: MonotonicTime
    ) -> [DownlinkAction] {
        switch former {
        case .requester(let waiting?):
            return [.send(pending(entry, at: now), to: waiting.peer)]
        case .bare(let peer?):
            if asker == .bare(peer) { return [] }
            let reject = Message.Reject(.conflict, "asked again by a newer request", id: entry.id)
            return [.reply(BareReply(reject), to: peer)]
        case .child, .requester(nil), .bare(nil):
            return []
        }
    }

    /// AWAIT: the asker still waits.
    mutating func awaitReceived(
        _ id: PresentationID, _ wait: UInt64, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard var entry = entries[id] else {
            return [.send(.reject(Message.Reject(.unknownID, "no such id", id: id)), to: peer)]
        }
        if let refusal = notTheAsker(entry, peer) { return refusal }
        switch entry.phase {
        case .abandoned:
            return [.send(.reject(Message.Reject(.unknownID, "abandoned", id: id)), to: peer)]
        case .withdrawn: return [.send(.withdrawn(id: id), to: peer)]
        case .answered(let delivery) where delivery.result == .withdrawn:
            return [.send(.withdrawn(id: id), to: peer)]
        case .refused(let reject, _):
            toldRefusal(entry, reject)
            return [.send(.reject(reject), to: peer)]
        case .open, .answered: break
        }
        if let name = namesOfPeers[peer], entry.child != name {
            return awaitedByOther(entry, name, peer: peer, at: now)
        }
        var actions: [DownlinkAction] = []
        if case .requester(let former) = entry.asker {
            if former != nil {
                actions += replaceWaiting(entry.asker, by: .requester(nil), of: entry, at: now)
            }
            entry.asker = .requester(
                .init(peer: peer, until: now + min(wait, WireLimits.waitMillisecondsMax)))
        }
        if entry.unreachableSince != nil, !entry.isCutOffBelow {
            actions.append(.reachable(id, true))
        }
        entry.unreachableSince = nil
        entry.askedAt = now
        entry.askedBy = boot(of: entry.asker)
        if case .answered = entry.phase { return actions + deliver(entry, isAsked: true, at: now) }
        store(entry)
        guard case .child = entry.asker else { return actions }
        return actions + [.send(pending(entry, at: now), to: peer)]
    }

    /// A sibling may not act on a presentation that it did not present (section 10).
    func notTheAsker(_ entry: DownlinkEntry, _ peer: PeerID) -> [DownlinkAction]? {
        let sibling = namesOfPeers[peer]
        let isTheirs: Bool =
            switch entry.asker {
            case .child(let name): sibling == name
            case .requester: sibling == nil && entry.key == peer.holder?.name
            case .bare: false  // One frame is all that such a client says.
            }
        if isTheirs || entry.otherPaths.contains(where: { $0.child == sibling }) { return nil }
        let reason = "this presentation was asked by another peer"
        return [
            .dropped(Anomaly(kind: .notTheAsker, detail: "\(entry.id)")),
            .send(.reject(Message.Reject(.notYours, reason, id: entry.id)), to: peer),
        ]
    }

    /// ACCEPTED and the state, for a child; a requester waits for its one reply.
    private func acknowledge(
        _ entry: DownlinkEntry, attempt: UInt64, at now: MonotonicTime
    ) -> [DownlinkAction] {
        // Another life of the child presents again.
        guard case .child(let name) = entry.asker, let child = children[name],
            child.isReachable, child.boot == entry.askedBy
        else { return [] }
        return acknowledge(entry, attempt: attempt, to: child.peer, at: now)
    }

    /// Sends the acknowledgement that was held back, if any.
    func acknowledgeHeldBack(
        _ entry: inout DownlinkEntry, at now: MonotonicTime
    ) -> [DownlinkAction] {
        guard entry.isOpen, let heldBack = entry.heldBack else { return [] }
        entry.heldBack = nil
        return acknowledge(entry, attempt: heldBack.attempt, at: now)
    }

    func acknowledge(
        _ entry: DownlinkEntry, attempt: UInt64, to peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var actions: [DownlinkAction] = [.send(.accepted(id: entry.id, attempt: attempt), to: peer)]
        if entry.standing != nil { actions.append(.send(pending(entry, at: now), to: peer)) }
        return actions
    }

    func pending(_ entry: DownlinkEntry, at now: MonotonicTime) -> Message {
        .pending(
            Message.Pending(
                id: entry.id, state: entry.standing ?? .relayed,
                sinceMilliseconds: now.since(entry.standingSince), by: entry.standingBy))
    }
}
