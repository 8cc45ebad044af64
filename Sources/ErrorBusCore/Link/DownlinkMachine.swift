/// The parent's side of its links: it knows the children, holds their presentations, and delivers
/// each answer until the child reports its result. Pure: time comes in, actions go out.
///
/// Rules and numbers are docs/wire.md's; a comment names the rule of section 8, or another section,
/// where the code is one.
package struct DownlinkMachine: Sendable {
    let name: NodeName
    let boot: BootID
    let times: LinkTimes
    let limits: LinkLimits
    package let wireLimits: WireLimits

    /// The path from this node to the root, sent in WELCOME.
    var pathUpward: [NodeName]
    var children: [NodeName: DownlinkChild] = [:]
    /// The number of children of each key.
    var childCountOfKey: [NodeName: Int] = [:]
    /// The children that have gone and left no entries, by the times at which they went.
    var forgettable = SharedDeadlines<NodeName>()
    package var namesOfPeers: [PeerID: NodeName] = [:]
    /// The links whose names another link took over, by the times of that: their messages are
    /// dropped.
    var superseded = DeadlineQueue<PeerID>()
    var entries = EntryTable<DownlinkEntry>()
    /// The highest generation of a forgotten entry: its id may come again.
    var forgottenGeneration = 0
    var unsettledOfChild: [NodeName: Set<PresentationID>] = [:]
    var unsettledCount = 0
    /// The number of presentations that wait for a decision. Answered ones do not count: a child
    /// that collects answers without settling them takes no room from others.
    var openCount = 0
    var openOfChild: [NodeName: Int] = [:]
    /// The number of open presentations of each origin, for each child.
    var originsOfChild: [NodeName: [NodeName: Int]] = [:]
    /// The number of open presentations of each user of the node's room.
    var openOfAccount: [DownlinkEntry.Account: Int] = [:]
    /// The bytes of the reports of presentations that are not settled. Answered ones count, since
    /// their reports are kept until the attempt has ended.
    var byteCount = 0
    /// The same of each user of the node's room.
    var byteCountOfAccount: [DownlinkEntry.Account: Int] = [:]
    /// The answers that wait until their child has read more, by the time of their decision.
    var heldAnswers: [NodeName: DeadlineQueue<PresentationID>] = [:]
    /// Decided presentations that are not settled, by the time of their decision.
    var undelivered = SharedDeadlines<PresentationID>()
    /// The next check of each entry.
    var plans = DeadlineQueue<PresentationID>()
    /// Entries that only keep a result or a withdrawal, with their expiry.
    var remembered = SharedDeadlines<PresentationID>()
    /// Withdrawals of presentations that were never sent here, with their expiry.
    var unasked = SharedDeadlines<PresentationID>()
    /// The next check of each child; it may be earlier than needed.
    var childPlans = DeadlineQueue<NodeName>()
    var counters = LinkCounters()
    /// The start of the current second of STATUS requests, and their number from each holder of a
    /// key, so that no holder uses up what others may ask.
    var statusWindow: (start: MonotonicTime, counts: [KeyHolder?: Int])?
    /// The allowance of each key that is no relay's for last words that are passed on.
    var lastWords: Allowances<NodeName>
    /// The allowance of each key that is no relay's for large reports.
    var largeReports: Allowances<NodeName>
    /// The allowance of each child with many presentations for links that begin anew.
    var newLinks: Allowances<NodeName>
    var isStopping = false
    var pingNumber: UInt64 = 0
    var jitter: Jitter

    package init(
        name: NodeName, boot: BootID, times: LinkTimes = LinkTimes(),
        limits: LinkLimits = LinkLimits(), wireLimits: WireLimits = .standard, seed: UInt64
    ) {
        self.name = name
        self.boot = boot
        self.times = times
        self.limits = limits
        self.wireLimits = wireLimits
        pathUpward = [name]
        lastWords = Allowances(
            whole: UInt64(limits.lastWordsMax * 1_000 / limits.lastWordsPerSecond))
        largeReports = Allowances(
            whole: UInt64(limits.largeReportBytesMax * 1_000 / limits.largeReportBytesPerSecond))
        newLinks = Allowances(whole: UInt64(limits.newLinksMax) * limits.newLinkPause)
        jitter = Jitter(seed: seed)
    }

    /// A message arrived.
    package mutating func received(
        _ message: Message, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        if superseded.contains(peer) {
            guard case .hello(let hello) = message, !isLive(hello.from, hello.boot) else {
                return [.dropped(Anomaly(kind: .supersededLink, detail: message.verb.rawValue))]
            }
            superseded.plan(peer, at: nil)
        }
        var actions: [DownlinkAction] = []
        if let name = namesOfPeers[peer] {
            guard isHeard(message, of: name) else {
                return [.dropped(Anomaly(kind: .lostLink, detail: message.verb.rawValue))]
            }
            // By the HELLO of another process the one that had the link is not found again.
            if !isOtherLife(message, of: name) {
                guard mayBeFound(name, at: now) else {
                    return [notFound(name, by: message, from: peer)]
                }
                actions += heard(name, at: now, isLast: message.verb == .bye)
            }
        }
        guard message.verb.goesUp else {
            return actions + wrongDirection(message, from: peer)
        }
        switch message {
        case .hello(let hello): actions += helloReceived(hello, from: peer, at: now)
        case .present(let present): actions += presentReceived(present, from: peer, at: now)
        case .await(let id, let wait): actions += awaitReceived(id, wait, from: peer, at: now)
        case .settled(let settled) where isStopping: actions += notHeard(settled.id, from: peer)
        case .withdraw(let id, _, _) where isStopping: actions += notHeard(id, from: peer)
        case .settled(let settled): actions += settledReceived(settled, from: peer, at: now)
        case .withdraw(let id, let reason, let asked):
            actions += withdrawReceived(id, reason, asked, from: peer, at: now)
        case .ping(let number): actions.append(.send(.pong(number), to: peer))
        case .pong(let number): actions += ponged(number, from: peer, at: now)
        case .bye(let reason): actions += byeReceived(reason, from: peer, at: now)
        case .status: actions.append(statusReceived(from: peer, at: now))
        case .welcome, .accepted, .pending, .answer, .withdrawn, .reject, .ok, .state: break
        }
        // In place: a sum would be a copy.
        actions += ticked(at: now)
        return actions
    }

    /// Whether the message opens a link of another life of the child, on the connection that an
    /// earlier one had: a client may choose its own routing id.
    private func isOtherLife(_ message: Message, of name: NodeName) -> Bool {
        guard case .hello(let hello) = message, hello.from == name else { return false }
        return children[name].map { $0.boot != hello.boot } ?? false
    }

    /// Whether this life of a child has a live link: then a HELLO by a former one is late.
    private func isLive(_ name: NodeName, _ boot: BootID) -> Bool {
        children[name].map { $0.boot == boot && $0.isReachable && !$0.isDisconnected } ?? false
    }

    /// An invalid message arrived.
    package mutating func malformed(
        _ error: WireError, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var actions: [DownlinkAction] = [
            .dropped(Anomaly(kind: .malformed, detail: error.description))
        ]
        if superseded.contains(peer) { return actions }
        if let name = namesOfPeers[peer] {
            guard mayBeFound(name, at: now) else { return actions }
            if children[name]?.isDisconnected == true { return actions }
            actions += heard(name, at: now)
        }
        guard !error.endsExchange else { return actions }
        let reject = Message.Reject(error.code, error.reason, id: error.id)
        return actions + [.send(.reject(reject), to: peer)]
    }

    /// A reply could not be sent: its peer is gone.
    package mutating func vanished(_ peer: PeerID, at now: MonotonicTime) -> [DownlinkAction] {
        superseded.plan(peer, at: nil)
        guard let name = namesOfPeers[peer] else { return [] }
        children[name]?.isDisconnected = true
        return lost(name, reason: "the connection is gone", at: now) + ticked(at: now)
    }

    private func wrongDirection(_ message: Message, from peer: PeerID) -> [DownlinkAction] {
        let reason = "found \(message.verb.rawValue), which only a parent sends"
        let dropped = DownlinkAction.dropped(Anomaly(kind: .wrongDirection, detail: reason))
        guard !message.verb.endsExchange else { return [dropped] }
        return [dropped, .send(.reject(Message.Reject(.notYours, reason)), to: peer)]
    }

    /// The node stops: children and waiting requesters get BYE or a refusal, and present again.
    mutating func stopped(at now: MonotonicTime) -> [DownlinkAction] {
        guard !isStopping else { return [] }
        isStopping = true
        var actions: [DownlinkAction] = []
        for (_, child) in children.sorted(by: { $0.key < $1.key }) where child.isReachable {
            actions.append(.send(.bye(reason: "shutdown"), to: child.peer))
        }
        let open = entries.keys(where: \.isOpen).sorted(by: PresentationID.areInOrder)
        for id in open {
            guard var entry = entries[id] else { continue }
            actions.append(.cancel(id, generation: entry.generation, reason: .shutDown))
            if entry.isAwaited { actions += refuse(&entry, goingDown(id)) }
            entry.heldBack = nil
            store(entry)
        }
        return actions
    }

    /// A result or a withdrawal that comes after the stop: neither the journal nor a parent would
    /// get it, so its sender sends it to the next life. A child does so without a word.
    private func notHeard(_ id: PresentationID, from peer: PeerID) -> [DownlinkAction] {
        namesOfPeers[peer] == nil ? [.send(.reject(goingDown(id)), to: peer)] : []
    }

    /// The refusal of what comes after the stop.
    package func goingDown(_ id: PresentationID?) -> Message.Reject {
        Message.Reject(
            .noResponder, "node \(name) is going down", id: id, retryMilliseconds: 1_000)
    }
}

