import OrderedCollections

/// The parent's side of its links: knows its children, holds what each asked, and delivers every
/// answer until the child says what came of it. Pure: time comes in, actions go out.
///
/// Rules and numbers are docs/wire.md's; a comment names the rule where the code is one.
struct DownlinkMachine: Sendable {
    let name: NodeName
    let boot: BootID
    let times: LinkTimes
    let limits: LinkLimits
    let wireLimits: WireLimits

    /// Told in WELCOME: from this node to the top.
    var pathUpward: [NodeName]
    var children: [NodeName: DownlinkChild] = [:]
    var namesOfPeers: [PeerID: NodeName] = [:]
    /// Links whose name another link took over, oldest first: what still arrives there is dropped.
    var superseded: OrderedSet<PeerID> = []
    var entries: [PresentationID: DownlinkEntry] = [:]
    var unsettledOfChild: [NodeName: Set<PresentationID>] = [:]
    var unsettledCount = 0
    /// What waits for a decision. Answered counts no longer: a child that collects its answers and
    /// never says what came of them takes no other's place.
    var openCount = 0
    var openOfChild: [NodeName: Int] = [:]
    /// Those of clients without a link.
    var openOfOthers = 0
    /// Decided and not settled, by when it was decided.
    var undelivered = DeadlineQueue<PresentationID>()
    /// When to look at which entry again.
    var plans = DeadlineQueue<PresentationID>()
    /// Entries that only keep a result or a withdrawal, and until when.
    var remembered = DeadlineQueue<PresentationID>()
    /// The like for withdrawals of what was never asked.
    var unasked = DeadlineQueue<PresentationID>()
    /// When to look at which child again; it may be earlier than needed.
    var childPlans = DeadlineQueue<NodeName>()
    var counters = LinkCounters()
    /// When a second of STATUS began, and how many came in it.
    var statusWindow: (start: MonotonicTime, count: Int)?
    var isStopping = false
    var pingNumber: UInt64 = 0
    var jitter: Jitter

    init(
        name: NodeName, boot: BootID, times: LinkTimes = LinkTimes(),
        limits: LinkLimits = LinkLimits(), wireLimits: WireLimits = .standard, seed: UInt64
    ) {
        self.name = name
        self.boot = boot
        self.times = times
        self.limits = limits
        self.wireLimits = wireLimits
        pathUpward = [name]
        jitter = Jitter(seed: seed)
    }

    /// A message came in.
    mutating func received(
        _ message: Message, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        if superseded.contains(peer) {
            guard case .hello = message else {
                return [.dropped(Anomaly(kind: .supersededLink, detail: message.verb.rawValue))]
            }
            superseded.remove(peer)
        }
        var actions: [DownlinkAction] = []
        if let name = namesOfPeers[peer] {
            guard isHeard(message, of: name) else {
                return [.dropped(Anomaly(kind: .lostLink, detail: message.verb.rawValue))]
            }
            actions += heard(name, at: now)
        }
        guard message.verb.goesUp else {
            return actions + wrongDirection(message, from: peer)
        }
        switch message {
        case .hello(let hello): actions += helloReceived(hello, from: peer, at: now)
        case .present(let present): actions += presentReceived(present, from: peer, at: now)
        case .await(let id, let wait): actions += awaitReceived(id, wait, from: peer, at: now)
        case .settled(let settled): actions += settledReceived(settled, from: peer, at: now)
        case .withdraw(let id, let reason, let asked):
            actions += withdrawReceived(id, reason, asked, from: peer, at: now)
        case .ping(let number): actions.append(.send(.pong(number), to: peer))
        case .pong: break
        case .bye(let reason): actions += byeReceived(reason, from: peer, at: now)
        case .status: actions.append(statusReceived(from: peer, at: now))
        case .welcome, .accepted, .pending, .answer, .withdrawn, .reject, .ok, .state: break
        }
        return actions + ticked(at: now)
    }

    /// What came in was no message.
    mutating func malformed(
        _ error: WireError, from peer: PeerID, at now: MonotonicTime
    ) -> [DownlinkAction] {
        var actions: [DownlinkAction] = [
            .dropped(Anomaly(kind: .malformed, detail: error.description))
        ]
        if superseded.contains(peer) { return actions }
        if let name = namesOfPeers[peer] {
            if children[name]?.isDisconnected == true { return actions }
            actions += heard(name, at: now)
        }
        let reject = Message.Reject(error.code, error.reason, id: error.id)
        return actions + [.send(.reject(reject), to: peer)]
    }

    /// A reply could not be sent: the peer that it was for is gone.
    mutating func vanished(_ peer: PeerID, at now: MonotonicTime) -> [DownlinkAction] {
        superseded.remove(peer)
        guard let name = namesOfPeers[peer] else { return [] }
        children[name]?.isDisconnected = true
        return lost(name, reason: "the connection is gone", at: now) + ticked(at: now)
    }

