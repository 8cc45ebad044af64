@testable import ErrorBus

/// What the node's chain is told; ``RelayNode`` and ``PresenterNode`` are the chains.
protocol DownlinkOwner: AnyObject {
    func offered(_ offer: DownlinkOffer)
    func cancelled(_ id: PresentationID, generation: Int, reason: DownlinkAction.Outcome)
    func settledLater(_ id: PresentationID, answer: UniqueID, _ result: RecoveryResult)
    func passOn(_ settled: Message.Settled)
    func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked)
    func withdrawnForGood(_ id: PresentationID)
    func reachable(_ id: PresentationID, _ isReachable: Bool)
}

/// What the node's `Downlink` does around its machine, in virtual time.
final class DownlinkDriver {
    private struct Attempt: Hashable {
        let id: PresentationID
        let answer: UniqueID
    }

    private unowned let node: SimulatedNode
    private unowned let owner: any DownlinkOwner
    private let life: Int
    private(set) var machine: DownlinkMachine
    private var attempts: [Attempt: [(RecoveryResult) -> Void]] = [:]
    private var sentAnswers: Set<UniqueID> = []
    private var isStopped = false
    private lazy var wakeup = Wakeup(node) { [unowned self] in tick() }
    private var world: World { node.world }

    init(_ node: SimulatedNode, owner: any DownlinkOwner) {
        self.node = node
        self.owner = owner
        life = node.life
        var times = node.world.plan.profile.times
        if node.world.mutation == .noTombstones { times.tombstone = 0 }
        if node.world.mutation == .leaseForever { times.lease = 1 << 40 }
        machine = DownlinkMachine(
            name: node.name, boot: BootID(number: node.world.random.next()), times: times,
            limits: node.world.plan.profile.limits, seed: node.world.random.next())
    }

    func attempt(
        _ answer: Answer, of id: PresentationID, generation: Int,
        then: @escaping (RecoveryResult) -> Void
    ) {
        guard !isStopped else { return then(.unknown) }
        attempts[Attempt(id: id, answer: answer.id), default: []].append(then)
        let former = machine.entries[id]
        let actions = machine.answered(
            id, generation: current(id, generation), with: answer, at: world.time)
        noteIfStale(former, generation)
        perform(actions)
    }

    func complete(_ id: PresentationID, generation: Int, _ verdict: DownlinkVerdict) {
        guard !isStopped else { return }
        let former = machine.entries[id]
        let actions = machine.completed(
            id, generation: current(id, generation), verdict: verdict, at: world.time)
        noteIfStale(former, generation)
        perform(actions)
    }

    /// Whether a word for one asking ended another.
    private func noteIfStale(_ former: DownlinkEntry?, _ generation: Int) {
        guard let former, former.isOpen, former.generation != generation,
            machine.entries[former.id]?.isOpen != true
        else { return }
        world.ledger.note(.staleVerdict(former.id, by: node.name))
    }

    func move(
        _ id: PresentationID, generation: Int, to state: Message.Pending.State, by: String?
    ) {
        guard !isStopped else { return }
        perform(machine.moved(id, generation: generation, to: state, by: by, at: world.time))
    }

    /// The machine has a live link with this child, and it is this connection.
    func hears(_ name: NodeName, on connection: Connection) -> Bool {
        guard !isStopped, let child = machine.children[name] else { return false }
        return child.isReachable && child.peer.envelope.frames.first == connection.frame
    }

    func setPathUpward(_ path: [NodeName]) { machine.pathUpward = path }

    private func current(_ id: PresentationID, _ generation: Int) -> Int {
        guard world.mutation == .generationsIgnored else { return generation }
        return machine.entries[id]?.generation ?? generation
    }

    func stop() {
        guard !isStopped else { return }
        perform(machine.stopped(at: world.time))
        isStopped = true
        let waiting = attempts.sorted { $0.key.answer.isBefore($1.key.answer) }
        attempts = [:]
        for (_, callbacks) in waiting { for callback in callbacks { callback(.unknown) } }
    }

    func received(_ packet: Packet, from peer: PeerID) {
        guard !isStopped else { return }
        switch packet {
        case .message(let message): received(message, from: peer)
        case .bareRequest(let frame):
            do throws(WireError) {
                let request = try BareRequest(frame)
                perform(
                    machine.bareReceived(request, from: peer, at: world.time))
            } catch {
                perform([.reply(BareReply(error), to: peer)])
            }
        case .bareReply: break
        }
    }

    private func received(_ message: Message, from peer: PeerID) {
        var peer = peer
        switch (world.mutation, message) {
        case (.directionIgnored, .answer): node.uplink?.received(message)
        case (.siblingsTrusted, .settled(let settled)):
            if case .child(let name)? = machine.entries[settled.id]?.asker,
                let asker = machine.children[name]?.peer
            {
                peer = asker
            }
        case (.pathsSteal, .present(let present)): steal(present.id, peer)
        default: break
        }
        perform(machine.received(message, from: peer, at: world.time))
        guard world.mutation == .resultsForgotten, node.planned.role == .relay,
            case .settled(let settled) = message, node.life == life,
            machine.entries[settled.id] != nil
        else { return }
        machine.forget(settled.id)
    }

