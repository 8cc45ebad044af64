/// The protocol of one node: the link to its children, the links upward, and the events between
/// them. Pure: time comes in, actions go out.
///
/// The machine offers a child's presentation to the node's chain. When the chain leads only to the
/// parent, the presentation goes up unchanged, and its answer down, within this machine.
package struct NodeMachine: Sendable {
    /// A link upward: 0 leads to the parents, if there are any; each route of a rule has a further
    /// one.
    package typealias Way = Int

    /// An answer that went down.
    package struct Attempt: Hashable, Sendable {
        package let id: PresentationID
        package let answer: UniqueID

        package init(id: PresentationID, answer: UniqueID) {
            self.id = id
            self.answer = answer
        }
    }

    /// The origin of a presentation at a parent.
    enum Asker: Hashable, Sendable {
        /// A responder of this process, which waits under this number.
        case caller(Int)
        /// A child, with the generation of its entry: relayed.
        case child(generation: Int)
    }

    /// An answer from above to a relayed presentation.
    struct PassedDown: Hashable, Sendable {
        let generation: Int
        let answer: Answer
    }

    /// The parents of each way, in order of preference.
    package let endpoints: [[Endpoint]]
    /// Whether the chain leads only to the parents.
    package var isPassage = false
    package var below: DownlinkMachine
    package var above: [UplinkMachine]
    /// For each link upward, the presentations that wait for an answer there.
    var askers: [[PresentationID: Asker]]
    /// The chain's answers, with the number of responders that wait for each result.
    var attempts: [Attempt: Int] = [:]
    var passedDown: [Attempt: PassedDown] = [:]
    var isGoingDown = false

    package init(below: DownlinkMachine, above: [UplinkMachine], endpoints: [[Endpoint]]) {
        precondition(above.count == endpoints.count, "a way without endpoints")
        self.below = below
        self.above = above
        self.endpoints = endpoints
        askers = Array(repeating: [:], count: above.count)
    }

    /// The time of the next tick. Mutating: a mere look would copy the machine in its driver.
    package var nextDue: MonotonicTime? {
        mutating get {
            var due = below.nextDue
            for way in above.indices { due = due.orEarlier(Self.due(of: &above[way])) }
            return due
        }
    }

    /// Takes no copy of the machine out of its array.
    private static func due(of way: inout UplinkMachine) -> MonotonicTime? { way.nextDue }

    /// The sizes of the tables.
    package var tableSizes: TableSizes {
        var sizes = TableSizes()
        sizes.children = below.children.count
        sizes.openBelow = below.unsettledCount
        sizes.rememberedBelow = below.entries.count - below.unsettledCount
        sizes.attempts = attempts.values.reduce(0, +) + passedDown.count
        sizes.offered = passingCount
        sizes.waiting = askers.reduce(0) { $0 + $1.count }
        for way in above {
            let rememberedCount = way.remembered.count + way.passedOn.count
            sizes.rememberedAbove += rememberedCount
            sizes.openAbove += way.entries.count - rememberedCount
        }
        return sizes
    }

    /// The number of presentations that the links hold: an open one counts twice, as it takes more
    /// memory.
    package var heldCount: Int {
        above.reduce(below.entries.count + below.unsettledCount) {
            $0 + $1.entries.count + $1.openCount
        }
    }

    /// The number of presentations that are relayed now.
    var passingCount: Int {
        passedDown.count
            + (askers.first?.values.count { if case .child = $0 { true } else { false } } ?? 0)
    }

    // MARK: Events

    /// An event of the link to the children.
    package mutating func below(
        at now: MonotonicTime, _ event: (inout DownlinkMachine) -> [DownlinkAction]
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        carryOut(event(&below), at: now, into: &actions)
        return actions
    }

    /// An event of a link upward.
    package mutating func above(
        _ way: Way, at now: MonotonicTime, _ event: (inout UplinkMachine) -> [UplinkAction]
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        carryOut(event(&above[way]), of: way, at: now, into: &actions)
        return actions
    }

    /// Time passed.
    package mutating func ticked(at now: MonotonicTime) -> [NodeAction] {
        var actions: [NodeAction] = []
        carryOut(below.ticked(at: now), at: now, into: &actions)
        for way in above.indices {
            carryOut(above[way].ticked(at: now), of: way, at: now, into: &actions)
        }
        return actions
    }

    /// A responder of this process presents, and waits under the number `caller`. The responder
    /// replaces an earlier call for the same id, which was withdrawn and has not noticed yet.
    package mutating func asked(
        _ request: UplinkRequest, on way: Way, caller: Int, at now: MonotonicTime
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        ask(request, on: way, for: .caller(caller), at: now, into: &actions)
        return actions
    }

    /// That responder stopped waiting: the parent gets a withdrawal with this reason.
    package mutating func gaveUp(
        _ id: PresentationID, on way: Way, caller: Int, _ reason: Message.WithdrawReason,
        at now: MonotonicTime
    ) -> [NodeAction] {
        guard askers[way][id] == .caller(caller) else { return [] }
        askers[way][id] = nil
        var actions: [NodeAction] = [.ended(caller: caller, .withdrawn)]
        withdraw(id, reason, on: way, at: now, into: &actions)
        return actions
    }

    /// The chain chose one of a child's own options, and waits for the result.
    ///
    /// - Returns: Also the result, when it is known at once for this generation.
    package mutating func answered(
        _ id: PresentationID, generation: Int, with answer: Answer, at now: MonotonicTime
    ) -> (known: RecoveryResult?, actions: [NodeAction]) {
        var actions: [NodeAction] = []
        let known = give(answer, to: id, generation: generation, at: now, into: &actions) {
            $0.attempts[Attempt(id: id, answer: answer.id), default: 0] += 1
        }
        return (known, actions)
    }

    /// The result of an answer from above whose attempt ran in this process or below.
    package mutating func settled(
        _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult, on way: Way,
        at now: MonotonicTime
    ) -> [NodeAction] {
        var actions: [NodeAction] = []
        settle(id, answer: answer, result, on: way, at: now, into: &actions)
        return actions
    }

    /// The node stops: children and parents get BYE, and every responder stops waiting.
    package mutating func stopped(at now: MonotonicTime) -> [NodeAction] {
        isGoingDown = true
        var actions: [NodeAction] = []
        carryOut(below.stopped(at: now), at: now, into: &actions)
        for attempt in attempts.keys {
            // Not `unknown`, which would say that the answer could not be delivered.
            let isLeft = below.isWithChild(attempt.id, answer: attempt.answer)
            actions.append(isLeft ? .leftToNextLife(attempt) : .attempted(attempt, .unknown))
        }
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

/// An action that a ``NodeMachine`` requests.
package enum NodeAction: Hashable, Sendable {
    // To children.
    case send(Message, to: PeerID)
    case reply(BareReply, to: PeerID)
    /// A peer requested the node's status: send STATE.
    case tellState(to: PeerID)
    case log(ChildLine)

    /// An action for the parents of a way.
    case above(NodeMachine.Way, WayAction)

    // To the chain.
    /// A child presents: offer it to the node's chain.
    case offer(DownlinkOffer)
    /// No child waits for the answer: withdraw the error from the chain.
    case cancel(PresentationID, generation: Int, DownlinkAction.Outcome)
    /// The asker became unreachable, or reachable again.
    case reachable(PresentationID, Bool)
    /// The result of the chain's answer, for all responders that wait for it.
    case attempted(NodeMachine.Attempt, RecoveryResult)
    /// The node stops, and a child has the chain's answer: its result is for the next life.
    case leftToNextLife(NodeMachine.Attempt)
    /// The result of an answer decided here, for which the chain no longer waits.
    case settledLater(PresentationID, Answer, RecoveryResult)

    // To the journal, about presentations that this life of the node does not know.
    /// The result of an answer that an earlier life gave or passed down.
    case settledBefore(Message.Settled, of: Message.Asked)
    /// The origin withdrew a presentation of an earlier life, or one that ended here without its
    /// word.
    case withdrawnBefore(PresentationID, Message.Asked, isHere: Bool)

    // To responders of this process that wait for a parent.
    case moved(caller: Int, PresentationState.Station, by: String?, since: MonotonicTime?)
    case ended(caller: Int, UplinkEnding)

    /// Late, doubled or unexpected: counted and dropped.
    case dropped(Anomaly)
}

/// An action on one of the links upward.
package enum WayAction: Hashable, Sendable {
    /// Open a socket in place of the open one.
    case open(Endpoint)
    case close
    case send(Message)
    /// Open a second socket beside the open one.
    case openProbe(Endpoint)
    case closeProbe
    case sendProbe(Message)
    /// Replace the first socket by the second, and close the first once all is sent.
    case adoptProbe
    /// A parent of this name is up.
    case up(NodeName)
    case down(reason: String)
    case crowded(waitingCount: Int)
}

/// The end of a presentation at a parent.
package enum UplinkEnding: Hashable, Sendable {
    case answered(Answer)
    case refused(Message.Reject)
    case expired
    /// No parent could be reached within the grace; with the endpoints tried, and whether only the
    /// time was too short.
    case unreachable(tried: String, isTooSoon: Bool, Message.Reject?)
    /// The caller was cancelled.
    case withdrawn
    case shutDown
}

extension UplinkRequest {
    /// A child's request for the next hop. The origin decides how long to wait, unless a presenter
    /// is here.
    package init(
        forwarding present: Message.Present, deadline: MonotonicTime?, grace: UInt64? = nil
    ) {
        var present = present
        present.waitMilliseconds = nil
        self.init(present: present, deadline: deadline, grace: grace, isForwarded: true)
    }
}

extension Answer {
    /// The answer to attempt here or below; nil when a process above handled the error.
    package var toAttempt: Answer? {
        guard didRecover == nil else { return nil }
        var answer = plain
        answer.isFromAbove = true
        return answer
    }

    /// The result, when a process above handled the error.
    package var resultAbove: RecoveryResult? { didRecover.map { $0 ? .recovered : .failed } }
}

extension DownlinkAction.Outcome {
    /// The reason for the next hop; nil at shutdown, since the child presents again.
    package var withdrawal: Message.WithdrawReason? {
        switch self {
        case .withdrawn: .origin
        // This hop's own clock; only the origin's withdrawal is final.
        case .abandoned, .expired: .abandoned
        case .shutDown: nil
        }
    }
}
