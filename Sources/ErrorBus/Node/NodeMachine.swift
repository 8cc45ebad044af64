/// One node's part in the protocol: the link to its children, the links upward, and what goes from
/// one to the other. Pure: time comes in, actions go out.
///
/// What children ask is offered to the node's chain. Where nothing in the node looks at it, it goes
/// to the parent as it came, and its answer down again, without leaving this machine.
struct NodeMachine: Sendable {
    /// A link upward: 0 leads to the parents, where there are any; one more for each route that
    /// rules send errors by.
    typealias Way = Int

    /// An answer that went down.
    struct Attempt: Hashable, Sendable {
        let id: PresentationID
        let answer: UniqueID
    }

    /// What asked a parent.
    enum Asker: Hashable, Sendable {
        /// A responder of this process, which waits under this number.
        case caller(Int)
        /// A child, by its asking of this generation: passed on.
        case child(generation: Int)
    }

    /// An answer from above to what was passed on.
    struct PassedDown: Hashable, Sendable {
        let generation: Int
        let answer: Answer
    }

    /// The parents of each way, in order of preference.
    let endpoints: [[Endpoint]]
    /// The chain is nothing but the way to the parents.
    var isPassage = false
    var below: DownlinkMachine
    var above: [UplinkMachine]
    /// For each way, what waits for an answer there.
    var askers: [[PresentationID: Asker]]
    /// Answers that the chain gave, and how many of its responders wait for what comes of each.
    var attempts: [Attempt: Int] = [:]
    var passedDown: [Attempt: PassedDown] = [:]
    var isGoingDown = false

    init(below: DownlinkMachine, above: [UplinkMachine], endpoints: [[Endpoint]]) {
        precondition(above.count == endpoints.count, "a way without endpoints")
        self.below = below
        self.above = above
        self.endpoints = endpoints
        askers = Array(repeating: [:], count: above.count)
    }

    var nextDue: MonotonicTime? {
        above.reduce(below.nextDue) { due, way in
            guard let next = way.nextDue else { return due }
            return due.map { min($0, next) } ?? next
        }
    }

    /// How many presentations wait for an answer on some way up.
    var waitingCount: Int { askers.reduce(0) { $0 + $1.count } }

    /// How many are passed on at the moment.
    var passingCount: Int {
        passedDown.count
            + (askers.first?.values.count { if case .child = $0 { true } else { false } } ?? 0)
    }

    /// How many responders wait for what comes of an answer.
    var attemptCount: Int { attempts.values.reduce(0, +) + passedDown.count }

    // MARK: Events

    /// An event of the link to the children.
    mutating func below(
        at now: MonotonicTime, _ event: (inout DownlinkMachine) -> [DownlinkAction]
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        carryOut(event(&below), at: now, into: &actions)
        return actions
    }

    /// An event of a link upward.
    mutating func above(
        _ way: Way, at now: MonotonicTime, _ event: (inout UplinkMachine) -> [UplinkAction]
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        carryOut(event(&above[way]), of: way, at: now, into: &actions)
        return actions
    }

    /// Time passed.
    mutating func ticked(at now: MonotonicTime) -> [NodeAction] {
        var actions: [NodeAction] = []
        carryOut(below.ticked(at: now), at: now, into: &actions)
        for way in above.indices {
            carryOut(above[way].ticked(at: now), of: way, at: now, into: &actions)
        }
        return actions
    }

    /// A responder of this process asks, and waits under the number `caller`. Another asking of the
    /// same id, which was withdrawn and has not noticed yet, makes room.
    mutating func asked(
        _ request: UplinkRequest, on way: Way, caller: Int, at now: MonotonicTime
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        ask(request, on: way, for: .caller(caller), at: now, into: &actions)
        return actions
    }

    /// That responder waits no longer. Without a reason it comes back: the parent is not told.
    mutating func gaveUp(
        _ id: PresentationID, on way: Way, caller: Int, _ reason: Message.WithdrawReason?,
        at now: MonotonicTime
    ) -> [NodeAction] {
        guard askers[way][id] == .caller(caller) else { return [] }
        askers[way][id] = nil
        var actions: [NodeAction] = [.ended(caller: caller, .withdrawn)]
        withdraw(id, reason, on: way, at: now, into: &actions)
        return actions
    }

    /// The chain chose one of a child's own options, and waits for what comes of it.
    ///
    /// - Returns: Also the result, where it is known at once: it is this asking's, a later one may
    ///   wait for another.
    mutating func answered(
        _ id: PresentationID, generation: Int, with answer: Answer, at now: MonotonicTime
    ) -> (known: RecoveryResult?, actions: [NodeAction]) {
        var actions: [NodeAction] = []
        let known = give(answer, to: id, generation: generation, at: now, into: &actions) {
            $0.attempts[Attempt(id: id, answer: answer.id), default: 0] += 1
        }
        return (known, actions)
    }