    private func wrongDirection(_ message: Message, from peer: PeerID) -> [DownlinkAction] {
        let reason = "\(message.verb.rawValue) is a parent's to say"
        let dropped = DownlinkAction.dropped(Anomaly(kind: .wrongDirection, detail: reason))
        // A plain REQ is never left hanging; between nodes, refusals of refusals would go to and
        // fro for ever.
        let isReply = [.reject, .ok].contains(message.verb)
        guard namesOfPeers[peer] == nil || !isReply else { return [dropped] }
        return [dropped, .send(.reject(Message.Reject(.notYours, reason)), to: peer)]
    }

    /// Going down: children and waiting requesters hear so; what is open is theirs to ask again.
    mutating func stopped(at now: MonotonicTime) -> [DownlinkAction] {
        guard !isStopping else { return [] }
        isStopping = true
        var actions: [DownlinkAction] = []
        for (_, child) in children.sorted(by: { $0.key < $1.key }) where child.isReachable {
            actions.append(.send(.bye(reason: "shutdown"), to: child.peer))
        }
        let open = entries.filter(\.value.isOpen).keys.sorted(by: PresentationID.areInOrder)
        for id in open {
            guard var entry = entries[id] else { continue }
            actions.append(.cancel(id, generation: entry.generation, reason: .shutDown))
            if entry.isAwaited { actions += refuse(&entry, goingDown(id)) }
            store(entry)
        }
        return actions
    }

    func goingDown(_ id: PresentationID?) -> Message.Reject {
        Message.Reject(
            .noResponder, "node \(name) is going down", id: id, retryMilliseconds: 1_000)
    }
}

/// What a ``DownlinkMachine`` wants done.
enum DownlinkAction: Hashable, Sendable {
    case send(Message, to: PeerID)
    case reply(BareReply, to: PeerID)
    /// A child asks: hand it to the node's chain.
    case offer(DownlinkOffer)
    /// No child wants the answer any more: take the error back from the chain.
    case cancel(PresentationID, generation: Int, reason: Outcome)
    /// What came of the answer that the chain gave. May come again: `unknown` can still become a
    /// result when the child returns.
    case settled(PresentationID, answer: UniqueID, RecoveryResult)
    /// What came of an answer that is not known here: for the node that decided.
    case passOn(Message.Settled)
    /// The origin has given up what is not known here: for the nodes above.
    case passOnWithdrawal(PresentationID, Message.Asked)
    /// The origin has given up what had ended here before without its word.
    case withdrawnForGood(PresentationID, Message.Asked?)
    /// The asker cannot be reached, or can again.
    case reachable(PresentationID, Bool)
    case childUp(NodeName)
    case childDown(NodeName, reason: String)
    case dropped(Anomaly)
    /// A peer asked how the node is: send STATE.
    case tellState(to: PeerID)

    /// Why an entry was taken back from the chain.
    enum Outcome: String, Hashable, Sendable {
        case withdrawn, abandoned, expired, shutDown
    }
}

/// A presentation for the chain.
struct DownlinkOffer: Hashable, Sendable {
    let generation: Int
    let present: Message.Present
    let deadline: MonotonicTime?
}

/// How the chain's work on a presentation ended without its child's own options being run.
enum DownlinkVerdict: Hashable, Sendable {
    /// Dealt with above: the child attempts nothing.
    case decided(Answer)
    case refused(RejectCode, String)
}

/// A child that opened a node link: the one live link of its name.
struct DownlinkChild: Hashable, Sendable {
    /// Another process that claims the name, waiting for whether its holder still lives.
    struct Claimant: Hashable, Sendable {
        let peer: PeerID
        let hello: Message.Hello
        let until: MonotonicTime
    }

    var peer: PeerID
    var boot: BootID
    var heardAt: MonotonicTime
    /// Since when it has been live without a break.
    var liveSince: MonotonicTime
    var pingedAt: MonotonicTime?
    /// Since when nothing reaches it; nil while it lives.
    var unreachableSince: MonotonicTime?
    /// Its connection is gone: what still comes from it was sent before.
    var isDisconnected = false
    /// It said BYE, and nothing since.
    var hasLeft = false
    var claimant: Claimant?

    var isReachable: Bool { unreachableSince == nil }
}

/// The sender of a message: the listening socket it came in by, and the envelope that leads back.
/// An address, never an identity.
struct PeerID: Hashable, Sendable {
    let socket: Int
    let envelope: Envelope
}

/// How this side of the node is. Asking changes nothing but the count of askings.
extension DownlinkMachine {
    /// STATUS: any peer that may connect may ask, so replies per second are limited.
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
