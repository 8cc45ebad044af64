/// One presentation that a child asked.
struct DownlinkEntry: Hashable, Sendable {
    /// Who asks, and how it gets its answer.
    enum Asker: Hashable, Sendable {
        /// A child with a link: gets pushes.
        case child(NodeName)
        /// A peer that gets exactly one reply per request; nil while no request of its waits.
        case requester(Waiting?)
        /// A client of one JSON frame; nil once it got its reply.
        case bare(PeerID?)
    }

    struct Waiting: Hashable, Sendable {
        let peer: PeerID
        let until: MonotonicTime
    }

    enum Phase: Hashable, Sendable {
        /// The chain works on it. Becomes answered, withdrawn, abandoned, refused.
        case open
        /// Decided; being delivered, or delivered and kept for those who ask again.
        case answered(Delivery)
        /// The origin gave up: final under this id.
        case withdrawn(until: MonotonicTime)
        /// No child asked any more. Becomes open when asked again.
        case abandoned(until: MonotonicTime)
        /// Too late: kept for those who ask again.
        case refused(Message.Reject, until: MonotonicTime)
    }

    struct Delivery: Hashable, Sendable {
        var answer: Answer
        /// The origin gave it up, and so has not got the answer.
        var isWithdrawn = false
        /// What the side below reported; nil while delivery goes on.
        var result: RecoveryResult?
        /// Since when it is decided.
        var decidedAt: MonotonicTime
        var tries = 0
        var next: MonotonicTime?
        /// Until when it is kept, once there is a result.
        var until: MonotonicTime?

        /// What the peer that asks gets: once settled the result, never the option again (rule 1).
        var told: Answer {
            var answer = answer
            switch result {
            case .recovered: answer.didRecover = true
            case .failed, .late, .withdrawn, .invalid: answer.didRecover = false
            case .unknown, nil: break
            }
            return answer
        }
    }

    /// A child that the origin asks by, beside the asker.
    struct Path: Hashable, Sendable {
        let child: NodeName
        /// The life of the child that asked.
        let boot: BootID?
        var askedAt: MonotonicTime
        /// It says that it has lost the origin, or a hop below it has.
        let isCutOff: Bool
    }

    /// Above it the one that asked longest ago is no path any more: its AWAIT gets 403, and it asks
    /// again.
    static let otherPathsMax = 8

    let id: PresentationID
    /// Nil when it was withdrawn before it was ever asked.
    let origin: NodeName?
    let digest: ReportDigest?
    /// What a bare client can carry out: this hop is its end of the protocol, and refuses other
    /// options for it. Nil for everybody else.
    var offered: [String]?
    /// The option that a bare client gets when no answer comes in time.
    var onExpiry: String?
    var asker: Asker
    /// The last that asked comes last.
    private(set) var otherPaths: [Path] = []
    var phase: Phase = .open
    /// One more with every reopening, so that what an earlier asking still sends is recognized.
    var generation = 1
    /// When a child last asked.
    var askedAt: MonotonicTime
    var askedBy: BootID?
    var deadline: MonotonicTime?
    var standing: PresentationState.Station?
    var standingBy: String?
    var standingSince: MonotonicTime
    /// A hop below says that it has lost the origin.
    var isCutOffBelow = false
    /// Since when its asker is known to be out of reach.
    var unreachableSince: MonotonicTime?

    var isOpen: Bool { phase == .open }

    /// Whether the origin can be reached, as far as this hop knows.
    var isOriginReachable: Bool { unreachableSince == nil && !isCutOffBelow }

    /// The answer that went down, where one of the child's own options was chosen.
    var answer: Answer? {
        guard case .answered(let delivery) = phase else { return nil }
        return delivery.answer.chosen == nil ? nil : delivery.answer
    }

    /// What was asked, for a node above that may not know it.
    var asked: Message.Asked? {
        guard let origin, let digest else { return nil }
        return .init(origin: origin, digest: digest)
    }

    /// What came of it is not known yet.
    var isUnsettled: Bool {
        switch phase {
        case .open: true
        case .answered(let delivery): delivery.result == nil
        case .withdrawn, .abandoned, .refused: false
        }
    }

    /// Since when its answer waits to be delivered and settled.
    var undeliveredSince: MonotonicTime? {
        guard case .answered(let delivery) = phase, delivery.result == nil else { return nil }
        return delivery.decidedAt
    }

    /// Until when it is remembered; nil while it is unsettled.
    var forgetAt: MonotonicTime? {
        switch phase {
        case .open: nil
        case .answered(let delivery): delivery.until
        case .withdrawn(let until), .abandoned(let until), .refused(_, let until): until
        }
    }

    /// Whose presentation it is, where that is a child with a link.
    var child: NodeName? {
        if case .child(let name) = asker { name } else { nil }
    }

    /// Whether the one that gets the answer is the origin itself: a child of that name, or a peer
    /// without a link.
    func isAsked(byOrigin peer: NodeName?) -> Bool {
        switch asker {
        case .child(let name): name == origin && name == peer
        case .requester: peer == nil
        case .bare: false
        }
    }

    /// PRESENT: the asker is the last that asked.
    mutating func asked(
        by asker: Asker, _ boot: BootID?, _ isCutOff: Bool, at now: MonotonicTime
    ) {
        if case .child(let name) = asker {
            ask(by: Path(child: name, boot: boot, askedAt: now, isCutOff: isCutOff))
        } else {
            self.asker = asker
            askedBy = boot
            askedAt = now
            isCutOffBelow = isCutOff
            unreachableSince = nil
        }
    }

    /// This child gets the answer from now on; the child that did stays a path.
    mutating func ask(by path: Path) {
        let former = child.map {
            Path(child: $0, boot: askedBy, askedAt: askedAt, isCutOff: isCutOffBelow)
        }
        if let former { note(former) }
        forgetPath(by: path.child)
        asker = .child(path.child)
        askedBy = path.boot
        askedAt = path.askedAt
        isCutOffBelow = path.isCutOff
        unreachableSince = nil
    }

    /// What a child says that is not the asker.
    mutating func note(_ path: Path) {
        forgetPath(by: path.child)
        otherPaths.append(path)
        if otherPaths.count > Self.otherPathsMax { otherPaths.removeFirst() }
    }

    mutating func forgetPath(by child: NodeName) { otherPaths.removeAll { $0.child == child } }

    mutating func forgetOtherPaths() { otherPaths = [] }

    var isBare: Bool {
        if case .bare = asker { true } else { false }
    }

    /// Whether a request waits for its one reply.
    var isAwaited: Bool {
        switch asker {
        case .requester(_?), .bare(_?): true
        case .child, .requester(nil), .bare(nil): false
        }
    }

    /// No request waits for a reply any more.
    mutating func stopWaiting() {
        switch asker {
        case .child: break
        case .requester: asker = .requester(nil)
        case .bare: asker = .bare(nil)
        }
    }
}

extension Answer {
    /// Whether it only says that no answer came in time.
    var isExpiry: Bool { chosen == nil && reason == Outcome.Reason.expired.rawValue }
}