    /// For a mutation: the asker is who spoke last, and no other is known.
    private func steal(_ id: PresentationID, _ peer: PeerID) {
        guard let name = machine.namesOfPeers[peer], var entry = machine.entries[id], entry.isOpen,
            entry.child != name
        else { return }
        entry.asked(by: .child(name), machine.children[name]?.boot, false, at: world.time)
        entry.forgetOtherPaths()
        machine.store(entry)
    }

    private func tick() {
        guard !isStopped else { return }
        perform(machine.ticked(at: world.time))
        wakeup.ticked(nextDue: machine.nextDue)
    }

    // MARK: Actions

    private func perform(_ actions: [DownlinkAction]) {
        var vanished: [PeerID] = []
        for action in actions {
            guard node.life == life, node.mayAct() else { return }
            perform(action, &vanished)
        }
        guard node.life == life else { return }
        var seen: Set<PeerID> = []
        for peer in vanished where seen.insert(peer).inserted {
            perform(machine.vanished(peer, at: world.time))
        }
        if node.life == life, !isStopped { wakeup.plan(machine.nextDue) }
    }

    private func perform(_ action: DownlinkAction, _ vanished: inout [PeerID]) {
        switch action {
        case .send(let message, let peer): send(message, to: peer, &vanished)
        case .reply(let reply, let peer):
            if world.network.sendDown(.bareReply(reply), to: peer) == .unroutable {
                vanished.append(peer)
            }
        case .offer(let offer): owner.offered(offer)
        case .cancel(let id, let generation, let reason):
            world.ledger.note(.takenBack(id, by: node.name, life: life))
            owner.cancelled(id, generation: generation, reason: reason)
        case .settled(let id, let answer, let result):
            guard let waiting = attempts.removeValue(forKey: Attempt(id: id, answer: answer)) else {
                return owner.settledLater(id, answer: answer, result)
            }
            for callback in waiting { callback(result) }
        case .passOn(let settled): owner.passOn(settled)
        case .passOnWithdrawal(let id, let asked): owner.passOnWithdrawal(of: id, asked)
        case .withdrawnForGood(let id): owner.withdrawnForGood(id)
        case .reachable(let id, let isReachable): owner.reachable(id, isReachable)
        case .childUp, .childDown, .dropped, .tellState: break
        }
    }

    private func send(_ message: Message, to peer: PeerID, _ vanished: inout [PeerID]) {
        var peer = peer
        if case .answer(let decision) = message {
            if world.mutation == .answerSentOnce,
                !sentAnswers.insert(decision.answer).inserted
            {
                return
            }
            if world.mutation == .answersMisrouted,
                let other = machine.children.values.map(\.peer).filter({ $0 != peer })
                    .min(by: {
                        $0.envelope.frames[0].lexicographicallyPrecedes($1.envelope.frames[0])
                    })
            {
                peer = other
            }
        }
        if world.network.sendDown(.message(message), to: peer) == .unroutable {
            vanished.append(peer)
        }
    }

    // MARK: At the end

    var isQuiet: Bool {
        attempts.isEmpty && !machine.entries.values.contains { $0.isUnsettled }
    }

    /// The machine's counts against its table.
    func miscount() -> String? {
        let unsettled = machine.entries.values.filter(\.isUnsettled)
        guard unsettled.count == machine.unsettledCount else {
            return "\(machine.unsettledCount) counted as open, \(unsettled.count) are"
        }
        var ofChild: [NodeName: Set<PresentationID>] = [:]
        for entry in unsettled {
            if case .child(let name) = entry.asker {
                ofChild[name, default: []].insert(entry.id)
            }
        }
        let open = machine.entries.values.filter(\.isOpen)
        let openOfChild = Dictionary(grouping: open.compactMap(\.child)) { $0 }.mapValues(\.count)
        guard open.count == machine.openCount, openOfChild == machine.openOfChild else {
            return "\(machine.openCount) open, \(machine.openOfChild) of children; there are "
                + "\(open.count), \(openOfChild)"
        }
        guard ofChild == machine.unsettledOfChild else {
            return "of children \(machine.unsettledOfChild) counted as open, \(ofChild) are"
        }
        return nil
    }

    /// Left alone for long enough, nothing may remain.
    func remainsAfterDraining() -> String? {
        var machine = machine
        let times = machine.times
        let end = world.time + (times.tombstone + times.silenceMax + 2_000)
        var steps = 0
        while let due = machine.nextDue, due <= end, steps < 50_000 {
            steps += 1
            _ = machine.ticked(at: max(due, world.time))
        }
        let isEmpty =
            machine.entries.isEmpty && machine.children.isEmpty && machine.namesOfPeers.isEmpty
            && machine.unsettledCount == 0 && machine.unsettledOfChild.isEmpty
            && machine.openOfChild.isEmpty && machine.undelivered.count == 0
        if isEmpty { return nil }
        return "downlink: \(machine.entries.count) entries, \(machine.children.count) children, "
            + "\(machine.namesOfPeers.count) peers, \(machine.unsettledCount) open"
    }

    var openText: String {
        let open = machine.entries.filter { $0.value.isUnsettled }
        return "downlink attempts \(attempts.keys.map(\.id.short).sorted()) entries "
            + open.map { "\($0.key.short) \($0.value.phase) of \($0.value.asker)" }.sorted()
            .joined(separator: "; ")
    }
}
