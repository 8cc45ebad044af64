/// One presentation of a child, as its parent holds it.
struct DownlinkEntry: Hashable, Sendable {
    /// The peer that waits for the answer, and the way in which it gets the answer.
    enum Asker: Hashable, Sendable {
        /// A child with a link, which gets pushes.
        case child(NodeName)
        /// A peer that gets exactly one reply per request; nil while none of its requests waits.
        case requester(Waiting?)
        /// A client of one JSON frame; nil once it has its reply.
        case bare(PeerID?)

        /// The client that waits without a link.
        var peerWithoutLink: PeerID? {
            switch self {
            case .child: nil
            case .requester(let waiting): waiting?.peer
            case .bare(let peer): peer
            }
        }
    }

    /// A user of the node's room.
    enum Account: Hashable, Sendable {
        /// All presentations by the key of this name.
        case key(NodeName)
        /// A child without a key.
        case child(NodeName)
        /// All clients without a link and a key together.
        case others
    }

    struct Waiting: Hashable, Sendable {
        let peer: PeerID
        let until: MonotonicTime
    }

    /// An acknowledgement that was not sent yet, since the answer may come before it.
    struct HeldBack: Hashable, Sendable {
        /// The attempt of the PRESENT that it acknowledges.
        let attempt: UInt64
        let until: MonotonicTime
    }

    enum Phase: Hashable, Sendable {
        /// The presentation is in the chain. Becomes answered, withdrawn, abandoned, refused.
        case open
        /// Answered; the answer is being delivered, or kept for repeated requests.
        case answered(Delivery)
        /// Withdrawn by the origin: final under this id.
        case withdrawn(until: MonotonicTime)
        /// No child waits for the presentation. Another PRESENT reopens it.
        case abandoned(until: MonotonicTime)
        /// Refused after its deadline; kept for repeated requests.
        case refused(Message.Reject, until: MonotonicTime)
    }

    struct Delivery: Hashable, Sendable {
        var answer: Answer
        /// The result if delivery is given up: withdrawn once the origin has ended without the
        /// answer, invalid once a path did not know the option.
        var ifUndelivered = RecoveryResult.unknown
        /// The result that the side below reported; nil while delivery goes on.
        var result: RecoveryResult?
        /// The time of the decision.
        var decidedAt: MonotonicTime
        var tries = 0
        var next: MonotonicTime?
        /// The number of the last PING before the answer was sent last; nil on a new link.
        var sentAfterPing: UInt64?
        /// The time until which the delivery is kept, once there is a result.
        var until: MonotonicTime?

        /// Whether the answer still goes down for an attempt.
        var isToBeAttempted: Bool { result == nil || result == .unknown }

        /// The answer as sent to the child: once settled, with the result and never with the option
        /// (rule 2).
        var answerToSend: Answer {
            var answer = answer
            switch result {
            case .recovered: answer.didRecover = true
            case .failed, .late, .withdrawn, .invalid: answer.didRecover = false
            case .unknown, nil: break
            }
            return isToBeAttempted ? answer : answer.withoutValues
        }
    }

    /// A further child by which the origin asks, beside the asker.
    struct Path: Hashable, Sendable {
        let child: NodeName
        /// The life of that child.
        let boot: BootID?
        var askedAt: MonotonicTime
        /// Whether this child, or a hop below it, has lost the origin.
        let isCutOff: Bool
    }

    /// The most further paths. Above this limit the least recent path is dropped: its AWAIT gets
    /// 403, and it presents again.
    static let otherPathsMax = 8

    let id: PresentationID
    /// The origin; nil for a presentation that was withdrawn before it was presented.
    let origin: NodeName?
    let digest: ReportDigest?
    /// The size of the report.
    var byteCount = 0
    /// The origin and digest of a withdrawal before any PRESENT; nil if its peer gave none.
    var withdrawnAs: Message.Asked?
    /// The options of a bare client, for which this hop is the end of the protocol and refuses any
    /// other option. Nil for other peers.
    var offered: [ErrorReport.Option]?
    /// The option that a bare client gets when no answer comes in time.
    var onExpiry: String?
    var asker: Asker
    /// The holder of the key that presented last; nil without keys.
    var key: NodeName?
    /// The further paths, the most recent last.
    private(set) var otherPaths: [Path] = []
    var phase: Phase = .open
    /// The acknowledgement that the asker has not been sent yet; nil for an asker that gets no
    /// pushes.
    var heldBack: HeldBack?
    /// The number of this opening, above that of every earlier one under the id, to recognize
    /// messages of an earlier generation.
    var generation = 1
    /// The time of the last PRESENT or AWAIT of a child, later by the time that the child has been
    /// out of reach since.
    var askedAt: MonotonicTime
    var askedBy: BootID?
    var deadline: MonotonicTime?
    var standing: PresentationState.Station?
    var standingBy: String?
    var standingSince: MonotonicTime
    /// Whether a hop below has reported that it lost the origin.
    var isCutOffBelow = false
    /// The time since when the asker has been out of reach; nil while it is in reach.
    var unreachableSince: MonotonicTime?