    /// What came of an answer from above that a responder of this process has carried out, or that
    /// was carried out below.
    mutating func settled(
        _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult, on way: Way,
        at now: MonotonicTime
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        settle(id, answer: answer, result, on: way, at: now, into: &actions)
        return actions
    }

    /// The node stops: children and parents hear so, and no responder waits any longer.
    mutating func stopped(at now: MonotonicTime) -> [NodeAction] {
        isGoingDown = true
        var actions: [NodeAction] = []
        carryOut(below.stopped(at: now), at: now, into: &actions)
        actions += attempts.keys.map { .attempted($0, .unknown) }
        attempts = [:]
        passedDown = [:]
        for way in above.indices {
            carryOut(above[way].stopped(at: now), of: way, at: now, into: &actions)
            for case .caller(let caller) in askers[way].values {
                actions.append(.ended(caller: caller, .shutDown))
            }
            askers[way] = [:]
        }
        return actions
    }
}

/// What a ``NodeMachine`` wants done.
enum NodeAction: Hashable, Sendable {
    // To children.
    case send(Message, to: PeerID)
    case reply(BareReply, to: PeerID)
    /// A peer asked how the node is: send STATE.
    case tellState(to: PeerID)
    case childUp(NodeName)
    case childDown(NodeName, reason: String)

    /// To the parents of a way.
    case above(NodeMachine.Way, WayAction)

    // To the chain.
    /// A child asks: hand it to the node's chain.
    case offer(DownlinkOffer)
    /// No child wants the answer any longer: take the error back from the chain.
    case cancel(PresentationID, generation: Int, DownlinkAction.Outcome)
    /// The asker cannot be reached, or can again.
    case reachable(PresentationID, Bool)
    /// What came of an answer that the chain gave, for all that wait for it.
    case attempted(NodeMachine.Attempt, RecoveryResult)
    /// What came of an answer that was decided here, and that the chain waits for no longer.
    case settledLater(PresentationID, Answer, RecoveryResult)

    // To the journal: what this life of the node knows nothing of.
    /// What came of an answer that an earlier life gave or passed down.
    case settledBefore(Message.Settled, of: Message.Asked)
    /// The origin has given up what an earlier life was asked, or what ended here without its word.
    case withdrawnBefore(PresentationID, Message.Asked, isHere: Bool)

    // To responders of this process that asked.
    case moved(caller: Int, PresentationState.Station, by: String?)
    case ended(caller: Int, UplinkEnding)

    /// Late, doubled or alien: counted and dropped.
    case dropped(Anomaly)
}

/// What a ``NodeMachine`` wants done with one of its ways up.
enum WayAction: Hashable, Sendable {
    /// Open a socket in place of the one that is open.
    case open(Endpoint)
    case close
    case send(Message)
    /// Open a second socket beside the one that is open.
    case openProbe(Endpoint)
    case closeProbe
    case sendProbe(Message)
    /// The second socket takes the place of the first, which is closed once all is sent.
    case adoptProbe
    /// A parent of this name is there.
    case up(NodeName)
    case down(reason: String)
}

/// How asking a parent ended.
enum UplinkEnding: Hashable, Sendable {
    case answered(Answer)
    case refused(Message.Reject)
    case expired
    /// No parent could be reached within the grace; what was tried.
    case unreachable(String, Message.Reject?)
    /// The caller was cancelled.
    case withdrawn
    case shutDown
}

extension UplinkRequest {
    /// What a child asks, for the next hop. Whether to go on waiting is for the origin to say,
    /// unless a presenter is here.
    init(forwarding present: Message.Present, deadline: MonotonicTime?, grace: UInt64? = nil) {
        var present = present
        present.waitMilliseconds = nil
        self.init(present: present, deadline: deadline, grace: grace, isForwarded: true)
    }
}

extension Answer {
    /// What is to be carried out here or below; nil where a process above dealt with it.
    var toAttempt: Answer? {
        guard didRecover == nil else { return nil }
        var answer = plain
        answer.isFromAbove = true
        return answer
    }

    /// What came of it, where a process above dealt with it.
    var resultAbove: RecoveryResult? { didRecover.map { $0 ? .recovered : .failed } }
}

extension DownlinkAction.Outcome {
    /// The reason that the next hop gets; nil at shutdown, since the child asks again.
    var withdrawal: Message.WithdrawReason? {
        switch self {
        case .withdrawn: .origin
        // This hop's clock says so; only the origin's own word is final.
        case .abandoned, .expired: .abandoned
        case .shutDown: nil
        }
    }
}
