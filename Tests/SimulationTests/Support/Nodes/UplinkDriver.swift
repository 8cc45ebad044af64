@testable import ErrorBus

/// What the node's `Uplink` does around its machine, in virtual time.
final class UplinkDriver {
    enum Ending {
        case answered(Message.Decision)
        case refused(Message.Reject)
        case expired, unreachable, withdrawn, shutDown
    }

    private struct Waiter {
        let token: Int
        let moved: (Message.Pending.State, String?) -> Void
        let ended: (Ending) -> Void
    }

    private unowned let node: SimulatedNode
    private let life: Int
    private(set) var machine: UplinkMachine
    private var socket: ChildSocket?
    private var probe: ChildSocket?
    private var waiters: [PresentationID: Waiter] = [:]
    private var tokens = 0
    private var isStopped = false
    private lazy var wakeup = Wakeup(node) { [unowned self] in tick() }
    private var world: World { node.world }

    init(_ node: SimulatedNode) {
        self.node = node
        life = node.life
        var times = node.world.plan.profile.times
        if node.world.mutation == .noTombstones { times.tombstone = 0 }
        machine = UplinkMachine(
            name: node.name, boot: BootID(number: node.world.random.next()),
            parentCount: node.planned.parents.count, times: times,
            limits: node.world.plan.profile.limits, seed: node.world.random.next())
    }

    func start() { perform(machine.started(at: world.time)) }

    /// Asks. Whoever asked before under this id is told that it is withdrawn.
    func present(
        _ request: UplinkRequest, moved: @escaping (Message.Pending.State, String?) -> Void,
        ended: @escaping (Ending) -> Void
    ) -> Int {
        let id = request.present.id
        tokens += 1
        guard !isStopped else {
            ended(.shutDown)
            return tokens
        }
        waiters.removeValue(forKey: id)?.ended(.withdrawn)
        waiters[id] = Waiter(token: tokens, moved: moved, ended: ended)
        let token = tokens
        perform(machine.presented(request, at: world.time))
        return token
    }

    func cancelled(_ id: PresentationID, token: Int, reason: Message.WithdrawReason?) {
        guard let waiter = waiters[id], waiter.token == token else { return }
        waiters[id] = nil
        waiter.ended(.withdrawn)
        if let reason { perform(machine.withdrew(id, reason: reason, at: world.time)) }
    }

    func settle(_ id: PresentationID, answer: UniqueID, result: RecoveryResult) {
        guard !isStopped else { return }
        perform(machine.settled(id, answer: answer, result: result, at: world.time))
        if world.mutation == .resultsForgotten, node.planned.role == .relay {
            machine.entries[id] = nil
        }
    }

    func passOn(_ settled: Message.Settled) {
        guard !isStopped else { return }
        perform(machine.passOn(settled, at: world.time))
    }

    func passOnWithdrawal(of id: PresentationID, _ asked: Message.Asked) {
        guard !isStopped else { return }
        perform(machine.passOnWithdrawal(of: id, asked, at: world.time))
    }

    func withdrawForGood(_ id: PresentationID) {
        guard !isStopped else { return }
        perform(machine.withdrew(id, reason: .origin, at: world.time))
    }

    /// The origin can be reached from here, or cannot.
    func setReachable(_ id: PresentationID, _ isReachable: Bool) {
        guard !isStopped else { return }
        perform(machine.reachabilityChanged(id, isReachable, at: world.time))
    }

    /// What it sends goes out on this one, and what is asked is asked there.
    var liveConnection: Connection? {
        !isStopped && machine.isLive && !machine.isLeaving ? socket?.connection : nil
    }

    /// For a mutation: what was asked and answered is open once more.
    func forget(_ id: PresentationID) {
        guard var entry = machine.entries[id] else { return }
        entry.phase = .accepted(nextAwait: world.time + machine.times.awaitEvery)
        machine.entries[id] = entry
    }

    func stop() {
        guard !isStopped else { return }
        perform(machine.stopped(at: world.time))
        isStopped = true
        for (_, waiter) in waiters.sorted(by: { $0.key.value.isBefore($1.key.value) }) {
            waiter.ended(.shutDown)
        }
        waiters = [:]
    }

    func received(_ message: Message) {
        guard !isStopped else { return }
        if world.mutation == .asksOnce, case .reject(let reject) = message,
            reject.code == .unknownID
        {
            return
        }
        if world.mutation == .pathsSteal, case .reject(let reject) = message,
            reject.code == .notYours, let id = reject.id
        {
            return perform(machine.reachabilityChanged(id, true, at: world.time))
        }
        perform(machine.received(message, at: world.time))
    }

    private func tick() {
        guard !isStopped else { return }
        perform(machine.ticked(at: world.time))
        wakeup.ticked(nextDue: machine.nextDue)
    }

    // MARK: Actions

    private func perform(_ actions: [UplinkAction]) {
        for action in actions {
            guard node.life == life, node.mayAct() else { return }
            perform(action)
        }
        if node.life == life, !isStopped { wakeup.plan(machine.nextDue) }
    }