    var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    /// The user of the node's room for whom the entry counts.
    var account: Account { key.map { .key($0) } ?? child.map { .child($0) } ?? .others }

    /// Whether the origin can be reached, as far as this hop knows.
    var isOriginReachable: Bool { unreachableSince == nil && !isCutOffBelow }

    /// The answer that was sent down, when one of the child's own options was chosen.
    var answer: Answer? {
        guard case .answered(let delivery) = phase else { return nil }
        return delivery.answer.chosen == nil ? nil : delivery.answer
    }

    /// The origin and digest, for a node above that may not know the presentation.
    var asked: Message.Asked? {
        guard let origin, let digest else { return nil }
        return .init(origin: origin, digest: digest)
    }

    /// Whether the entry is a withdrawal before any PRESENT, and no word about this report: its
    /// peer named another one, or named none and holds a key that is neither the origin's nor that
    /// of the peer that presents.
    func isWithdrawal(ofOtherThan asked: Message.Asked, by holder: NodeName?) -> Bool {
        guard origin == nil else { return false }
        if let withdrawnAs { return withdrawnAs != asked }
        guard let key, key != holder else { return false }
        // A key also stands for the names that begin with its own.
        return asked.origin != key && !asked.origin.description.hasPrefix("\(key)-")
    }

    /// Whether the result is not known yet.
    var isUnsettled: Bool {
        switch phase {
        case .open: true
        case .answered(let delivery): delivery.result == nil
        case .withdrawn, .abandoned, .refused: false
        }
    }

    /// The bytes of the report, as long as it is kept.
    var heldByteCount: Int { isUnsettled ? byteCount : 0 }

    /// The time since when the answer waits to be delivered and settled.
    var undeliveredSince: MonotonicTime? {
        guard case .answered(let delivery) = phase, delivery.result == nil else { return nil }
        return delivery.decidedAt
    }

    /// The time until which the entry is kept; nil while it is unsettled.
    var forgetAt: MonotonicTime? {
        switch phase {
        case .open: nil
        case .answered(let delivery): delivery.until
        case .withdrawn(let until), .abandoned(let until), .refused(_, let until): until
        }
    }

    /// The child that presented, if it has a link.
    var child: NodeName? {
        if case .child(let name) = asker { name } else { nil }
    }

    /// Whether the asker is the origin itself: a child of that name, or a peer
    /// without a link.
    func isAsked(byOrigin peer: NodeName?) -> Bool {
        switch asker {
        case .child(let name): name == origin && name == peer
        case .requester: peer == nil
        case .bare: false
        }
    }

    /// Whether the asker is a child that asks by a further path.
    func isAsked(by asker: Asker) -> Bool {
        guard case .child(let name) = asker else { return false }
        return otherPaths.contains { $0.child == name }
    }

    /// PRESENT: its sender becomes the asker.
    mutating func asked(
        by asker: Asker, _ bare: BareRequest?, _ boot: BootID?, _ isCutOff: Bool,
        at now: MonotonicTime
    ) {
        if case .child(let name) = asker {
            ask(by: Path(child: name, boot: boot, askedAt: now, isCutOff: isCutOff))
        } else {
            noteAsker()
            self.asker = asker
            (offered, onExpiry) = (bare?.offered, bare?.onExpiry)
            heldBack = nil
            askedBy = boot
            askedAt = now
            isCutOffBelow = isCutOff
            unreachableSince = nil
        }
    }

    /// This child becomes the asker; the former asker stays a path.
    mutating func ask(by path: Path) {
        noteAsker()
        forgetPath(by: path.child)
        asker = .child(path.child)
        (offered, onExpiry) = (nil, nil)
        heldBack = nil
        askedBy = path.boot
        askedAt = path.askedAt
        isCutOffBelow = path.isCutOff
        unreachableSince = nil
    }