/// An action that a ``DownlinkMachine`` requests.
package enum DownlinkAction: Hashable, Sendable {
    case send(Message, to: PeerID)
    case reply(BareReply, to: PeerID)
    /// A child presents: offer it to the node's chain.
    case offer(DownlinkOffer)
    /// No child waits for the answer: withdraw the error from the chain.
    case cancel(PresentationID, generation: Int, reason: Outcome)
    /// The result of the chain's answer. May come again: `unknown` can be replaced by a result when
    /// the child returns.
    case settled(PresentationID, answer: UniqueID, RecoveryResult)
    /// The result of an answer that is not known here, for the node that decided.
    case passOn(Message.Settled)
    /// The origin withdrew a presentation that is not known here, for the nodes above.
    case passOnWithdrawal(PresentationID, Message.Asked)
    /// The origin withdrew a presentation that had ended here without its word.
    case withdrawnForGood(PresentationID, Message.Asked?)
    /// The asker became unreachable, or reachable again.
    case reachable(PresentationID, Bool)
    case log(ChildLine)
    case dropped(Anomaly)
    /// A peer requested the node's status: send STATE.
    case tellState(to: PeerID)

    /// The reason why an entry was withdrawn from the chain.
    package enum Outcome: String, Hashable, Sendable {
        case withdrawn, abandoned, expired, shutDown
    }
}