    private func perform(_ action: UplinkAction) {
        switch action {
        case .open(let parent): open(node.planned.parents[parent])
        case .close: closeSocket()
        case .send(let message): send(message, by: socket)
        case .openProbe where world.mutation == .neverReturns: break
        case .openProbe(let parent): openProbe(node.planned.parents[parent])
        case .closeProbe: closeProbe()
        case .sendProbe(let message): send(message, by: probe)
        case .adoptProbe: adoptProbe()
        case .linkUp(let welcome):
            node.downlink?.setPathUpward([node.name] + welcome.path)
        case .linkDown: break
        case .moved(let id, let state, let by): waiters[id]?.moved(state, by)
        case .answered(let id, let decision): answered(id, decision)
        case .refused(let id, let reject): end(id, .refused(reject))
        case .expired(let id): end(id, .expired)
        case .graceOver(let id, _):
            end(id, .unreachable)
            perform(machine.withdrew(id, reason: .origin, at: world.time))
        case .dropped: break
        }
    }

    private func answered(_ id: PresentationID, _ decision: Message.Decision) {
        guard waiters[id] != nil else {
            if node.planned.role == .origin { world.ledger.note(.endedTwice(id, by: node.name)) }
            perform(
                machine.settled(id, answer: decision.answer, result: .unknown, at: world.time))
            return
        }
        end(id, .answered(decision))
    }

    private func end(_ id: PresentationID, _ ending: Ending) {
        guard let waiter = waiters.removeValue(forKey: id) else {
            if node.planned.role == .origin { world.ledger.note(.endedTwice(id, by: node.name)) }
            return
        }
        waiter.ended(ending)
    }

    private func open(_ parent: NodeName) {
        closeSocket()
        let socket = makeSocket(to: parent)
        self.socket = socket
        world.network.connect(socket)
    }

    private func openProbe(_ parent: NodeName) {
        closeProbe()
        let socket = makeSocket(to: parent)
        probe = socket
        world.network.connect(socket)
    }

    /// Either socket may become the other: what happens on one is told by what it is by then.
    private func makeSocket(to parent: NodeName) -> ChildSocket {
        weak var made: ChildSocket?
        let socket = ChildSocket(
            child: node, parent: parent, link: world.link(child: node.name, parent: parent),
            connected: { [unowned self] in
                if isStopped { return }
                perform(
                    made === probe
                        ? machine.probeConnected(at: world.time)
                        : machine.connected(at: world.time))
            },
            disconnected: { [unowned self] in
                if isStopped { return }
                perform(
                    made === probe
                        ? machine.probeLost("lost", at: world.time)
                        : machine.disconnected("lost", at: world.time))
            },
            received: { [unowned self] packet, _ in
                guard case .message(let message) = packet, !isStopped else { return }
                if made === probe {
                    perform(machine.probeReceived(message, at: world.time))
                } else {
                    received(message)
                }
            })
        made = socket
        return socket
    }

    private func closeProbe() {
        if let probe { world.network.close(probe) }
        probe = nil
    }

    /// What was sent last still goes out.
    private func adoptProbe() {
        if let socket {
            socket.isClosed = true
            world.scheduler.after(500) { [world] in world.network.close(socket) }
        }
        (socket, probe) = (probe, nil)
    }

    private func closeSocket() {
        if let socket { world.network.close(socket) }
        socket = nil
    }

    private func send(_ message: Message, by socket: ChildSocket?) {
        guard let socket else { return }
        switch (world.mutation, message) {
        case (.settledNotSent, .settled): return
        case (.asksOnce, .present(let present)) where present.attempt > 1: return
        default: world.network.sendUp(.message(message), by: socket)
        }
    }

    // MARK: At the end

    var isQuiet: Bool {
        waiters.isEmpty
            && machine.entries.values.allSatisfy {
                switch $0.phase {
                case .settled, .gone: true
                case .asking, .accepted, .moving, .answered, .withdrawing: false
                }
            }
    }

    /// With everything mended, the parent in use is the first.
    var isWithFirstParent: Bool { machine.isLive && machine.parent == 0 }

    /// Left alone for long enough, nothing may remain.
    func remainsAfterDraining() -> String? {
        var machine = machine
        let end = world.time + machine.times.tombstone + 1_000
        var steps = 0
        while let due = machine.nextDue, due <= end, !machine.entries.isEmpty, steps < 50_000 {
            steps += 1
            _ = machine.ticked(at: max(due, world.time))
        }
        return machine.entries.isEmpty ? nil : "uplink: \(machine.entries.count) entries"
    }

    var openText: String {
        let open = machine.entries.filter {
            switch $0.value.phase {
            case .settled, .gone: false
            case .asking, .accepted, .moving, .answered, .withdrawing: true
            }
        }
        return "uplink waiters \(waiters.keys.map(\.short).sorted()) entries "
            + open.map { "\($0.key.short) \($0.value.phase)" }.sorted().joined(separator: "; ")
    }
}