    /// Keeps the child that asks as a path, before another peer takes its place.
    private mutating func noteAsker() {
        guard let child else { return }
        note(Path(child: child, boot: askedBy, askedAt: askedAt, isCutOff: isCutOffBelow))
    }

    /// Records a path that is not the asker.
    mutating func note(_ path: Path) {
        forgetPath(by: path.child)
        otherPaths.append(path)
        if otherPaths.count > Self.otherPathsMax { otherPaths.removeFirst() }
    }

    mutating func forgetPath(by child: NodeName) { otherPaths.removeAll { $0.child == child } }

    /// Another PRESENT opens what was abandoned: the earlier paths gave it up.
    mutating func reopen(until deadline: MonotonicTime?, at now: MonotonicTime) {
        phase = .open
        otherPaths = []
        generation += 1
        self.deadline = deadline
        standing = nil
        standingBy = nil
        standingSince = now
    }

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

    /// Whether a bare client waits: no other request takes its place, since it has no second one.
    var isAwaitedByBare: Bool {
        if case .bare(_?) = asker { true } else { false }
    }

    /// Ends the wait of the asker's request.
    mutating func stopWaiting() {
        switch asker {
        case .child: break
        case .requester: asker = .requester(nil)
        case .bare: asker = .bare(nil)
        }
    }
}

extension DownlinkEntry {
    /// The part of an entry that the counts and lines of its machine follow.
    struct Counted {
        let id: PresentationID
        let origin: NodeName?
        let child: NodeName?
        let account: Account
        let isOpen: Bool
        let isUnsettled: Bool
        let heldByteCount: Int
        let undeliveredSince: MonotonicTime?
        let forgetAt: MonotonicTime?
    }

    var counted: Counted {
        Counted(
            id: id, origin: origin, child: child, account: account, isOpen: isOpen,
            isUnsettled: isUnsettled, heldByteCount: heldByteCount,
            undeliveredSince: undeliveredSince, forgetAt: forgetAt)
    }
}

extension DownlinkEntry {
    /// The answer to a bare client's option, with its values checked and defaults filled in; nil if
    /// this hop, as the client's end of the protocol, refuses it: also where one person chose what
    /// needs two. The client checks patterns itself, since they may take long. The owner checks the
    /// answer to any other peer.
    ///
    /// - Parameter isDeclared: Whether the answer is the option that the client itself declared for
    ///   the deadline, which needs no people.
    func accepted(_ answer: Answer, isDeclared: Bool = false) -> Answer? {
        guard let offered else { return answer }
        guard let option = offered.first(where: { $0.id == answer.option }) else { return nil }
        guard isDeclared || !option.needsTwoPeople || answer.isOfTwoPeople else { return nil }
        return try? answer.filled(for: option.fields.map(\.withoutPattern))
    }

    /// The delivery of an answer that came before the asker asked; nil if it sends a bare client
    /// what this hop refuses for it: then the owner on another path carries the option out.
    func accepted(_ delivery: Delivery) -> Delivery? {
        let answer = delivery.answer
        guard answer.chosen != nil, answer.didRecover == nil, delivery.isToBeAttempted else {
            return delivery
        }
        let isDeclared = answer.via == .expiry && answer.option == onExpiry
        guard let accepted = accepted(answer, isDeclared: isDeclared) else { return nil }
        var delivery = delivery
        delivery.answer = accepted
        return delivery
    }
}

extension DownlinkEntry {
    /// The result of an answer from above to this report, if the origin has certainly ended without
    /// this answer (rule 6); nil if the answer may still have another result.
    func result(of answer: UniqueID, to digest: ReportDigest?) -> RecoveryResult? {
        guard digest != nil, self.digest == digest else { return nil }
        switch phase {
        case .answered(let delivery) where delivery.answer.id != answer:
            switch delivery.result {
            case .recovered, .failed: return .late
            case .late, .withdrawn, .invalid, .unknown, nil: return nil
            }
        case .withdrawn: return .withdrawn
        case .open, .answered, .abandoned, .refused: return nil
        }
    }
}

extension Answer {
    /// Whether the answer only reports that no answer came in time.
    var isExpiry: Bool { chosen == nil && reason == Outcome.Reason.expired.rawValue }
}