/// A presentation for the chain.
package struct DownlinkOffer: Hashable, Sendable {
    package let generation: Int
    package let present: Message.Present
    package let deadline: MonotonicTime?
}

/// The end of a presentation in the chain without an attempt by the child.
package enum DownlinkVerdict: Hashable, Sendable {
    /// Handled above: the child attempts nothing.
    case decided(Answer)
    case refused(RejectCode, String)

    /// Whether the verdict only reports that no answer came in time.
    var isExpiry: Bool {
        switch self {
        case .decided(let answer): answer.isExpiry
        case .refused(let code, _): code == .deadlinePassed
        }
    }

    /// The answer whose option was carried out at this node or above; nil if there is none.
    package var carriedOut: Answer? {
        guard case .decided(let answer) = self, answer.chosen != nil else { return nil }
        let open: [Outcome.Reason] = [.undelivered, .withdrawn]
        return open.contains { $0.rawValue == answer.reason } ? nil : answer
    }
}

/// A child with a node link, the only live link of its name.
struct DownlinkChild: Hashable, Sendable {
    /// Another process that claims the name, while its holder is being pinged.
    struct Claimant: Hashable, Sendable {
        let peer: PeerID
        let hello: Message.Hello
        let until: MonotonicTime
    }

    var peer: PeerID
    var boot: BootID
    var heardAt: MonotonicTime
    /// The most presentations that the child may have open, as in WELCOME.
    var openMax: Int
    /// The time since when the child has been live without interruption.
    var liveSince: MonotonicTime
    var pingedAt: MonotonicTime?
    /// The time since when the child has been out of reach; nil while it is live.
    var unreachableSince: MonotonicTime?
    /// Whether the child's connection is gone: later messages were sent before.
    var isDisconnected = false
    /// Whether the child's last message was BYE.
    var hasLeft = false
    var claimant: Claimant?
    /// The answers that the child may not have read.
    var unread: UnreadBytes

    var isReachable: Bool { unreachableSince == nil }
}

/// The sender of a message: the listening socket, and the envelope for replies. An address, never
/// an identity.
package struct PeerID: Hashable, Sendable {
    package let socket: Int
    package let envelope: Envelope
    /// The holder of the peer's key; nil on a socket without keys.
    package var holder: KeyHolder?

    package init(socket: Int, envelope: Envelope, holder: KeyHolder? = nil) {
        self.socket = socket
        self.envelope = envelope
        self.holder = holder
    }
}

// The status of this side of the node. Reading it changes only the count of requests.
extension DownlinkMachine {
    /// STATUS: any peer that may connect may send it, so replies per second are limited, for each
    /// key, and for all peers without keys together.
    mutating func statusReceived(
        from peer: PeerID, at now: MonotonicTime
    ) -> DownlinkAction {
        guard !isStopping else { return .send(.reject(goingDown(nil)), to: peer) }
        var window = statusWindow ?? (now, [:])
        if now.since(window.start) >= 1_000 { window = (now, [:]) }
        window.counts[peer.holder, default: 0] += 1
        statusWindow = window
        guard window.counts[peer.holder, default: 0] <= limits.statesPerSecondMax else {
            let reject = Message.Reject(
                .busy, "asked for its state more than \(limits.statesPerSecondMax) times a second",
                retryMilliseconds: 1_000 - now.since(window.start))
            return .send(.reject(reject), to: peer)
        }
        return .tellState(to: peer)
    }

    /// Adds this machine's part of the status.
    package func describe(into status: inout NodeStatus, at now: MonotonicTime) {
        status.boot = boot.description
        status.openCount = openCount
        status.counters.presentedBelow = counters.presentedBelow
        status.counters.answeredBelow = counters.answeredBelow
        status.counters.settledBelow = counters.settledBelow
        // In any order: sorting them is no work for the sockets' thread.
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
